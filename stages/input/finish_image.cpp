// From samples as a file stores them to the Image that stages work on: 8 bits, on white, upright.
#include "stages/input/finish_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "stages/input/exif.hpp"

namespace contexton {
namespace {

cv::Mat take_alpha(cv::Mat& pixels) {
  cv::Mat alpha;
  if (pixels.channels() != 2 && pixels.channels() != 4) return alpha;
  const int colours = pixels.channels() - 1;
  cv::extractChannel(pixels, alpha, colours);
  cv::Mat colour;
  if (colours == 1)
    cv::extractChannel(pixels, colour, 0);
  else
    cv::cvtColor(pixels, colour, cv::COLOR_BGRA2BGR);
  pixels = colour;
  return alpha;
}

cv::Mat scaled_to_8_bits(const cv::Mat& samples, double white) {
  cv::Mat eight;
  samples.convertTo(eight, CV_8U, 255.0 / white);
  return eight;
}

// Where the file does not say what white is: the smallest usual range that holds all samples.
int bits_in_use(const cv::Mat& samples) {
  double brightest = 0;
  cv::minMaxLoc(samples.reshape(1), nullptr, &brightest);
  for (const int bits : {8, 10, 12, 14})
    if (brightest < (1 << bits)) return bits;
  return 16;
}

cv::Mat from_16_bits(const RawImage& raw, Range16 range, std::vector<std::string>& notes) {
  constexpr double kFull = std::numeric_limits<std::uint16_t>::max();
  if (raw.white > 0 && raw.white < kFull) {
    notes.push_back(fmt::format("range 0..{} mapped to 8 bits", raw.white));
    return scaled_to_8_bits(raw.pixels, raw.white);
  }
  const int bits = range == Range16::full ? 16 : bits_in_use(raw.pixels);
  notes.push_back(fmt::format("{}-bit range mapped to 8 bits", bits));
  return scaled_to_8_bits(raw.pixels, (1 << bits) - 1);
}

// Pixels with a sample that is not a number get mask 0 and the value 0.
cv::Mat take_not_numbers(cv::Mat& samples) {
  cv::Mat mask;
  const int channels = samples.channels();
  for (int y = 0; y < samples.rows; ++y) {
    float* row = samples.ptr<float>(y);
    for (int i = 0; i < samples.cols * channels; ++i) {
      if (std::isfinite(row[i])) continue;
      if (mask.empty()) mask = cv::Mat(samples.size(), CV_8U, cv::Scalar(255));
      mask.at<std::uint8_t>(y, i / channels) = 0;
      row[i] = 0;
    }
  }
  return mask;
}

// Floats have no fixed white. 0..1 and 0..255 are the two conventions; anything else is stretched.
cv::Mat from_floats(cv::Mat& samples, cv::Mat& mask, std::vector<std::string>& notes) {
  mask = take_not_numbers(samples);
  if (!mask.empty()) {
    if (cv::countNonZero(mask) == 0)
      throw BadImage(ImageFault::empty, "no pixel of the image is a finite number");
    notes.emplace_back("pixels that are not finite numbers are masked");
  }
  double low = 0;
  double high = 0;
  cv::minMaxLoc(samples.reshape(1), &low, &high);
  if (low >= 0) low = 0;
  if (low == 0 && high <= 255) high = high <= 1 ? 1 : 255;
  if (high <= low) high = low + 1;
  notes.push_back(fmt::format("float range {:g}..{:g} mapped to 8 bits", low, high));
  cv::Mat eight;
  samples.convertTo(eight, CV_8U, 255.0 / (high - low), -low * 255.0 / (high - low));
  return eight;
}

cv::Mat to_8_bits(RawImage& raw, Range16 range, cv::Mat& mask, std::vector<std::string>& notes) {
  if (raw.pixels.depth() == CV_16U) return from_16_bits(raw, range, notes);
  if (raw.pixels.depth() == CV_32F) return from_floats(raw.pixels, mask, notes);
  if (raw.white > 0 && raw.white < 255) return scaled_to_8_bits(raw.pixels, raw.white);
  return raw.pixels;
}

std::uint8_t on_white(int sample, int alpha, bool premultiplied) {
  const int blended =
      premultiplied ? sample + 255 - alpha : (sample * alpha + 255 * (255 - alpha) + 127) / 255;
  return static_cast<std::uint8_t>(std::min(blended, 255));
}

void put_on_white(cv::Mat& pixels, const cv::Mat& alpha, bool premultiplied) {
  const int channels = pixels.channels();
  for (int y = 0; y < pixels.rows; ++y) {
    std::uint8_t* row = pixels.ptr(y);
    const std::uint8_t* opacity = alpha.ptr(y);
    for (int i = 0; i < pixels.cols * channels; ++i)
      row[i] = on_white(row[i], opacity[i / channels], premultiplied);
  }
}

// Puts the pixels on white; returns the mask, empty when no pixel is fully transparent.
cv::Mat settle_transparency(cv::Mat& pixels, const cv::Mat& alpha, bool premultiplied,
                            std::vector<std::string>& notes) {
  double most_transparent = 255;
  double most_opaque = 0;
  cv::minMaxLoc(alpha, &most_transparent, &most_opaque);
  if (most_transparent == 255) return {};
  if (most_opaque == 0) throw BadImage(ImageFault::empty, "every pixel of the image is transparent");
  put_on_white(pixels, alpha, premultiplied);
  notes.emplace_back("transparent parts put on white");
  if (most_transparent > 0) return {};
  notes.emplace_back("fully transparent pixels are masked");
  cv::Mat mask;
  cv::compare(alpha, 0, mask, cv::CMP_GT);
  return mask;
}

cv::Mat with_wanted_channels(const cv::Mat& pixels, bool gray) {
  if ((pixels.channels() == 1) == gray) return pixels;
  cv::Mat converted;
  cv::cvtColor(pixels, converted, gray ? cv::COLOR_BGR2GRAY : cv::COLOR_GRAY2BGR);
  return converted;
}

void reduce(Image& image, int max_side) {
  const int longest = std::max(image.pixels.cols, image.pixels.rows);
  if (max_side <= 0 || longest <= max_side) return;
  image.scale = static_cast<double>(max_side) / longest;
  const auto reduced = [&](int side) {
    return std::max(1, static_cast<int>(std::lround(side * image.scale)));
  };
  const cv::Size size(reduced(image.pixels.cols), reduced(image.pixels.rows));
  cv::resize(image.pixels, image.pixels, size, 0, 0, cv::INTER_AREA);
  if (!image.mask.empty()) cv::resize(image.mask, image.mask, size, 0, 0, cv::INTER_NEAREST);
}

}  // namespace

Image finish_image(RawImage raw, int orientation, const DecodeOptions& options) {
  Image image;
  image.notes = std::move(raw.notes);
  const cv::Mat alpha = take_alpha(raw.pixels);
  cv::Mat pixels = to_8_bits(raw, options.range16, image.mask, image.notes);
  if (!alpha.empty()) {
    const cv::Mat opacity = alpha.depth() == CV_16U ? scaled_to_8_bits(alpha, 65535) : alpha;
    image.mask = settle_transparency(pixels, opacity, raw.premultiplied, image.notes);
  }
  image.pixels = with_wanted_channels(pixels, options.gray);
  reduce(image, options.max_side);  // before turning, which then moves fewer pixels
  if (options.exif) {
    image.pixels = turned_upright(image.pixels, orientation);
    image.mask = turned_upright(image.mask, orientation);
  }
  return image;
}

}  // namespace contexton
