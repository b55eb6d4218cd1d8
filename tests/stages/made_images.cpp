// Image files made in memory, byte by byte where no encoder would make them, for tests of decoding.
#include "tests/stages/made_images.hpp"

#include <cstdio>  // jpeglib.h needs it first
//
#include <jpeglib.h>

#include <cmath>
#include <cstdlib>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

namespace contexton::made {
namespace {

void append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

Bytes big(std::uint32_t value, int length) {
  Bytes bytes;
  for (int i = length - 1; i >= 0; --i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return bytes;
}

Bytes little(std::uint32_t value, int length) {
  Bytes bytes = big(value, length);
  return {bytes.rbegin(), bytes.rend()};
}

std::uint32_t crc32(const Bytes& bytes) {
  std::uint32_t crc = ~0U;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

std::uint32_t adler32(const Bytes& bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const std::uint8_t byte : bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

// A zlib stream of stored blocks: no compression, every decoder reads it.
Bytes zlib_stored(const Bytes& content) {
  constexpr std::size_t kBlock = 65535;
  Bytes stream = {0x78, 0x01};
  for (std::size_t start = 0; start == 0 || start < content.size(); start += kBlock) {
    const std::size_t length = std::min(kBlock, content.size() - start);
    stream.push_back(start + length == content.size() ? 1 : 0);
    append(stream, little(static_cast<std::uint32_t>(length), 2));
    append(stream, little(static_cast<std::uint32_t>(~length & 0xffff), 2));
    stream.insert(stream.end(), content.begin() + static_cast<std::ptrdiff_t>(start),
                  content.begin() + static_cast<std::ptrdiff_t>(start + length));
  }
  append(stream, big(adler32(content), 4));
  return stream;
}

void append_chunk(Bytes& file, const std::string& name, const Bytes& content) {
  append(file, big(static_cast<std::uint32_t>(content.size()), 4));
  const Bytes named = bytes_of(name) + content;
  append(file, named);
  append(file, big(crc32(named), 4));
}

int channels_of(int png_colour_type) {
  switch (png_colour_type) {
    case 2:
      return 3;
    case 4:
      return 2;
    case 6:
      return 4;
    default:
      return 1;
  }
}

struct TiffEntry {
  int tag;
  int type;  // 3 short, 4 long
  std::vector<std::uint32_t> values;
};

Bytes tiff_directory(const std::vector<TiffEntry>& entries, std::size_t offset, std::uint32_t next) {
  const auto overflow_start = offset + 2 + 12 * entries.size() + 4;
  Bytes directory = little(static_cast<std::uint32_t>(entries.size()), 2);
  Bytes overflow;
  for (const TiffEntry& entry : entries) {
    const int width = entry.type == 3 ? 2 : 4;
    Bytes values;
    for (const std::uint32_t value : entry.values) append(values, little(value, width));
    append(directory, little(static_cast<std::uint32_t>(entry.tag), 2));
    append(directory, little(static_cast<std::uint32_t>(entry.type), 2));
    append(directory, little(static_cast<std::uint32_t>(entry.values.size()), 4));
    if (values.size() > 4) {
      append(directory, little(static_cast<std::uint32_t>(overflow_start + overflow.size()), 4));
      append(overflow, values);
    } else {
      values.resize(4);
      append(directory, values);
    }
  }
  append(directory, little(next, 4));
  append(directory, overflow);
  return directory;
}

std::vector<TiffEntry> tiff_entries(const TiffParts& parts, std::uint32_t pixels_offset) {
  const auto number = [](int value) { return static_cast<std::uint32_t>(value); };
  const auto channels = static_cast<std::size_t>(parts.channels);
  int blocks = parts.separate_planes ? parts.channels : 1;
  if (parts.tile_side > 0) {
    const auto across = [&](int side) { return (side + parts.tile_side - 1) / parts.tile_side; };
    blocks *= across(parts.width) * across(parts.height);
  }
  const auto block_size = static_cast<std::uint32_t>(parts.pixels.size()) / number(blocks);
  std::vector<std::uint32_t> offsets;
  for (int i = 0; i < blocks; ++i) offsets.push_back(pixels_offset + number(i) * block_size);
  const std::vector<std::uint32_t> sizes(offsets.size(), block_size);

  std::vector<TiffEntry> entries = {{256, 4, {number(parts.width)}},
                                    {257, 4, {number(parts.height)}},
                                    {258, 3, std::vector<std::uint32_t>(channels, number(parts.bits))},
                                    {259, 3, {1}},
                                    {262, 3, {number(parts.photometric)}}};
  if (parts.tile_side == 0) entries.push_back({273, 4, offsets});
  if (parts.orientation != 0) entries.push_back({274, 3, {number(parts.orientation)}});
  entries.push_back({277, 3, {number(parts.channels)}});
  if (parts.tile_side == 0) {
    entries.push_back({278, 4, {number(parts.height)}});
    entries.push_back({279, 4, sizes});
  }
  entries.push_back({284, 3, {parts.separate_planes ? 2U : 1U}});
  if (!parts.palette.empty()) {
    TiffEntry palette{320, 3, {}};
    for (const int value : parts.palette) palette.values.push_back(number(value));
    entries.push_back(palette);
  }
  if (parts.tile_side > 0) {
    entries.push_back({322, 4, {number(parts.tile_side)}});
    entries.push_back({323, 4, {number(parts.tile_side)}});
    entries.push_back({324, 4, offsets});
    entries.push_back({325, 4, sizes});
  }
  if (parts.extra_sample >= 0) entries.push_back({338, 3, {number(parts.extra_sample)}});
  entries.push_back({339, 3, std::vector<std::uint32_t>(channels, number(parts.sample_format))});
  return entries;
}

}  // namespace

cv::Mat picture(int width, int height) {
  cv::Mat pixels(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double wave = 100 * std::sin(x * 0.11 + y * 0.05) + 20 * std::sin(x * 1.3) * std::cos(y * 1.7);
      pixels.at<cv::Vec3b>(y, x) = cv::Vec3b(cv::saturate_cast<std::uint8_t>(128 + wave),
                                             cv::saturate_cast<std::uint8_t>(60 + x * 190.0 / width),
                                             cv::saturate_cast<std::uint8_t>(200 - y * 180.0 / height));
    }
  return pixels;
}

cv::Mat gray_picture(int width, int height) {
  cv::Mat gray;
  cv::cvtColor(picture(width, height), gray, cv::COLOR_BGR2GRAY);
  return gray;
}

Bytes encoded(const std::string& extension, const cv::Mat& pixels, const std::vector<int>& parameters) {
  Bytes bytes;
  if (!cv::imencode(extension, pixels, bytes, parameters))
    throw std::runtime_error("cannot encode " + extension);
  return bytes;
}

Bytes exif_block(int orientation, bool big_endian) {
  const auto number = [&](std::uint32_t value, int length) {
    return big_endian ? big(value, length) : little(value, length);
  };
  const auto entry = [&](std::uint32_t tag, std::uint32_t value) {
    return number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + Bytes{0, 0};
  };
  return bytes_of(big_endian ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2) + entry(0x0103, 6) +
         entry(0x0112, static_cast<std::uint32_t>(orientation)) + number(0, 4);
}

Bytes with_app1(const Bytes& jpeg, const Bytes& content) {
  Bytes file(jpeg.begin(), jpeg.begin() + 2);
  append(file, {0xff, 0xe1});
  append(file, big(static_cast<std::uint32_t>(content.size() + 2), 2));
  append(file, content);
  file.insert(file.end(), jpeg.begin() + 2, jpeg.end());
  return file;
}

Bytes with_exif(const Bytes& jpeg, int orientation, bool big_endian) {
  return with_app1(jpeg, bytes_of(std::string_view("Exif\0\0", 6)) + exif_block(orientation, big_endian));
}

Bytes cmyk_jpeg(const cv::Mat& cmyk, bool adobe, bool ycck) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &buffer, &size);
  jpeg.image_width = static_cast<JDIMENSION>(cmyk.cols);
  jpeg.image_height = static_cast<JDIMENSION>(cmyk.rows);
  jpeg.input_components = 4;
  jpeg.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_colorspace(&jpeg, ycck ? JCS_YCCK : JCS_CMYK);
  for (int c = 0; c < jpeg.num_components; ++c)
    jpeg.comp_info[c].h_samp_factor = jpeg.comp_info[c].v_samp_factor = 1;
  jpeg.write_Adobe_marker = adobe ? TRUE : FALSE;
  jpeg_set_quality(&jpeg, 98, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  for (int y = 0; y < cmyk.rows; ++y) {
    JSAMPROW row = const_cast<std::uint8_t*>(cmyk.ptr(y));
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const Bytes bytes(buffer, buffer + size);
  std::free(buffer);
  return bytes;
}

Bytes png(const PngParts& parts) {
  Bytes file = bytes_of("\x89PNG\r\n\x1a\n");
  append_chunk(file, "IHDR",
               big(static_cast<std::uint32_t>(parts.width), 4) +
                   big(static_cast<std::uint32_t>(parts.height), 4) +
                   Bytes{static_cast<std::uint8_t>(parts.bits), static_cast<std::uint8_t>(parts.colour_type),
                         0, 0, 0});
  for (const auto& [name, content] : parts.chunks_before_pixels) append_chunk(file, name, content);
  if (parts.with_pixels) {
    const auto row_size =
        static_cast<std::ptrdiff_t>((parts.width * parts.bits * channels_of(parts.colour_type) + 7) / 8);
    Bytes filtered;
    for (int y = 0; y < parts.height; ++y) {
      filtered.push_back(0);
      filtered.insert(filtered.end(), parts.rows.begin() + y * row_size,
                      parts.rows.begin() + (y + 1) * row_size);
    }
    append_chunk(file, "IDAT", zlib_stored(filtered));
  }
  if (parts.with_end) append_chunk(file, "IEND", {});
  return file;
}

Bytes tiff(const TiffParts& parts) {
  constexpr std::size_t kDirectory = 8;
  // The layout does not depend on the offsets' values, so a first pass with zeros gives the sizes.
  const auto directory_size =
      static_cast<std::uint32_t>(tiff_directory(tiff_entries(parts, 0), kDirectory, 0).size());
  const auto second = static_cast<std::uint32_t>(kDirectory) + directory_size;
  const std::uint32_t pixels_offset = second + (parts.two_pages ? directory_size : 0);
  const auto entries = tiff_entries(parts, pixels_offset);
  Bytes file = bytes_of("II*") + Bytes{0} + little(kDirectory, 4);
  append(file, tiff_directory(entries, kDirectory, parts.two_pages ? second : 0));
  if (parts.two_pages) append(file, tiff_directory(entries, second, 0));
  return file + parts.pixels;
}

Bytes webp_with_exif(const Bytes& webp, int width, int height, const Bytes& exif) {
  const auto number = [](std::size_t value, int length) {
    return little(static_cast<std::uint32_t>(value), length);
  };
  constexpr std::uint8_t kHasExif = 0x08;
  const Bytes picture_chunk(webp.begin() + 12, webp.end());
  Bytes content = bytes_of("WEBPVP8X") + number(10, 4) + Bytes{kHasExif, 0, 0, 0} +
                  number(static_cast<std::size_t>(width - 1), 3) +
                  number(static_cast<std::size_t>(height - 1), 3) + picture_chunk + bytes_of("EXIF") +
                  number(exif.size(), 4) + exif;
  if (content.size() % 2 != 0) content.push_back(0);
  return bytes_of("RIFF") + number(content.size(), 4) + content;
}

Bytes sun_raster(int width, int height, int bits, int type, const Bytes& map, const Bytes& pixels) {
  const auto number = [](std::size_t value) { return big(static_cast<std::uint32_t>(value), 4); };
  return Bytes{0x59, 0xa6, 0x6a, 0x95} + number(static_cast<std::size_t>(width)) +
         number(static_cast<std::size_t>(height)) + number(static_cast<std::size_t>(bits)) +
         number(pixels.size()) + number(static_cast<std::size_t>(type)) + number(map.empty() ? 0 : 1) +
         number(map.size()) + map + pixels;
}

Bytes sun_raster(const cv::Mat& pixels) {
  const auto row_size = static_cast<std::size_t>(pixels.cols) * pixels.elemSize();
  Bytes rows;
  for (int y = 0; y < pixels.rows; ++y) {
    rows.insert(rows.end(), pixels.ptr(y), pixels.ptr(y) + row_size);
    if (row_size % 2 != 0) rows.push_back(0);
  }
  return sun_raster(pixels.cols, pixels.rows, 8 * pixels.channels(), 1, {}, rows);
}

Bytes sun_run_lengths(const Bytes& plain) {
  Bytes codes;
  for (std::size_t i = 0; i < plain.size();) {
    std::size_t run = 1;
    while (i + run < plain.size() && plain[i + run] == plain[i] && run < 256) ++run;
    if (run >= 3 || (plain[i] == 0x80 && run >= 2))
      append(codes, {0x80, static_cast<std::uint8_t>(run - 1), plain[i]});
    else if (plain[i] == 0x80)
      append(codes, {0x80, 0});
    else
      codes.insert(codes.end(), run, plain[i]);
    i += run;
  }
  return codes;
}

Bytes bmp(int width, int height, int bits, int compression, const Bytes& palette_or_masks,
          const Bytes& pixels) {
  const auto number = [](std::size_t value, int length) {
    return little(static_cast<std::uint32_t>(value), length);
  };
  const std::size_t offset = 54 + palette_or_masks.size();
  return bytes_of("BM") + number(offset + pixels.size(), 4) + number(0, 4) + number(offset, 4) +
         number(40, 4) + little(static_cast<std::uint32_t>(width), 4) +
         little(static_cast<std::uint32_t>(height), 4) + number(1, 2) +
         little(static_cast<std::uint32_t>(bits), 2) + little(static_cast<std::uint32_t>(compression), 4) +
         number(pixels.size(), 4) + number(2835, 4) + number(2835, 4) +
         number(bits <= 8 ? palette_or_masks.size() / 4 : 0, 4) + number(0, 4) + palette_or_masks + pixels;
}

Bytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

Bytes operator+(Bytes left, const Bytes& right) {
  append(left, right);
  return left;
}

}  // namespace contexton::made
