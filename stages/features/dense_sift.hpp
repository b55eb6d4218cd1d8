// SIFT descriptors on a regular grid at several bin sizes (VLFeat's vl_dsift), aligned and smoothed as PHOW
// does.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "models/rows.hpp"
#include "stages/types/primitives.hpp"

namespace contexton {

struct DenseSiftOptions {
  int step = 8;                      // pixels between centres, >= 1
  std::vector<int> bin_sizes{4, 8};  // pixels, each >= 1 and once; a descriptor has 4 bins each way
  double magnification = 6;   // an image is smoothed by sigma = bin size / magnification; 0 = not at all
  bool flat_window = true;    // box instead of Gaussian window: much faster, nearly the same descriptors
  double contrast_floor = 0;  // mean gradient per pixel, gray values from 0 to 1
  bool keep_flat = false;     // below the floor: a row of zeros instead of none
  bool root_sift = false;
  Rows::Type descriptor = Rows::Type::uint8;
  std::int64_t max_per_image = 0;  // a random subset of this size; 0 = all
};

// Pixels an image must have each way for a descriptor of this bin size: its 4 x 4 bin centres lie inside.
constexpr int dense_sift_support(int bin_size) {
  return 3 * bin_size + 1;
}

// Describes a gray image (CV_8UC1) wherever `mask` (CV_8UC1 of the same size, or empty) is not 0 at the
// descriptor's centre. Order: by bin size, then rows, then columns of the grid. A size the image is too small
// for gives nothing.
//
// Centres of all sizes coincide (to half a pixel when odd and even sizes are mixed): every grid starts where
// the largest size that fits has its first centre. Keypoint.scale is bin size / 3, because SIFT at sigma uses
// bins of 3 sigma; the angle is 0. Values are in vl_dsift's own order for a row-major image: bin row, bin
// column, orientation, that is value[8 (4 row + column) + orientation], where orientation o points 45 o
// degrees clockwise on screen from the x axis (counter-clockwise in features.sift: the two do not compare).
//
// `seed` chooses the subset for max_per_image. Thread-safe. Every thread keeps its work buffers (about 50
// bytes per pixel, at most 128 MB) for the next image, because fresh pages cost a fifth of the whole
// computation.
[[nodiscard]] ImagePrimitives dense_sift(const cv::Mat& gray, const cv::Mat& mask,
                                         const DenseSiftOptions& options, std::uint64_t seed);

}  // namespace contexton
