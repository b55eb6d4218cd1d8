// PNG files by libpng: silent, all checksums verified.
#include <png.h>

#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "stages/input/byte_reader.hpp"
#include "stages/input/codecs.hpp"
#include "stages/input/exif.hpp"

namespace contexton {
namespace {

constexpr std::size_t kFirstChunk = 8;
constexpr std::size_t kChunkOverhead = 12;  // length, name, checksum

struct Memory {
  FileBytes bytes;
  std::size_t position;
};

struct ErrorTrap {
  std::jmp_buf way_out;
  std::array<char, 200> message;
};

[[noreturn]] void leave_libpng(png_structp png, png_const_charp message) {
  auto& trap = *static_cast<ErrorTrap*>(png_get_error_ptr(png));
  std::snprintf(trap.message.data(), trap.message.size(), "%s", message);
  std::longjmp(trap.way_out, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void read_from_memory(png_structp png, png_bytep destination, png_size_t length) {
  auto& memory = *static_cast<Memory*>(png_get_io_ptr(png));
  if (length > memory.bytes.size() - memory.position) leave_libpng(png, "the file ends too early");
  std::memcpy(destination, memory.bytes.data() + memory.position, length);
  memory.position += length;
}

// One libpng reader over bytes in memory. As with any C code that jumps out on errors, each function that
// calls it sets the way out first and holds nothing that a jump would leak.
class PngDecoder {
 public:
  explicit PngDecoder(FileBytes bytes) : memory_{bytes, 0} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &trap_, leave_libpng, ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  // Settles the output: 8 or 16 bits; gray, gray+alpha, BGR or BGRA. Returns its type.
  int read_header() {
    if (setjmp(trap_.way_out) != 0) throw_trapped();
    png_set_read_fn(png_, &memory_, read_from_memory);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);             // max_pixels was checked already
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // only what makes pixels
    png_read_info(png_, info_);
    png_set_expand(png_);  // palette, 1..4 bits and the transparent colour
    png_set_bgr(png_);
    if (std::endian::native == std::endian::little) png_set_swap(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    const int depth = png_get_bit_depth(png_, info_) == 16 ? CV_16U : CV_8U;
    return CV_MAKETYPE(depth, png_get_channels(png_, info_));
  }

  void read_pixels(png_bytepp rows) {
    if (setjmp(trap_.way_out) != 0) throw_trapped();
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);  // verifies the checksums that are left
  }

 private:
  [[noreturn]] void throw_trapped() const {
    throw BadImage(ImageFault::damaged, std::string("truncated or damaged PNG: ") + trap_.message.data());
  }

  Memory memory_;
  ErrorTrap trap_{};
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

int channels_of_colour_type(std::uint32_t colour_type) {
  switch (colour_type) {
    case PNG_COLOR_TYPE_GRAY:
    case PNG_COLOR_TYPE_PALETTE:
      return 1;
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return 2;
    case PNG_COLOR_TYPE_RGB:
      return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
      return 4;
    default:
      throw BadImage(ImageFault::damaged, "damaged: the PNG header has an unknown colour type");
  }
}

// Goes from chunk to chunk for the orientation and the end chunk, without reading pixels.
void walk_chunks(const ByteReader& file, FileBytes bytes, StoredHeader& stored) {
  for (std::size_t chunk = kFirstChunk; chunk + kChunkOverhead <= bytes.size();) {
    if (file.has_text(chunk + 4, "IEND")) return;
    const std::size_t length = file.u32(chunk);
    if (length > bytes.size() - chunk - kChunkOverhead) break;
    if (file.has_text(chunk + 4, "eXIf"))
      stored.image.orientation = exif_orientation(bytes.subspan(chunk + 8, length));
    chunk += kChunkOverhead + length;
  }
  stored.truncation = "truncated: the PNG has no end chunk";
}

}  // namespace

StoredHeader png_header(FileBytes bytes) {
  const ByteReader file(bytes, std::endian::big);
  if (bytes.size() > kFirstChunk + kChunkOverhead && !file.has_text(kFirstChunk + 4, "IHDR"))
    throw BadImage(ImageFault::damaged, "damaged: the PNG does not begin with its header");
  StoredHeader stored{.image = {.format = ImageFormat::png,
                                .width = static_cast<int>(file.u32(16)),
                                .height = static_cast<int>(file.u32(20)),
                                .channels = channels_of_colour_type(file.u8(25)),
                                .bits = static_cast<int>(file.u8(24))}};
  walk_chunks(file, bytes, stored);
  return stored;
}

RawImage decode_png(FileBytes bytes, const ImageHeader& header) {
  PngDecoder decoder(bytes);
  RawImage raw;
  raw.pixels.create(header.height, header.width, decoder.read_header());
  std::vector<png_bytep> rows(static_cast<std::size_t>(header.height));
  for (int y = 0; y < header.height; ++y) rows[static_cast<std::size_t>(y)] = raw.pixels.ptr(y);
  decoder.read_pixels(rows.data());
  return raw;
}

}  // namespace contexton
