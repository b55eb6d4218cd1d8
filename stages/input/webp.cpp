// WebP files: the header read here, the pixels by OpenCV, which reads them silently and refuses damaged ones.
#include <algorithm>
#include <bit>
#include <limits>
#include <opencv2/imgcodecs.hpp>

#include "stages/input/byte_reader.hpp"
#include "stages/input/codecs.hpp"
#include "stages/input/exif.hpp"

namespace contexton {
namespace {

constexpr std::size_t kFirstChunk = 12;
constexpr std::size_t kChunkHeader = 8;

struct Canvas {
  int width;
  int height;
  int channels;
};

Canvas extended_canvas(const ByteReader& file, std::size_t content) {
  constexpr std::uint32_t kAnimation = 0x02, kAlpha = 0x10;
  const std::uint32_t flags = file.u8(content);
  if ((flags & kAnimation) != 0)
    throw BadImage(ImageFault::unsupported, "an animated WebP, which is not supported");
  return {static_cast<int>(file.u24(content + 4)) + 1, static_cast<int>(file.u24(content + 7)) + 1,
          (flags & kAlpha) != 0 ? 4 : 3};
}

Canvas lossless_canvas(const ByteReader& file, std::size_t content) {
  const std::uint32_t fields = file.u32(content + 1);  // 14 bits width - 1, 14 bits height - 1, 1 bit alpha
  return {static_cast<int>(fields & 0x3fff) + 1, static_cast<int>(fields >> 14 & 0x3fff) + 1,
          (fields >> 28 & 1) != 0 ? 4 : 3};
}

Canvas lossy_canvas(const ByteReader& file, std::size_t content) {
  return {static_cast<int>(file.u16(content + 6) & 0x3fff), static_cast<int>(file.u16(content + 8) & 0x3fff),
          3};
}

Canvas read_canvas(const ByteReader& file) {
  constexpr std::size_t kContent = kFirstChunk + kChunkHeader;
  if (file.has_text(kFirstChunk, "VP8X")) return extended_canvas(file, kContent);
  if (file.has_text(kFirstChunk, "VP8L")) return lossless_canvas(file, kContent);
  if (file.has_text(kFirstChunk, "VP8 ")) return lossy_canvas(file, kContent);
  throw BadImage(ImageFault::damaged, "damaged: the WebP does not begin with a picture");
}

int orientation_of(const ByteReader& file, FileBytes bytes) {
  for (std::size_t chunk = kFirstChunk; chunk + kChunkHeader <= bytes.size();) {
    const std::size_t length = file.u32(chunk + 4);
    if (length > bytes.size() - chunk - kChunkHeader) break;
    if (file.has_text(chunk, "EXIF")) {
      const std::size_t name =
          file.has_text(chunk + kChunkHeader, "Exif") ? 6 : 0;  // some writers copy it from JPEG
      return exif_orientation(bytes.subspan(chunk + kChunkHeader, length).subspan(std::min(name, length)));
    }
    chunk += kChunkHeader + length + length % 2;
  }
  return 1;
}

}  // namespace

StoredHeader webp_header(FileBytes bytes) {
  const ByteReader file(bytes, std::endian::little);
  const Canvas canvas = read_canvas(file);
  StoredHeader stored{.image = {.format = ImageFormat::webp,
                                .width = canvas.width,
                                .height = canvas.height,
                                .channels = canvas.channels,
                                .bits = 8,
                                .orientation = orientation_of(file, bytes)}};
  if (std::size_t{file.u32(4)} + 8 > bytes.size())
    stored.truncation = "truncated: the WebP file is shorter than its header says";
  return stored;
}

RawImage decode_webp(FileBytes bytes) {
  if (bytes.size() > std::numeric_limits<int>::max())
    throw BadImage(ImageFault::too_large, "too large: a WebP file of more than 2 GB");
  const cv::Mat file(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<std::uint8_t*>(bytes.data()));
  RawImage raw;
  raw.pixels = cv::imdecode(file, cv::IMREAD_UNCHANGED);
  if (raw.pixels.empty()) throw BadImage(ImageFault::damaged, "truncated or damaged WebP");
  return raw;
}

}  // namespace contexton
