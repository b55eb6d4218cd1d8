// TIFF files by libtiff: silent; 8- and 16-bit and float samples as they are, the rest as 8-bit colour.
//
// Not left to OpenCV, which returns an image without complaint when the compressed pixels are damaged.
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <opencv2/imgproc.hpp>
#include <string>
#include <string_view>

#include "stages/input/byte_reader.hpp"
#include "stages/input/codecs.hpp"

namespace contexton {
namespace {

// --- libtiff over bytes in memory ---

struct TiffMemory {
  FileBytes bytes;
  std::size_t position = 0;
  std::array<char, 300> error{};  // the first one; empty = none
};

tmsize_t read_memory(thandle_t handle, void* destination, tmsize_t length) {
  auto& memory = *static_cast<TiffMemory*>(handle);
  const std::size_t left = memory.bytes.size() - std::min(memory.position, memory.bytes.size());
  const std::size_t count = std::min(left, static_cast<std::size_t>(std::max<tmsize_t>(length, 0)));
  if (count > 0) std::memcpy(destination, memory.bytes.data() + memory.position, count);
  memory.position += count;
  return static_cast<tmsize_t>(count);
}

tmsize_t refuse_to_write(thandle_t, void*, tmsize_t) {
  return 0;
}

toff_t seek_memory(thandle_t handle, toff_t offset, int origin) {
  auto& memory = *static_cast<TiffMemory*>(handle);
  const toff_t base = origin == SEEK_CUR ? memory.position : origin == SEEK_END ? memory.bytes.size() : 0;
  memory.position = base + offset;
  return memory.position;
}

int close_memory(thandle_t) {
  return 0;
}

toff_t size_of_memory(thandle_t handle) {
  return static_cast<TiffMemory*>(handle)->bytes.size();
}

int map_memory(thandle_t handle, void** base, toff_t* size) {
  const FileBytes bytes = static_cast<TiffMemory*>(handle)->bytes;
  *base = const_cast<std::uint8_t*>(bytes.data());
  *size = bytes.size();
  return 1;
}

void unmap_memory(thandle_t, void*, toff_t) {}

constexpr int kHandled = 1;  // libtiff then does not print the message

int keep_first_error(TIFF*, void* user, const char*, const char* format, va_list arguments) {
  auto& error = static_cast<TiffMemory*>(user)->error;
  if (error[0] == '\0') std::vsnprintf(error.data(), error.size(), format, arguments);
  return kHandled;
}

// libtiff warns about much that does no harm, and goes on after damaged JPEG, fax and PackBits data with a
// warning.
int keep_warning_of_damage(TIFF* tiff, void* user, const char* module, const char* format,
                           va_list arguments) {
  for (const std::string_view decoder : {"JPEG", "Fax", "PackBits"})
    if (module != nullptr && std::string_view(module).starts_with(decoder))
      keep_first_error(tiff, user, module, format, arguments);
  return kHandled;
}

constexpr tmsize_t kLargestBuffer = tmsize_t{1} << 31;  // bytes; a file that asks libtiff for more is damaged

// A TIFF open at its first picture.
class TiffFile {
 public:
  explicit TiffFile(FileBytes bytes) : memory_{.bytes = bytes} {
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                   TIFFOpenOptionsFree);
    if (options == nullptr) throw std::bad_alloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kLargestBuffer);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_first_error, &memory_);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), keep_warning_of_damage, &memory_);
    tiff_.reset(TIFFClientOpenExt("image", "r", &memory_, read_memory, refuse_to_write, seek_memory,
                                  close_memory, size_of_memory, map_memory, unmap_memory, options.get()));
    if (tiff_ == nullptr) throw_error();
    memory_.error[0] = '\0';  // complaints about tags that are not needed
  }

  [[nodiscard]] TIFF* get() const { return tiff_.get(); }

  template <typename Value>
  [[nodiscard]] Value tag(std::uint32_t name, Value when_missing) const {
    Value value{};
    return TIFFGetFieldDefaulted(tiff_.get(), name, &value) == 1 ? value : when_missing;
  }

  void check_for_damage() const {
    if (memory_.error[0] != '\0') throw_error();
  }

  [[noreturn]] void throw_error() const {
    throw BadImage(ImageFault::damaged, std::string("truncated or damaged TIFF: ") + memory_.error.data());
  }

 private:
  TiffMemory memory_;
  std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff_{nullptr, TIFFClose};
};

// --- the header ---

struct TiffLayout {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  int bits = 0;
  int channels = 0;  // samples of a pixel
  int photometric = 0;
  int sample_format = 0;
  bool separate_planes = false;
  int alpha = -1;  // kind of the first sample beyond the colours; -1 = there is none
};

int first_extra_sample(const TiffFile& file) {
  std::uint16_t count = 0;
  std::uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(file.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds);
  return count > 0 && kinds != nullptr ? kinds[0] : -1;
}

TiffLayout read_layout(const TiffFile& file) {
  constexpr std::uint16_t kUnknown = 0xffff;
  TiffLayout layout;
  layout.width = file.tag<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
  layout.height = file.tag<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  layout.bits = file.tag<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
  layout.channels = file.tag<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
  layout.photometric = file.tag<std::uint16_t>(TIFFTAG_PHOTOMETRIC, kUnknown);
  layout.sample_format = file.tag<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  layout.separate_planes =
      file.tag<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
  layout.alpha = first_extra_sample(file);
  return layout;
}

int orientation_of(const TiffFile& file) {
  const int orientation = file.tag<std::uint16_t>(TIFFTAG_ORIENTATION, 1);
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

bool directory_lies_beyond(FileBytes bytes) {
  const ByteReader file(bytes, bytes[0] == 'I' ? std::endian::little : std::endian::big);
  const bool big_tiff = file.u16(2) == 43;
  return bytes.size() < 8 || (!big_tiff && file.u32(4) >= bytes.size());
}

bool pixels_lie_beyond(const TiffFile& file, FileBytes bytes) {
  TIFF* tiff = file.get();
  const std::uint32_t parts = TIFFIsTiled(tiff) != 0 ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  if (parts > bytes.size()) return true;  // the file is too short even for the list of its parts
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::uint64_t offset = TIFFGetStrileOffset(tiff, part);
    const std::uint64_t length = TIFFGetStrileByteCount(tiff, part);
    if (offset > bytes.size() || length > bytes.size() - offset) return true;
  }
  return false;
}

// --- the pixels, sample by sample ---

bool is_gray(const TiffLayout& layout) {
  return layout.photometric == PHOTOMETRIC_MINISBLACK || layout.photometric == PHOTOMETRIC_MINISWHITE;
}

bool has_plain_samples(const TiffLayout& layout) {
  const bool whole_bytes =
      layout.sample_format == SAMPLEFORMAT_UINT && (layout.bits == 8 || layout.bits == 16);
  const bool floats = layout.sample_format == SAMPLEFORMAT_IEEEFP && layout.bits == 32;
  return (whole_bytes || floats) && (is_gray(layout) || layout.photometric == PHOTOMETRIC_RGB);
}

int depth_of(const TiffLayout& layout) {
  return layout.bits == 8 ? CV_8U : layout.bits == 16 ? CV_16U : CV_32F;
}

void check_read(const TiffFile& file, tmsize_t got, tmsize_t wanted) {
  if (got != wanted) file.throw_error();
}

void read_strips(const TiffFile& file, int plane, cv::Mat& samples) {
  const auto height = static_cast<std::uint32_t>(samples.rows);
  const std::uint32_t rows_of_strip =
      std::clamp<std::uint32_t>(file.tag<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, height), 1, height);
  const auto row_size = static_cast<tmsize_t>(samples.elemSize()) * samples.cols;
  for (std::uint32_t y = 0; y < height; y += rows_of_strip) {
    const std::uint32_t strip = TIFFComputeStrip(file.get(), y, static_cast<std::uint16_t>(plane));
    const tmsize_t size = row_size * static_cast<tmsize_t>(std::min(rows_of_strip, height - y));
    check_read(file, TIFFReadEncodedStrip(file.get(), strip, samples.ptr(static_cast<int>(y)), size), size);
  }
}

constexpr std::uint64_t kLargestUsualTile =
    4096 * 4096;  // pixels; beyond it a tile may not exceed its picture

void read_tiles(const TiffFile& file, int plane, cv::Mat& samples) {
  const auto tile_width = file.tag<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
  const auto tile_height = file.tag<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
  const std::uint64_t pixels_of_tile = std::uint64_t{tile_width} * tile_height;
  if (pixels_of_tile == 0 || pixels_of_tile > std::max<std::uint64_t>(samples.total(), kLargestUsualTile))
    throw BadImage(ImageFault::damaged, "damaged TIFF: impossible tile size");
  cv::Mat tile(static_cast<int>(tile_height), static_cast<int>(tile_width), samples.type());
  const auto size = static_cast<tmsize_t>(tile.total() * tile.elemSize());
  for (int y = 0; y < samples.rows; y += tile.rows)
    for (int x = 0; x < samples.cols; x += tile.cols) {
      const std::uint32_t number =
          TIFFComputeTile(file.get(), static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0,
                          static_cast<std::uint16_t>(plane));
      check_read(file, TIFFReadEncodedTile(file.get(), number, tile.data, size), size);
      const cv::Rect inside(0, 0, std::min(tile.cols, samples.cols - x),
                            std::min(tile.rows, samples.rows - y));
      tile(inside).copyTo(samples(inside + cv::Point(x, y)));
    }
}

void read_plane(const TiffFile& file, int plane, cv::Mat& samples) {
  if (TIFFIsTiled(file.get()) != 0)
    read_tiles(file, plane, samples);
  else
    read_strips(file, plane, samples);
}

// All samples of all pixels, as they are in the file.
cv::Mat read_samples(const TiffFile& file, const TiffLayout& layout) {
  const cv::Size size(static_cast<int>(layout.width), static_cast<int>(layout.height));
  const int depth = depth_of(layout);
  if (!layout.separate_planes) {
    cv::Mat samples(size, CV_MAKETYPE(depth, layout.channels));
    read_plane(file, 0, samples);
    return samples;
  }
  std::vector<cv::Mat> planes(static_cast<std::size_t>(layout.channels));
  for (int plane = 0; plane < layout.channels; ++plane) {
    cv::Mat& samples = planes[static_cast<std::size_t>(plane)];
    samples.create(size, CV_MAKETYPE(depth, 1));
    read_plane(file, plane, samples);
  }
  cv::Mat samples;
  cv::merge(planes, samples);
  return samples;
}

bool alpha_counts(const TiffLayout& layout) {
  return (layout.alpha == EXTRASAMPLE_ASSOCALPHA || layout.alpha == EXTRASAMPLE_UNASSALPHA) &&
         depth_of(layout) != CV_32F;
}

// Keeps gray or BGR, and alpha where it is one; drops other channels and says so.
cv::Mat wanted_channels(const cv::Mat& samples, const TiffLayout& layout, std::vector<std::string>& notes) {
  const int colours = is_gray(layout) ? 1 : 3;
  const int alpha = alpha_counts(layout) && layout.channels > colours ? 1 : 0;
  const int kept = colours + alpha;
  if (layout.channels < colours) throw BadImage(ImageFault::damaged, "damaged TIFF: too few samples for RGB");
  if (layout.channels > kept)
    notes.push_back("only the first " + std::to_string(kept) + " of " + std::to_string(layout.channels) +
                    " channels were used");
  if (kept == 1 && layout.channels == 1) return samples;
  std::vector<int> from_to;
  for (int c = 0; c < kept; ++c) {
    from_to.push_back(c);
    from_to.push_back(colours == 3 && c < 3 ? 2 - c : c);
  }
  cv::Mat wanted(samples.size(), CV_MAKETYPE(samples.depth(), kept));
  cv::mixChannels({samples}, {wanted}, from_to);
  return wanted;
}

void make_zero_black(cv::Mat& pixels) {
  if (pixels.depth() == CV_32F) return;
  const double white = pixels.depth() == CV_8U ? 255 : 65535;
  const bool has_alpha = pixels.channels() == 2;
  pixels ^= has_alpha ? cv::Scalar(white, 0) : cv::Scalar::all(white);
}

RawImage decode_samples(const TiffFile& file, const TiffLayout& layout) {
  RawImage raw;
  raw.pixels = wanted_channels(read_samples(file, layout), layout, raw.notes);
  if (layout.photometric == PHOTOMETRIC_MINISWHITE) make_zero_black(raw.pixels);
  raw.premultiplied = layout.alpha == EXTRASAMPLE_ASSOCALPHA;
  return raw;
}

// --- the pixels, as libtiff turns them into colours ---

cv::Mat read_colours(const TiffFile& file, const TiffLayout& layout) {
  std::array<char, 1024> reason{};
  TIFFRGBAImage picture;
  constexpr int kStopOnErrors = 1;
  if (TIFFRGBAImageBegin(&picture, file.get(), kStopOnErrors, reason.data()) == 0)
    throw BadImage(ImageFault::unsupported,
                   std::string("a kind of TIFF that is not supported, or damaged: ") + reason.data());
  const std::unique_ptr<TIFFRGBAImage, decltype(&TIFFRGBAImageEnd)> end(&picture, TIFFRGBAImageEnd);
  picture.orientation = picture.req_orientation = ORIENTATION_TOPLEFT;  // turning is not libtiff's task here
  cv::Mat pixels(static_cast<int>(layout.height), static_cast<int>(layout.width), CV_8UC4);
  if (TIFFRGBAImageGet(&picture, pixels.ptr<std::uint32_t>(), layout.width, layout.height) == 0)
    file.throw_error();
  return pixels;
}

RawImage decode_colours(const TiffFile& file, const TiffLayout& layout) {
  RawImage raw;
  cv::cvtColor(read_colours(file, layout), raw.pixels, cv::COLOR_RGBA2BGRA);
  raw.premultiplied = true;
  return raw;
}

[[noreturn]] void throw_unsupported(const TiffLayout& layout) {
  constexpr std::array<const char*, 7> kFormats = {"",        "unsigned", "signed", "float",
                                                   "untyped", "complex",  "complex"};
  const auto format = static_cast<std::size_t>(layout.sample_format);
  throw BadImage(ImageFault::unsupported, "TIFF samples of " + std::to_string(layout.bits) + " bits (" +
                                              (format < kFormats.size() ? kFormats[format] : "unknown") +
                                              ") are not supported");
}

}  // namespace

StoredHeader tiff_header(FileBytes bytes) {
  if (directory_lies_beyond(bytes))
    throw BadImage(ImageFault::truncated, "truncated: the TIFF's directory lies beyond the end of the file");
  const TiffFile file(bytes);
  const TiffLayout layout = read_layout(file);
  StoredHeader stored{.image = {.format = ImageFormat::tiff,
                                .width = static_cast<int>(layout.width),
                                .height = static_cast<int>(layout.height),
                                .channels = layout.channels,
                                .bits = layout.bits,
                                .orientation = orientation_of(file)}};
  if (pixels_lie_beyond(file, bytes))
    stored.truncation = "truncated: pixels of the TIFF lie beyond the end of the file";
  return stored;
}

RawImage decode_tiff(FileBytes bytes, const ImageHeader& header) {
  const TiffFile file(bytes);
  const TiffLayout layout = read_layout(file);
  constexpr int kMostChannels = 64;
  if (header.channels > kMostChannels)
    throw BadImage(ImageFault::unsupported, "a TIFF of " + std::to_string(header.channels) + " channels");
  const bool colours_at_8_bits = layout.sample_format == SAMPLEFORMAT_UINT && layout.bits <= 16;
  if (!has_plain_samples(layout) && !colours_at_8_bits) throw_unsupported(layout);
  RawImage raw = has_plain_samples(layout) ? decode_samples(file, layout) : decode_colours(file, layout);
  file.check_for_damage();
  if (TIFFLastDirectory(file.get()) == 0) raw.notes.emplace_back("only the first page was used");
  return raw;
}

}  // namespace contexton
