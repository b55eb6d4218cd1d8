// Turns the bytes of an image file into an upright 8-bit Image, or says in plain words why it cannot.
#include "stages/input/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "stages/input/codecs.hpp"
#include "stages/input/exif.hpp"
#include "stages/input/finish_image.hpp"
#include "stages/input/image_header.hpp"

namespace contexton {
namespace {

// Far above any image of a sensible max_pixels; protects memory from a disk image that is called .jpg.
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{4} << 30;

constexpr int kLongestSide =
    1 << 24;  // pixels, whatever max_pixels allows: offsets in a row stay far below 2^31

std::uintmax_t size_of_regular_file(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw BadImage(ImageFault::missing, "the file does not exist");
  if (error) throw BadImage(ImageFault::unreadable, "cannot be read: " + error.message());
  if (status.type() == fs::file_type::directory)
    throw BadImage(ImageFault::unreadable, "is a folder, not a file");
  if (status.type() != fs::file_type::regular)
    throw BadImage(ImageFault::unreadable, "is not a regular file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) throw BadImage(ImageFault::unreadable, "cannot be read: " + error.message());
  return size;
}

[[noreturn]] void throw_empty_file() {
  throw BadImage(ImageFault::empty, "the file is empty (zero bytes)");
}

StoredHeader stored_header(FileBytes bytes) {
  switch (identify_format(bytes)) {
    case ImageFormat::jpeg:
      return jpeg_header(bytes);
    case ImageFormat::png:
      return png_header(bytes);
    case ImageFormat::tiff:
      return tiff_header(bytes);
    case ImageFormat::pnm:
      return pnm_header(bytes);
    case ImageFormat::bmp:
      return bmp_header(bytes);
    case ImageFormat::webp:
      return webp_header(bytes);
    case ImageFormat::sun_raster:
      return sun_raster_header(bytes);
    case ImageFormat::unknown:
      break;
  }
  throw BadImage(ImageFault::not_an_image,
                 "not an image of a supported format: it looks like " + describe_content(bytes));
}

void check_size(const ImageHeader& header, std::int64_t max_pixels) {
  if (header.width <= 0 || header.height <= 0)
    throw BadImage(ImageFault::damaged,
                   fmt::format("damaged: the header says {} x {} pixels", header.width, header.height));
  const std::int64_t pixels = std::int64_t{header.width} * header.height;
  if (pixels > max_pixels)
    throw BadImage(ImageFault::too_large,
                   fmt::format("too large: {} x {} = {} pixels is more than max_pixels = {}", header.width,
                               header.height, pixels, max_pixels));
  if (std::max(header.width, header.height) > kLongestSide)
    throw BadImage(ImageFault::too_large, fmt::format("too large: {} x {} pixels, and no side may exceed {}",
                                                      header.width, header.height, kLongestSide));
}

ImageHeader checked_header(FileBytes bytes, std::int64_t max_pixels) {
  if (bytes.empty()) throw_empty_file();
  const StoredHeader stored = stored_header(bytes);
  check_size(stored.image, max_pixels);
  if (stored.truncation != nullptr) throw BadImage(ImageFault::truncated, stored.truncation);
  return stored.image;
}

RawImage decode_raw(FileBytes bytes, const ImageHeader& header, bool gray) {
  switch (header.format) {
    case ImageFormat::jpeg:
      return decode_jpeg(bytes, gray);
    case ImageFormat::png:
      return decode_png(bytes, header);
    case ImageFormat::tiff:
      return decode_tiff(bytes, header);
    case ImageFormat::pnm:
      return decode_pnm(bytes);
    case ImageFormat::bmp:
      return decode_bmp(bytes);
    case ImageFormat::webp:
      return decode_webp(bytes);
    case ImageFormat::sun_raster:
      return decode_sun_raster(bytes);
    case ImageFormat::unknown:
      break;
  }
  throw BadImage(ImageFault::not_an_image, "not an image of a supported format");
}

[[noreturn]] void throw_out_of_memory(const ImageHeader& header) {
  throw BadImage(ImageFault::too_large,
                 fmt::format("too large: not enough memory for {} x {} pixels", header.width, header.height));
}

}  // namespace

std::vector<std::uint8_t> read_file_bytes(const std::filesystem::path& path) try {
  const std::uintmax_t size = size_of_regular_file(path);
  if (size == 0) throw_empty_file();
  if (size > kMaxFileBytes)
    throw BadImage(ImageFault::too_large, fmt::format("too large: a file of {} bytes", size));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw BadImage(ImageFault::unreadable,
                   fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  std::vector<std::uint8_t> bytes(size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (file.bad()) throw BadImage(ImageFault::unreadable, "cannot be read: the disk reported an error");
  bytes.resize(static_cast<std::size_t>(file.gcount()));  // the file may have shrunk meanwhile
  if (bytes.empty()) throw_empty_file();
  return bytes;
} catch (const std::bad_alloc&) {
  throw BadImage(ImageFault::too_large, "too large: not enough memory for the file");
}

ImageHeader probe_image(std::span<const std::uint8_t> bytes, const DecodeOptions& options) {
  ImageHeader header = checked_header(bytes, options.max_pixels);
  if (options.exif && swaps_sides(header.orientation)) std::swap(header.width, header.height);
  return header;
}

Image decode_image(std::span<const std::uint8_t> bytes, const DecodeOptions& options) {
  const ImageHeader header = checked_header(bytes, options.max_pixels);
  try {
    RawImage raw = decode_raw(bytes, header, options.gray);
    if (raw.pixels.cols != header.width || raw.pixels.rows != header.height)
      throw BadImage(ImageFault::damaged, "damaged: the pixels do not fill the size that the header gives");
    return finish_image(std::move(raw), header.orientation, options);
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(header);
  } catch (const cv::Exception& error) {
    if (error.code == cv::Error::StsNoMem) throw_out_of_memory(header);
    throw BadImage(ImageFault::damaged, "truncated or damaged: " + error.err);
  }
}

bool looks_like_image_path(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 13> kExtensions = {".jpg",  ".jpeg", ".png", ".bmp", ".tif",
                                                            ".tiff", ".pgm",  ".ppm", ".pbm", ".pnm",
                                                            ".webp", ".ras",  ".sr"};
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::ranges::count(kExtensions, extension) == 1;
}

}  // namespace contexton
