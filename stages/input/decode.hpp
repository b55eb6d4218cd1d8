// Turns the bytes of an image file into an upright 8-bit Image, or says in plain words why it cannot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "stages/types/image.hpp"

namespace contexton {

enum class ImageFormat { jpeg, png, bmp, tiff, pnm, webp, sun_raster, unknown };

enum class ImageFault {
  missing,       // no such file
  unreadable,    // a folder, a device, no permission, a read error
  empty,         // zero bytes, or nothing visible in it
  not_an_image,  // the content is something else
  unsupported,   // an image, but of a kind that is not read here
  too_large,     // more pixels than max_pixels, or more than memory holds
  truncated,     // the end is missing
  damaged        // the content contradicts itself
};

// Why a file is no usable image. The message has no path in it: whoever knows the path adds it.
class BadImage : public std::runtime_error {
 public:
  BadImage(ImageFault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  [[nodiscard]] ImageFault fault() const { return fault_; }

 private:
  ImageFault fault_;
};

struct ImageHeader {
  ImageFormat format = ImageFormat::unknown;
  int width = 0;        // pixels, upright when DecodeOptions::exif is set
  int height = 0;       // pixels, upright when DecodeOptions::exif is set
  int channels = 0;     // samples of a pixel in the file, alpha included; a palette counts as one
  int bits = 0;         // of one sample in the file
  int orientation = 1;  // EXIF code 1..8 as found in the file; 1 where there is none or it is invalid
};

// How samples of more than 8 bits become 8 bits.
enum class Range16 {
  automatic,  // the smallest of 8, 10, 12, 14, 16 bits that holds the brightest sample becomes 0..255
  full        // 0..65535 becomes 0..255; keeps brightness comparable between images of one camera
};

struct DecodeOptions {
  bool gray = true;  // one gray channel; otherwise BGR
  int max_side = 0;  // pixels; a longer side is reduced to this, 0 = as it is; never enlarges
  bool exif = true;  // turn the image upright by its EXIF (or TIFF) orientation
  std::int64_t max_pixels = 100'000'000;  // width x height; larger images are refused before decoding
  Range16 range16 = Range16::automatic;   // for 16-bit files
};

// All functions are thread-safe, keep no state, print nothing, and throw BadImage.

[[nodiscard]] std::vector<std::uint8_t> read_file_bytes(const std::filesystem::path& path);

// Reads the header only. Sees everything that shows without decoding: content that is no image, a size above
// max_pixels, and most truncated files. O(1) in the pixels.
[[nodiscard]] ImageHeader probe_image(std::span<const std::uint8_t> bytes, const DecodeOptions& options);

// The whole image. Transparent pixels are put on white, and where they are fully transparent the mask is 0.
// A damaged or truncated file is always an error, never a partly filled image.
[[nodiscard]] Image decode_image(std::span<const std::uint8_t> bytes, const DecodeOptions& options);

// Whether the extension is one that image files of a supported format have; upper or lower case.
[[nodiscard]] bool looks_like_image_path(const std::filesystem::path& path);

}  // namespace contexton
