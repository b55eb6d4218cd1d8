// Portable bitmaps (PBM, PGM, PPM), text and binary, with any maximum value.
#include <algorithm>
#include <bit>
#include <cctype>
#include <opencv2/imgproc.hpp>

#include "stages/input/byte_reader.hpp"
#include "stages/input/codecs.hpp"

namespace contexton {
namespace {

constexpr const char* kTooFewPixels = "truncated: the PNM has fewer pixels than its header says";

// Walks over the numbers of a PNM, which are separated by white space and # comments.
class PnmText {
 public:
  explicit PnmText(FileBytes bytes, std::size_t position) : bytes_(bytes), position_(position) {}

  [[nodiscard]] std::size_t position() const { return position_; }

  int number() {
    skip_space();
    const std::size_t start = position_;
    int value = 0;
    for (; at_digit(); ++position_) {
      value = value * 10 + (bytes_[position_] - '0');
      if (value > kLargest)
        throw BadImage(ImageFault::damaged, "damaged: the PNM has an impossibly large number");
    }
    check_progress(start);
    return value;
  }

  // In text bitmaps the digits may touch each other.
  int bit() {
    skip_space();
    if (!at_digit()) check_progress(position_);
    return bytes_[position_++] != '0' ? 1 : 0;
  }

 private:
  static constexpr int kLargest = 100'000'000;

  [[nodiscard]] bool at_digit() const {
    return position_ < bytes_.size() && std::isdigit(bytes_[position_]) != 0;
  }

  void skip_space() {
    bool in_comment = false;
    for (; position_ < bytes_.size(); ++position_) {
      const std::uint8_t byte = bytes_[position_];
      if (byte == '#') in_comment = true;
      if (byte == '\n' || byte == '\r') in_comment = false;
      if (!in_comment && std::isspace(byte) == 0) return;
    }
  }

  void check_progress(std::size_t start) const {
    if (position_ != start) return;
    if (position_ >= bytes_.size()) throw BadImage(ImageFault::truncated, kTooFewPixels);
    throw BadImage(ImageFault::damaged, "damaged: the PNM has something else where a number should be");
  }

  FileBytes bytes_;
  std::size_t position_;
};

struct PnmLayout {
  int width = 0;
  int height = 0;
  int channels = 1;
  int white = 255;         // the maximum value; unused for bitmaps, where 1 is black
  bool bitmap = false;     // one bit for a pixel
  bool binary = false;     // otherwise numbers written as text
  std::size_t pixels = 0;  // where they begin
};

PnmLayout read_layout(FileBytes bytes) {
  const int kind = bytes[1] - '0';
  PnmLayout layout;
  layout.bitmap = kind == 1 || kind == 4;
  layout.channels = kind == 3 || kind == 6 ? 3 : 1;
  layout.binary = kind >= 4;
  PnmText text(bytes, 2);
  layout.width = text.number();
  layout.height = text.number();
  if (!layout.bitmap) layout.white = text.number();
  if (layout.white < 1 || layout.white > 65535)
    throw BadImage(ImageFault::damaged, "damaged: the PNM has an impossible maximum value");
  layout.pixels = text.position() + 1;  // exactly one white space ends the header
  return layout;
}

// Bytes that the pixels take; for text the fewest that can hold them.
std::size_t smallest_size(const PnmLayout& layout) {
  const auto width = static_cast<std::size_t>(layout.width);
  const auto height = static_cast<std::size_t>(layout.height);
  if (layout.bitmap) return layout.binary ? (width + 7) / 8 * height : width * height;
  const std::size_t samples = width * height * static_cast<std::size_t>(layout.channels);
  if (layout.binary) return layout.white > 255 ? 2 * samples : samples;
  return 2 * samples - 1;  // a digit each, and a space between
}

bool is_short(const PnmLayout& layout, FileBytes bytes) {
  return layout.pixels > bytes.size() || smallest_size(layout) > bytes.size() - layout.pixels;
}

cv::Mat bitmap_pixels(const PnmLayout& layout, FileBytes bytes) {
  cv::Mat pixels(layout.height, layout.width, CV_8UC1);
  PnmText text(bytes, layout.pixels);
  const std::uint8_t* packed = bytes.data() + layout.pixels;
  for (int y = 0; y < layout.height; ++y, packed += (layout.width + 7) / 8) {
    std::uint8_t* row = pixels.ptr(y);
    for (int x = 0; x < layout.width; ++x) {
      const int black = layout.binary ? packed[x / 8] >> (7 - x % 8) & 1 : text.bit();
      row[x] = black != 0 ? 0 : 255;
    }
  }
  return pixels;
}

template <typename Sample>
cv::Mat text_samples(const PnmLayout& layout, FileBytes bytes) {
  cv::Mat pixels(layout.height, layout.width, CV_MAKETYPE(cv::DataType<Sample>::depth, layout.channels));
  PnmText text(bytes, layout.pixels);
  for (int y = 0; y < layout.height; ++y) {
    Sample* row = pixels.ptr<Sample>(y);
    for (int i = 0; i < layout.width * layout.channels; ++i)
      row[i] = static_cast<Sample>(std::min(text.number(), layout.white));
  }
  return pixels;
}

cv::Mat binary_8_bit_samples(const PnmLayout& layout, FileBytes bytes) {
  // A view is enough: every way on from here makes a copy, except that of a gray picture.
  const cv::Mat view(layout.height, layout.width, CV_8UC(layout.channels),
                     const_cast<std::uint8_t*>(bytes.data()) + layout.pixels);
  return layout.channels == 1 ? view.clone() : view;
}

cv::Mat binary_16_bit_samples(const PnmLayout& layout, FileBytes bytes) {
  cv::Mat pixels(layout.height, layout.width, CV_16UC(layout.channels));
  const std::uint8_t* next = bytes.data() + layout.pixels;
  for (int y = 0; y < layout.height; ++y) {
    std::uint16_t* row = pixels.ptr<std::uint16_t>(y);
    for (int i = 0; i < layout.width * layout.channels; ++i, next += 2)
      row[i] = static_cast<std::uint16_t>(next[0] << 8 | next[1]);
  }
  return pixels;
}

cv::Mat sample_pixels(const PnmLayout& layout, FileBytes bytes) {
  const bool wide = layout.white > 255;
  if (layout.binary) return wide ? binary_16_bit_samples(layout, bytes) : binary_8_bit_samples(layout, bytes);
  return wide ? text_samples<std::uint16_t>(layout, bytes) : text_samples<std::uint8_t>(layout, bytes);
}

}  // namespace

StoredHeader pnm_header(FileBytes bytes) {
  const PnmLayout layout = read_layout(bytes);
  StoredHeader stored{
      .image = {
          .format = ImageFormat::pnm,
          .width = layout.width,
          .height = layout.height,
          .channels = layout.channels,
          .bits = layout.bitmap ? 1 : static_cast<int>(std::bit_width(static_cast<unsigned>(layout.white)))}};
  if (is_short(layout, bytes)) stored.truncation = kTooFewPixels;
  return stored;
}

RawImage decode_pnm(FileBytes bytes) {
  const PnmLayout layout = read_layout(bytes);
  RawImage raw;
  if (layout.bitmap) {
    raw.pixels = bitmap_pixels(layout, bytes);
    return raw;
  }
  raw.white = layout.white;
  const cv::Mat samples = sample_pixels(layout, bytes);
  if (layout.channels == 3)
    cv::cvtColor(samples, raw.pixels, cv::COLOR_RGB2BGR);
  else
    raw.pixels = samples;
  return raw;
}

}  // namespace contexton
