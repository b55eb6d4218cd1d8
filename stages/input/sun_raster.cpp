// Sun raster files (.ras): 1, 8, 24 and 32 bits, plain or run-length encoded.
//
// Not left to OpenCV, which decodes gray ones to black and takes run-length codes for pixels.
#include <bit>
#include <opencv2/imgproc.hpp>

#include "stages/input/byte_reader.hpp"
#include "stages/input/codecs.hpp"
#include "stages/input/indexed_pixels.hpp"

namespace contexton {
namespace {

constexpr std::size_t kHeaderSize = 32;
constexpr std::uint32_t kRunLengths = 2, kRgbOrder = 3;  // types; 0 and 1 are plain with BGR order
constexpr std::uint32_t kNoMap = 0, kRgbMap = 1;
constexpr const char* kTooFewPixels = "truncated: the Sun raster has fewer pixels than its header says";

struct SunLayout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int bits = 0;
  std::uint32_t type = 0;
  std::uint32_t map_type = 0;
  std::size_t map_size = 0;

  [[nodiscard]] std::size_t stride() const { return static_cast<std::size_t>((width * bits + 15) / 16 * 2); }
  [[nodiscard]] std::size_t unpacked_size() const { return stride() * static_cast<std::size_t>(height); }
  [[nodiscard]] std::size_t pixels() const { return kHeaderSize + map_size; }
};

SunLayout read_layout(FileBytes bytes) {
  const ByteReader file(bytes, std::endian::big);
  SunLayout layout{.width = static_cast<std::int32_t>(file.u32(4)),
                   .height = static_cast<std::int32_t>(file.u32(8)),
                   .bits = static_cast<int>(file.u32(12)),
                   .type = file.u32(20),
                   .map_type = file.u32(24),
                   .map_size = file.u32(28)};
  const int bits = layout.bits;
  if ((bits != 1 && bits != 8 && bits != 24 && bits != 32) || layout.type > kRgbOrder)
    throw BadImage(ImageFault::unsupported,
                   "a kind of Sun raster that is not supported, or damaged: " + std::to_string(bits) +
                       " bits for a pixel, type " + std::to_string(layout.type));
  return layout;
}

std::vector<std::uint8_t> undo_run_lengths(FileBytes codes, std::size_t size) {
  constexpr std::uint8_t kEscape = 0x80;
  std::vector<std::uint8_t> unpacked;
  unpacked.reserve(size);
  std::size_t next = 0;
  const auto take = [&] {
    if (next >= codes.size()) throw BadImage(ImageFault::truncated, kTooFewPixels);
    return codes[next++];
  };
  while (unpacked.size() < size) {
    const std::uint8_t code = take();
    const std::size_t repeats = code == kEscape ? take() : 0;
    const std::uint8_t value = repeats > 0 ? take() : code;
    unpacked.insert(unpacked.end(), std::min(repeats + 1, size - unpacked.size()), value);
  }
  return unpacked;
}

Palette read_palette(const SunLayout& layout, FileBytes bytes) {
  Palette palette{};
  if (layout.map_type != kRgbMap) {
    for (std::size_t i = 0; i < palette.size(); ++i)
      palette[i] = cv::Vec3b::all(static_cast<std::uint8_t>(i));
    if (layout.bits == 1) palette[0] = cv::Vec3b::all(255), palette[1] = cv::Vec3b::all(0);  // ink on paper
    return palette;
  }
  const FileBytes map = bytes.subspan(kHeaderSize, layout.map_size);
  const std::size_t entries = map.size() / 3;  // all reds, all greens, all blues
  for (std::size_t i = 0; i < std::min(entries, palette.size()); ++i)
    palette[i] = cv::Vec3b(map[2 * entries + i], map[entries + i], map[i]);
  for (std::size_t i = entries; i < palette.size(); ++i) palette[i] = palette[0];
  return palette;
}

cv::Mat indexed(const SunLayout& layout, const std::uint8_t* rows, const Palette& palette) {
  cv::Mat indices(static_cast<int>(layout.height), static_cast<int>(layout.width), CV_8UC1);
  for (int y = 0; y < indices.rows; ++y)
    unpack_row(rows + static_cast<std::size_t>(y) * layout.stride(), layout.bits, indices.cols,
               indices.ptr(y));
  return look_up(indices, palette);
}

cv::Mat true_colour(const SunLayout& layout, const std::uint8_t* rows) {
  const int channels = layout.bits / 8;
  const int first = channels - 3;  // 32 bits begin with an unused byte
  cv::Mat pixels(static_cast<int>(layout.height), static_cast<int>(layout.width), CV_8UC3);
  for (int y = 0; y < pixels.rows; ++y, rows += layout.stride())
    for (int x = 0; x < pixels.cols; ++x) {
      const std::uint8_t* stored = rows + x * channels + first;
      pixels.at<cv::Vec3b>(y, x) = cv::Vec3b(stored[0], stored[1], stored[2]);
    }
  if (layout.type == kRgbOrder) cv::cvtColor(pixels, pixels, cv::COLOR_RGB2BGR);
  return pixels;
}

}  // namespace

StoredHeader sun_raster_header(FileBytes bytes) {
  const SunLayout layout = read_layout(bytes);
  StoredHeader stored{.image = {.format = ImageFormat::sun_raster,
                                .width = static_cast<int>(layout.width),
                                .height = static_cast<int>(layout.height),
                                .channels = layout.bits <= 8 ? 1 : 3,
                                .bits = layout.bits == 1 ? 1 : 8}};
  const std::size_t fewest = layout.type == kRunLengths ? 0 : layout.unpacked_size();
  if (layout.pixels() + fewest > bytes.size()) stored.truncation = kTooFewPixels;
  return stored;
}

RawImage decode_sun_raster(FileBytes bytes) {
  const SunLayout layout = read_layout(bytes);
  FileBytes rows = bytes.subspan(layout.pixels());
  std::vector<std::uint8_t> unpacked;
  if (layout.type == kRunLengths) {
    unpacked = undo_run_lengths(rows, layout.unpacked_size());
    rows = unpacked;
  }
  RawImage raw;
  raw.pixels = layout.bits <= 8 ? indexed(layout, rows.data(), read_palette(layout, bytes))
                                : true_colour(layout, rows.data());
  return raw;
}

}  // namespace contexton
