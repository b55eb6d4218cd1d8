// From samples as a file stores them to the Image that stages work on: 8 bits, on white, upright.
#pragma once

#include "stages/input/codecs.hpp"
#include "stages/input/decode.hpp"

namespace contexton {

[[nodiscard]] Image finish_image(RawImage raw, int orientation, const DecodeOptions& options);

}  // namespace contexton
