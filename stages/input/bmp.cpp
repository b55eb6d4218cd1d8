// BMP files: 1 to 32 bits for a pixel, plain, run-length encoded or with bit masks.
//
// Not left to OpenCV, which prints its own messages about files that are cut, and takes the unused byte of
// 32-bit pixels for transparency.
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>

#include "stages/input/byte_reader.hpp"
#include "stages/input/codecs.hpp"
#include "stages/input/indexed_pixels.hpp"

namespace contexton {
namespace {

constexpr std::uint32_t kPlain = 0, kRunLengths8 = 1, kRunLengths4 = 2, kMasks = 3, kMasksWithAlpha = 6;
constexpr std::size_t kFileHeaderSize = 14;
constexpr std::uint32_t kOs2HeaderSize = 12;
constexpr std::uint32_t kHeaderSizeWithAlphaMask = 56;
constexpr std::size_t kMasksOffset = 54;
constexpr const char* kTooFewPixels = "truncated: the BMP has fewer pixels than its header says";

struct BmpLayout {
  std::uint32_t header_size = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool from_top = false;
  int bits = 0;
  std::uint32_t compression = kPlain;
  std::uint32_t palette_entries = 0;
  std::size_t pixels = 0;  // where they begin

  [[nodiscard]] bool run_lengths() const {
    return compression == kRunLengths8 || compression == kRunLengths4;
  }
  [[nodiscard]] std::size_t row_size() const { return static_cast<std::size_t>((width * bits + 7) / 8); }
  [[nodiscard]] std::size_t stride() const { return (row_size() + 3) / 4 * 4; }
  [[nodiscard]] int row_in_picture(std::int64_t stored_row) const {
    return static_cast<int>(from_top ? stored_row : height - 1 - stored_row);
  }
};

bool is_supported(const BmpLayout& layout) {
  switch (layout.bits) {
    case 1:
    case 24:
      return layout.compression == kPlain;
    case 4:
      return layout.compression == kPlain || layout.compression == kRunLengths4;
    case 8:
      return layout.compression == kPlain || layout.compression == kRunLengths8;
    case 16:
    case 32:
      return layout.compression == kPlain || layout.compression == kMasks ||
             layout.compression == kMasksWithAlpha;
    default:
      return false;
  }
}

BmpLayout read_layout(FileBytes bytes) {
  const ByteReader file(bytes, std::endian::little);
  BmpLayout layout;
  layout.pixels = file.u32(10);
  layout.header_size = file.u32(kFileHeaderSize);
  if (layout.header_size == kOs2HeaderSize) {
    layout.width = file.u16(18);
    layout.height = file.u16(20);
    layout.bits = static_cast<int>(file.u16(24));
  } else {
    const auto height = static_cast<std::int32_t>(file.u32(22));
    layout.width = static_cast<std::int32_t>(file.u32(18));
    layout.height = std::abs(std::int64_t{height});
    layout.from_top = height < 0;
    layout.bits = static_cast<int>(file.u16(28));
    layout.compression = file.u32(30);
    layout.palette_entries = file.u32(46);
  }
  if (!is_supported(layout))
    throw BadImage(ImageFault::unsupported,
                   "a kind of BMP that is not supported, or damaged: " + std::to_string(layout.bits) +
                       " bits for a pixel, compression " + std::to_string(layout.compression));
  return layout;
}

bool is_short(const BmpLayout& layout, FileBytes bytes) {
  if (layout.pixels > bytes.size()) return true;
  if (layout.run_lengths() || layout.height <= 0 || layout.width <= 0) return false;
  const std::size_t rows_but_last = layout.stride() * static_cast<std::size_t>(layout.height - 1);
  return rows_but_last + layout.row_size() > bytes.size() - layout.pixels;
}

Palette read_palette(const BmpLayout& layout, FileBytes bytes) {
  const ByteReader file(bytes, std::endian::little);
  const std::size_t start = kFileHeaderSize + layout.header_size;
  const std::size_t entry_size = layout.header_size == kOs2HeaderSize ? 3 : 4;
  const std::size_t all = std::size_t{1} << layout.bits;
  const std::size_t entries =
      layout.palette_entries == 0 ? all : std::min<std::size_t>(layout.palette_entries, all);
  Palette palette{};
  for (std::size_t i = 0; i < entries; ++i) {
    const FileBytes entry = file.block(start + i * entry_size, 3);
    palette[i] = cv::Vec3b(entry[0], entry[1], entry[2]);
  }
  return palette;
}

// Run lengths may leave pixels out and jump; what is never mentioned keeps index 0.
class RunLengths {
 public:
  RunLengths(const BmpLayout& layout, FileBytes codes)
      : layout_(layout),
        codes_(codes),
        indices_(cv::Mat::zeros(static_cast<int>(layout.height), static_cast<int>(layout.width), CV_8UC1)) {}

  cv::Mat decode() {
    constexpr int kEndOfRow = 0, kEndOfPicture = 1, kJump = 2;
    while (row_ < layout_.height) {
      const int count = take();
      const int code = take();
      if (count > 0) {
        repeat(count, code);
      } else if (code == kEndOfPicture) {
        break;
      } else if (code == kEndOfRow) {
        column_ = 0;
        ++row_;
      } else if (code == kJump) {
        column_ += take();
        row_ += take();
      } else {
        copy(code);
      }
      if (row_ == layout_.height - 1 && column_ == layout_.width && next_ >= codes_.size())
        break;  // no end code
    }
    return indices_;
  }

 private:
  int take() {
    if (next_ >= codes_.size()) throw BadImage(ImageFault::truncated, kTooFewPixels);
    return codes_[next_++];
  }

  [[nodiscard]] int nibble(int byte, int i) const {
    if (layout_.bits == 8) return byte;
    return i % 2 == 0 ? byte >> 4 : byte & 15;
  }

  void put(int index) {
    if (column_ >= layout_.width || row_ >= layout_.height)
      throw BadImage(ImageFault::damaged, "damaged BMP: pixels outside the picture");
    indices_.at<std::uint8_t>(layout_.row_in_picture(row_), static_cast<int>(column_++)) =
        static_cast<std::uint8_t>(index);
  }

  void repeat(int count, int code) {
    for (int i = 0; i < count; ++i) put(nibble(code, i));
  }

  void copy(int count) {
    const int per_byte = 8 / layout_.bits;
    int byte = 0;
    for (int i = 0; i < count; ++i) {
      if (i % per_byte == 0) byte = take();
      put(nibble(byte, i));
    }
    const bool odd = (count + per_byte - 1) / per_byte % 2 != 0;
    if (odd && next_ < codes_.size()) ++next_;  // copies fill whole 16-bit words
  }

  const BmpLayout& layout_;
  FileBytes codes_;
  cv::Mat indices_;
  std::size_t next_ = 0;
  std::int64_t row_ = 0;
  std::int64_t column_ = 0;
};

cv::Mat plain_indices(const BmpLayout& layout, FileBytes rows) {
  cv::Mat indices(static_cast<int>(layout.height), static_cast<int>(layout.width), CV_8UC1);
  for (std::int64_t row = 0; row < layout.height; ++row)
    unpack_row(rows.data() + static_cast<std::size_t>(row) * layout.stride(), layout.bits, indices.cols,
               indices.ptr(layout.row_in_picture(row)));
  return indices;
}

cv::Mat plain_bgr(const BmpLayout& layout, FileBytes rows) {
  cv::Mat pixels(static_cast<int>(layout.height), static_cast<int>(layout.width), CV_8UC3);
  for (std::int64_t row = 0; row < layout.height; ++row)
    std::memcpy(pixels.ptr(layout.row_in_picture(row)),
                rows.data() + static_cast<std::size_t>(row) * layout.stride(), layout.row_size());
  return pixels;
}

// One channel inside a 16- or 32-bit pixel.
struct Mask {
  std::uint32_t bits = 0;

  [[nodiscard]] std::uint8_t sample(std::uint32_t pixel) const {
    if (bits == 0) return 0;
    const int shift = std::countr_zero(bits);
    const std::uint64_t largest = bits >> shift;
    return static_cast<std::uint8_t>(((pixel & bits) >> shift) * std::uint64_t{255} / largest);
  }
};

using Masks = std::array<Mask, 4>;  // blue, green, red, alpha

Masks read_masks(const BmpLayout& layout, FileBytes bytes) {
  if (layout.compression == kPlain && layout.bits == 16) return {{{0x1f}, {0x3e0}, {0x7c00}, {0}}};
  if (layout.compression == kPlain) return {{{0xff}, {0xff00}, {0xff0000}, {0}}};
  const ByteReader file(bytes, std::endian::little);
  const bool has_alpha =
      layout.compression == kMasksWithAlpha || layout.header_size >= kHeaderSizeWithAlphaMask;
  return {{{file.u32(kMasksOffset + 8)},
           {file.u32(kMasksOffset + 4)},
           {file.u32(kMasksOffset)},
           {has_alpha ? file.u32(kMasksOffset + 12) : 0}}};
}

cv::Mat masked_pixels(const BmpLayout& layout, FileBytes rows, const Masks& masks) {
  const int channels = masks[3].bits != 0 ? 4 : 3;
  const std::size_t pixel_size = static_cast<std::size_t>(layout.bits / 8);
  cv::Mat pixels(static_cast<int>(layout.height), static_cast<int>(layout.width), CV_8UC(channels));
  for (std::int64_t row = 0; row < layout.height; ++row) {
    const ByteReader stored(rows.subspan(static_cast<std::size_t>(row) * layout.stride(), layout.row_size()),
                            std::endian::little);
    std::uint8_t* samples = pixels.ptr(layout.row_in_picture(row));
    for (std::size_t at = 0; at < stored.size(); at += pixel_size) {
      const std::uint32_t pixel = pixel_size == 2 ? stored.u16(at) : stored.u32(at);
      for (int c = 0; c < channels; ++c) *samples++ = masks[static_cast<std::size_t>(c)].sample(pixel);
    }
  }
  return pixels;
}

// Programs that know no transparency leave the alpha bytes zero; all invisible means all visible.
void drop_unused_alpha(cv::Mat& pixels) {
  if (pixels.channels() != 4) return;
  cv::Mat alpha;
  cv::extractChannel(pixels, alpha, 3);
  if (cv::countNonZero(alpha) == 0) pixels |= cv::Scalar(0, 0, 0, 255);
}

}  // namespace

StoredHeader bmp_header(FileBytes bytes) {
  const BmpLayout layout = read_layout(bytes);
  StoredHeader stored{.image = {.format = ImageFormat::bmp,
                                .width = static_cast<int>(layout.width),
                                .height = static_cast<int>(std::min<std::int64_t>(layout.height, INT32_MAX)),
                                .channels = layout.bits <= 8 ? 1 : 3,
                                .bits = std::min(layout.bits, 8)}};
  if (is_short(layout, bytes)) stored.truncation = kTooFewPixels;
  return stored;
}

RawImage decode_bmp(FileBytes bytes) {
  const BmpLayout layout = read_layout(bytes);
  const FileBytes rows = bytes.subspan(layout.pixels);
  RawImage raw;
  if (layout.run_lengths())
    raw.pixels = look_up(RunLengths(layout, rows).decode(), read_palette(layout, bytes));
  else if (layout.bits <= 8)
    raw.pixels = look_up(plain_indices(layout, rows), read_palette(layout, bytes));
  else if (layout.bits == 24)
    raw.pixels = plain_bgr(layout, rows);
  else
    raw.pixels = masked_pixels(layout, rows, read_masks(layout, bytes));
  drop_unused_alpha(raw.pixels);
  return raw;
}

}  // namespace contexton
