// Recognises a file by its content: which image format it is, or what else it looks like.
#include "stages/input/image_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <string_view>

#include "stages/input/byte_reader.hpp"

namespace contexton {
namespace {

using namespace std::string_view_literals;

// No control characters, and some ASCII among them: text of any language has spaces, digits or line ends.
bool is_text(std::span<const std::uint8_t> bytes) {
  const auto start = bytes.first(std::min<std::size_t>(bytes.size(), 1024));
  const auto is_white = [](std::uint8_t byte) { return byte >= '\t' && byte <= '\r'; };
  const auto is_control = [&](std::uint8_t byte) { return (byte < ' ' && !is_white(byte)) || byte == 0x7f; };
  return std::ranges::none_of(start, is_control) &&
         std::ranges::any_of(start, [](std::uint8_t byte) { return byte < 0x80; });
}

// "BM" also starts many a text, so the size of the header that follows must be one that exists.
bool is_bmp(const ByteReader& file) {
  constexpr std::array<std::uint32_t, 7> kHeaderSizes = {12, 40, 52, 56, 64, 108, 124};
  return file.has_text(0, "BM") && file.size() >= 18 && std::ranges::count(kHeaderSizes, file.u32(14)) == 1;
}

bool is_pnm(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         (std::isspace(bytes[2]) != 0 || bytes[2] == '#');
}

struct Signature {
  std::size_t offset;
  std::string_view text;
  const char* meaning;
};

constexpr Signature kOtherContents[] = {
    {0, "GIF8"sv, "a GIF image"},
    {4, "ftypavif"sv, "an AVIF image"},
    {4, "ftyp"sv, "a HEIC image or a video"},
    {0, "\0\0\0\x0cjP  "sv, "a JPEG 2000 image"},
    {0, "\xff\x4f\xff\x51"sv, "a JPEG 2000 image"},
    {0, "\0\0\0\x0cJXL "sv, "a JPEG XL image"},
    {0, "\xff\x0a"sv, "a JPEG XL image"},
    {0, "8BPS"sv, "a Photoshop file"},
    {0, "\x76\x2f\x31\x01"sv, "an OpenEXR image"},
    {0, "#?RADIANCE"sv, "a Radiance HDR image"},
    {0, "P7\n"sv, "a PAM image"},
    {0, "PF\n"sv, "a PFM image"},
    {0, "Pf\n"sv, "a PFM image"},
    {128, "DICM"sv, "a DICOM file"},
    {0, "%PDF"sv, "a PDF document"},
    {0, "PK\x03\x04"sv, "a ZIP archive or an office document"},
    {0, "\x1f\x8b"sv, "a gzip archive"},
    {0, "RIFF"sv, "a sound or video file"},
    {0, "version https://git-lfs"sv, "a Git LFS pointer whose content was not downloaded"},
};

std::string describe_text(std::span<const std::uint8_t> bytes) {
  std::string start;
  for (const auto byte : bytes.first(std::min<std::size_t>(bytes.size(), 256)))
    start += static_cast<char>(std::tolower(byte));
  if (start.find("<!doctype html") != std::string::npos || start.find("<html") != std::string::npos)
    return "an HTML page";
  if (start.find("<svg") != std::string::npos) return "an SVG drawing";
  if (start.starts_with("<?xml")) return "an XML file";
  return "a text file";
}

}  // namespace

ImageFormat identify_format(std::span<const std::uint8_t> bytes) {
  const ByteReader file(bytes, std::endian::little);
  if (file.has_text(0, "\xff\xd8\xff"sv)) return ImageFormat::jpeg;
  if (file.has_text(0, "\x89PNG\r\n\x1a\n"sv)) return ImageFormat::png;
  for (const auto tiff : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv})
    if (file.has_text(0, tiff)) return ImageFormat::tiff;
  if (file.has_text(0, "RIFF") && file.has_text(8, "WEBP")) return ImageFormat::webp;
  if (file.has_text(0, "\x59\xa6\x6a\x95"sv)) return ImageFormat::sun_raster;
  if (is_pnm(bytes)) return ImageFormat::pnm;
  if (is_bmp(file)) return ImageFormat::bmp;
  return ImageFormat::unknown;
}

std::string describe_content(std::span<const std::uint8_t> bytes) {
  const ByteReader file(bytes, std::endian::little);
  for (const auto& other : kOtherContents)
    if (file.has_text(other.offset, other.text)) return other.meaning;
  if (std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; }))
    return "nothing but zero bytes";
  return is_text(bytes) ? describe_text(bytes) : "data of an unknown kind";
}

}  // namespace contexton
