// The built-in images as files, for people who want to look at them or try other programs on them.
#pragma once

#include <filesystem>
#include <vector>

namespace contexton {

// Writes every built-in image as <name>.png with its ground truth <name>.mask.png beside it, and answers the
// paths in that order, image after image. A mask is a label map: a pixel is 0 or 1, the texture it shows, so
// it looks black in a viewer. `input.images` reads both with "truth": "{dir}/{stem}.mask.png". Makes the
// folder; replaces files of these names. Throws RunError when it cannot write.
std::vector<std::filesystem::path> write_sample_files(const std::filesystem::path& folder);

}  // namespace contexton
