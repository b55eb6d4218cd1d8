// Image files made in memory, byte by byte where no encoder would make them, for tests of decoding.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contexton::made {

using Bytes = std::vector<std::uint8_t>;

// A colour picture with smooth parts and fine detail; the same for the same size.
cv::Mat picture(int width, int height);
cv::Mat gray_picture(int width, int height);

// cv::imencode that fails loudly.
Bytes encoded(const std::string& extension, const cv::Mat& pixels, const std::vector<int>& parameters = {});

// An EXIF block (from its TIFF header on) whose first directory holds this orientation after another entry.
Bytes exif_block(int orientation, bool big_endian = false);

// The JPEG with an APP1 segment of this content right after its start.
Bytes with_app1(const Bytes& jpeg, const Bytes& content);
Bytes with_exif(const Bytes& jpeg, int orientation, bool big_endian = false);

// Samples are what libjpeg is to store: for Adobe files 255 means no ink.
Bytes cmyk_jpeg(const cv::Mat& cmyk, bool adobe, bool ycck);

struct PngParts {
  int width = 1;
  int height = 1;
  int bits = 8;
  int colour_type = 0;  // 0 gray, 2 RGB, 3 palette, 4 gray+alpha, 6 RGBA
  Bytes rows = {};      // unfiltered, packed, without filter bytes
  std::vector<std::pair<std::string, Bytes>> chunks_before_pixels = {};
  bool with_pixels = true;
  bool with_end = true;
};
Bytes png(const PngParts& parts);

struct TiffParts {
  int width = 1;
  int height = 1;
  int bits = 8;
  int channels = 1;
  int photometric = 1;    // 0 white is zero, 1 black is zero, 2 RGB, 3 palette
  int sample_format = 1;  // 1 unsigned, 2 signed, 3 float
  int orientation = 0;    // 0 = no tag
  int extra_sample = -1;  // 1 associated alpha, 2 unassociated alpha; -1 = no tag
  bool separate_planes = false;
  bool two_pages = false;
  int tile_side = 0;  // 0 = one strip for each plane
  std::vector<int> palette = {};
  Bytes pixels = {};  // little-endian, uncompressed, planes or tiles one after the other
};
// The directory comes before the pixels, so that a cut file still has one.
Bytes tiff(const TiffParts& parts);

// The simple WebP of this size in the extended container, with EXIF behind its picture.
Bytes webp_with_exif(const Bytes& webp, int width, int height, const Bytes& exif);

Bytes sun_raster(int width, int height, int bits, int type, const Bytes& map, const Bytes& pixels);
Bytes sun_raster(const cv::Mat& pixels);  // gray or BGR; OpenCV's own writer reads beyond rows of odd size
Bytes sun_run_lengths(const Bytes& plain);

// A BMP with a 40-byte header; `compression` and the bytes after the header are the caller's.
Bytes bmp(int width, int height, int bits, int compression, const Bytes& palette_or_masks,
          const Bytes& pixels);

Bytes bytes_of(std::string_view text);
Bytes operator+(Bytes left, const Bytes& right);

}  // namespace contexton::made
