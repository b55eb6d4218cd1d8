// Masks and ground truth: decoded without any change of values, then made to fit their image.
#include "stages/input/label_map.hpp"

#include <fmt/format.h>

#include <opencv2/imgcodecs.hpp>
#include <utility>

#include "stages/input/exif.hpp"

namespace contexton {
namespace {

using Bytes = std::span<const std::uint8_t>;

// The file's samples, one channel where all channels are the same. 8 bits, or more where the file has more.
struct Samples {
  cv::Mat values;
  ImageHeader header;
  bool colour = false;
};

bool equal_channels(const std::vector<cv::Mat>& channels) {
  for (std::size_t i = 1; i < channels.size(); ++i)
    if (cv::norm(channels[0], channels[i], cv::NORM_INF) != 0) return false;
  return true;
}

// Files of more than 8 bits are read once more without the mapping to 8 bits that is right for photographs.
cv::Mat deep_values(Bytes bytes) {
  const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8U, const_cast<std::uint8_t*>(bytes.data()));
  cv::Mat values = cv::imdecode(encoded, cv::IMREAD_UNCHANGED);
  if (values.empty())
    throw BadImage(ImageFault::unsupported, "its samples of more than 8 bits cannot be read");
  return values;
}

Samples read_samples(Bytes bytes, const DecodeOptions& image_options) {
  DecodeOptions options;
  options.gray = false;
  options.exif = image_options.exif;
  options.max_pixels = image_options.max_pixels;
  Samples samples;
  samples.header = probe_image(bytes, options);
  const Image decoded = decode_image(bytes, options);  // also finds every damage
  cv::Mat pixels = decoded.pixels;
  if (samples.header.bits > 8) {
    pixels = deep_values(bytes);
    if (options.exif) pixels = turned_upright(pixels, samples.header.orientation);
  }
  std::vector<cv::Mat> channels;
  cv::split(pixels, channels);
  if (channels.size() == 2 || channels.size() == 4) channels.pop_back();  // alpha
  if (equal_channels(channels)) {
    samples.values = channels[0];
  } else {
    samples.colour = true;
    samples.values = channels[0];
    for (const cv::Mat& channel : channels) cv::max(samples.values, channel, samples.values);
  }
  // Transparent is nothing, whatever colour lies below it.
  if (!decoded.mask.empty()) samples.values.setTo(0, decoded.mask == 0);
  return samples;
}

cv::Mat fitted(const cv::Mat& values, const ImageHeader& image, const DecodeOptions& options) {
  if (values.cols == image.width && values.rows == image.height) return values;
  cv::Size stored(image.width, image.height);
  if (options.exif && swaps_sides(image.orientation)) std::swap(stored.width, stored.height);
  if (options.exif && values.size() == stored) return turned_upright(values, image.orientation);
  throw BadImage(ImageFault::unsupported, fmt::format("is {} x {} pixels, its image {} x {}", values.cols,
                                                      values.rows, image.width, image.height));
}

}  // namespace

cv::Mat read_mask(Bytes bytes, const ImageHeader& image, const DecodeOptions& options) {
  const Samples samples = read_samples(bytes, options);
  cv::Mat counts;
  cv::compare(samples.values, samples.header.format == ImageFormat::jpeg ? 127 : 0, counts, cv::CMP_GT);
  counts = fitted(counts, image, options);
  if (cv::countNonZero(counts) == 0) throw BadImage(ImageFault::empty, "is empty: every pixel is 0");
  return counts;
}

cv::Mat read_truth(Bytes bytes, const ImageHeader& image, const DecodeOptions& options) {
  const Samples samples = read_samples(bytes, options);
  if (samples.header.format == ImageFormat::jpeg)
    throw BadImage(ImageFault::unsupported, "is a JPEG, which does not keep label values; use PNG");
  if (samples.colour)
    throw BadImage(ImageFault::unsupported, "is a colour picture; a label map has one gray value per label");
  double least = 0, most = 0;
  cv::minMaxLoc(samples.values, &least, &most);
  if (least < 0 || most > 255)
    throw BadImage(ImageFault::unsupported,
                   fmt::format("has labels from {} to {}; 0 to 255 are possible", least, most));
  cv::Mat labels;
  samples.values.convertTo(labels, CV_8U);
  return fitted(labels, image, options);
}

}  // namespace contexton
