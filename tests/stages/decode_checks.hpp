// What the tests of decoding share: options, and ways to look at an image or at a refusal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "stages/input/decode.hpp"
#include "tests/stages/made_images.hpp"

namespace contexton {

using made::Bytes;
using made::bytes_of;
using made::encoded;
using made::gray_picture;
using made::picture;
using made::operator+;

inline const DecodeOptions kGray{};
inline const DecodeOptions kColour{.gray = false};

inline double largest_difference(const cv::Mat& a, const cv::Mat& b) {
  if (a.size() != b.size() || a.type() != b.type()) return std::numeric_limits<double>::infinity();
  return cv::norm(a, b, cv::NORM_INF);
}

inline cv::Mat gray_by_opencv(const cv::Mat& bgr) {
  cv::Mat gray;
  cv::cvtColor(bgr, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

struct Refusal {
  bool refused = false;
  ImageFault fault{};
  std::string message;
};

template <typename Action>
Refusal refusal_of(Action action) {
  try {
    action();
  } catch (const BadImage& bad) {
    return {true, bad.fault(), bad.what()};
  }
  return {};
}

inline Refusal decode_refusal(const Bytes& bytes, const DecodeOptions& options = {}) {
  return refusal_of([&] { (void)decode_image(bytes, options); });
}

inline Refusal probe_refusal(const Bytes& bytes, const DecodeOptions& options = {}) {
  return refusal_of([&] { (void)probe_image(bytes, options); });
}

inline void expect_refused(const Refusal& refusal, ImageFault fault, const std::string& words) {
  EXPECT_TRUE(refusal.refused);
  EXPECT_EQ(refusal.fault, fault) << refusal.message;
  EXPECT_NE(refusal.message.find(words), std::string::npos) << refusal.message;
}

inline Bytes cut(const Bytes& bytes, std::size_t length) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)};
}

inline bool has_note(const Image& image, const std::string& words) {
  return std::ranges::any_of(image.notes,
                             [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

inline std::vector<int> values_of(const cv::Mat& row) {
  return {row.begin<std::uint8_t>(), row.end<std::uint8_t>()};
}

}  // namespace contexton
