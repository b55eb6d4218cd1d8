// The gallery as a picture: a row of patches per label.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <string>
#include <vector>

#include "stages/output/palette.hpp"
#include "stages/types/primitives.hpp"

namespace contexton {

// What lies `span` pixels around the keypoint, turned so that its angle points right, as `side` x `side`
// pixels in colour. Beyond the image its edge is repeated. Without aliasing for patches that shrink.
[[nodiscard]] cv::Mat cut_patch(const cv::Mat& pixels, const Keypoint& keypoint, double span, int side);

struct GalleryLine {
  std::string title, subtitle;   // "word 12", "834  2.1 %"
  Colour colour = 0;             // as on the overlays
  std::vector<cv::Mat> patches;  // CV_8UC3, all of one size; an empty one leaves its place free
};

// `columns` places of `side` pixels per line; `title_width` as `title_width(all lines)` gives it, so that
// pictures of parts of a gallery line up.
[[nodiscard]] cv::Mat draw_gallery(std::span<const GalleryLine> lines, int columns, int side,
                                   int title_width);
[[nodiscard]] int title_width(std::span<const GalleryLine> lines);

}  // namespace contexton
