// What decode.cpp asks of each file format: the header, and the samples as the file stores them.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <string>
#include <vector>

#include "stages/input/decode.hpp"

namespace contexton {

using FileBytes = std::span<const std::uint8_t>;

// Samples before range, transparency, orientation and size are settled.
struct RawImage {
  cv::Mat pixels;    // CV_8U, CV_16U or CV_32F; 1 gray, 2 gray+alpha, 3 BGR, 4 BGRA; float has no alpha
  double white = 0;  // the sample value of white where the file states it; 0 = the type's largest
  bool premultiplied = false;  // the colours are already multiplied by alpha
  std::vector<std::string> notes;
};

// Width and height as stored, before orientation.
struct StoredHeader {
  ImageHeader image;
  const char* truncation =
      nullptr;  // how it shows that the end of the file is missing; null where it does not show
};

StoredHeader jpeg_header(FileBytes bytes);
StoredHeader png_header(FileBytes bytes);
StoredHeader tiff_header(FileBytes bytes);
StoredHeader pnm_header(FileBytes bytes);
StoredHeader bmp_header(FileBytes bytes);
StoredHeader webp_header(FileBytes bytes);
StoredHeader sun_raster_header(FileBytes bytes);

// Each expects bytes whose header was read and found small enough; `gray` says that colour is not wanted, and
// a format may use it to save work.
RawImage decode_jpeg(FileBytes bytes, bool gray);
RawImage decode_png(FileBytes bytes, const ImageHeader& header);
RawImage decode_tiff(FileBytes bytes, const ImageHeader& header);
RawImage decode_pnm(FileBytes bytes);
RawImage decode_bmp(FileBytes bytes);
RawImage decode_webp(FileBytes bytes);
RawImage decode_sun_raster(FileBytes bytes);

}  // namespace contexton
