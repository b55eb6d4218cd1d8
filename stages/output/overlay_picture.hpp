// An image with its primitives drawn over it, coloured by label.
#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "stages/output/drawing.hpp"
#include "stages/output/label_style.hpp"
#include "stages/types/image.hpp"
#include "stages/types/primitives.hpp"

namespace contexton {

struct OverlayOptions {
  int max_side = 1024;  // pixels; small images are enlarged by a whole number, at most 4, within it
  MarkShape shape = MarkShape::disc;
  double opacity = 0.4;  // of the marks' inside
  double size = 4;       // diameter of a mark in units of the primitive's scale
};

// The image in dim gray and a mark for every primitive, large ones first so that small ones stay visible.
// `labels` has a label per primitive (negative or beyond the style: unlabelled, drawn in light gray without
// inside), or is empty: then all marks have one colour. The image may be of another size than the
// primitives'.
[[nodiscard]] cv::Mat overlay_picture(const Image& image, const ImagePrimitives& primitives,
                                      std::span<const std::int32_t> labels, const LabelStyle& style,
                                      const OverlayOptions& options);

// The picture with a strip below it: the colour and name of every label, and how many of `labels` have it.
[[nodiscard]] cv::Mat with_legend(const cv::Mat& picture, std::span<const std::int32_t> labels,
                                  const LabelStyle& style);

}  // namespace contexton
