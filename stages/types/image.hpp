// One decoded image with the part of it that counts: what per-image stages work on.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace contexton {

struct Image {
  cv::Mat pixels;    // CV_8UC1 (gray) or CV_8UC3 (BGR), upright
  cv::Mat mask;      // CV_8UC1 of the same size, 0 = ignore; empty = everything counts
  cv::Mat truth;     // CV_8UC1 label map of the same size to score against; empty = none
  double scale = 1;  // pixels here / pixels in the file, after max_side
  std::vector<std::string>
      notes;  // what was done to get here that a user should know: "12-bit range mapped to 8 bits"
};

// The image as one gray channel; no copy when it is gray already.
cv::Mat gray_of(const Image& image);

}  // namespace contexton
