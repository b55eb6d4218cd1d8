// Images and comparisons that the tests of local features share.
#pragma once

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "models/random.hpp"
#include "stages/types/image.hpp"
#include "stages/types/primitives.hpp"

namespace contexton::testing {

// Smoothed noise stretched over all gray values: blobs of many sizes, no two places alike.
inline cv::Mat blobs(int width, int height, std::uint64_t seed) {
  Random random(seed);
  cv::Mat noise(height, width, CV_32F), fine, coarse, gray;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) noise.at<float>(y, x) = static_cast<float>(random.uniform(-1, 1));
  cv::GaussianBlur(noise, fine, {}, 1.5);
  cv::GaussianBlur(noise, coarse, {}, 5);
  cv::normalize(fine + 3 * coarse, gray, 0, 255, cv::NORM_MINMAX, CV_8U);
  return gray;
}

inline cv::Mat checkerboard(int width, int height, int cell) {
  cv::Mat gray(height, width, CV_8U);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) gray.at<std::uint8_t>(y, x) = (x / cell + y / cell) % 2 == 0 ? 0 : 255;
  return gray;
}

inline Image image_of(const cv::Mat& pixels) {
  Image image;
  image.pixels = pixels;
  return image;
}

// Images too small or too plain for any keypoint, and shapes that break careless loops.
inline std::vector<cv::Size> odd_sizes() {
  return {{1, 1}, {1, 2}, {2, 2}, {60, 1}, {1, 60}, {3, 3}, {5, 5}, {6, 6}, {12, 12}, {4000, 3}, {3, 4000}};
}

inline double norm_of(std::span<const float> row) {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

inline bool same_keypoint(const Keypoint& a, const Keypoint& b) {
  return a.x == b.x && a.y == b.y && a.scale == b.scale && a.angle == b.angle;
}

inline std::span<const std::byte> row_bytes(const ImagePrimitives& primitives, std::size_t i) {
  const std::size_t size = primitives.descriptors.row_bytes();
  return {static_cast<const std::byte*>(primitives.descriptors.data) + i * size, size};
}

inline bool same_row(const ImagePrimitives& a, std::size_t i, const ImagePrimitives& b, std::size_t j) {
  const auto first = row_bytes(a, i), second = row_bytes(b, j);
  return same_keypoint(a.keypoints[i], b.keypoints[j]) && first.size() == second.size() &&
         std::memcmp(first.data(), second.data(), first.size()) == 0;
}

inline bool same_primitives(const ImagePrimitives& a, const ImagePrimitives& b) {
  if (a.size() != b.size() || a.width != b.width || a.height != b.height) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_row(a, i, b, i)) return false;
  return true;
}

// Whether `part` is made of rows of `whole` in the same order.
inline bool is_subsequence(const ImagePrimitives& part, const ImagePrimitives& whole) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < whole.size() && next < part.size(); ++i)
    if (same_row(part, next, whole, i)) ++next;
  return next == part.size();
}

inline bool lies_inside(const ImagePrimitives& primitives) {
  for (const Keypoint& keypoint : primitives.keypoints)
    if (keypoint.x < 0 || keypoint.y < 0 || keypoint.x > static_cast<float>(primitives.width - 1) ||
        keypoint.y > static_cast<float>(primitives.height - 1))
      return false;
  return true;
}

// Describes images of several sizes on 8 threads at once, many times over; each result must be what one
// thread gives.
template <class Describe>
void expect_the_same_on_many_threads(const Describe& describe) {
  std::vector<cv::Mat> images;
  for (int i = 0; i < 6; ++i)
    images.push_back(blobs(90 + 17 * i, 150 - 13 * i, static_cast<std::uint64_t>(i)));
  std::vector<ImagePrimitives> expected;
  for (const cv::Mat& image : images) expected.push_back(describe(image));
  constexpr std::size_t kRuns = 48;
  std::vector<ImagePrimitives> found(kRuns);
  const tbb::global_control eight(tbb::global_control::max_allowed_parallelism,
                                  8);  // even on a small machine
  tbb::task_arena(8).execute([&] {
    tbb::parallel_for(
        std::size_t{0}, kRuns, [&](std::size_t i) { found[i] = describe(images[i % images.size()]); },
        tbb::simple_partitioner());
  });
  for (std::size_t i = 0; i < kRuns; ++i) {
    EXPECT_GT(found[i].size(), 0U);
    EXPECT_TRUE(same_primitives(found[i], expected[i % images.size()])) << i;
  }
}

}  // namespace contexton::testing
