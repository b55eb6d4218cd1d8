// One decoded image with the part of it that counts: what per-image stages work on.
#include "stages/types/image.hpp"

#include <opencv2/imgproc.hpp>

namespace contexton {

cv::Mat gray_of(const Image& image) {
  if (image.pixels.empty() || image.pixels.channels() == 1) return image.pixels;
  cv::Mat gray;
  cv::cvtColor(image.pixels, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

}  // namespace contexton
