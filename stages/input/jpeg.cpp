// JPEG files by libjpeg: silent, and with every sign of damage an error instead of gray pixels.
#include <cstdio>  // jpeglib.h needs it first
//
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>

#include "stages/input/byte_reader.hpp"
#include "stages/input/codecs.hpp"
#include "stages/input/exif.hpp"

namespace contexton {
namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr int kMaxScans = 500;  // real progressive files have about ten; more is an attack on our time

// libjpeg's error manager and the way out of its C code; `base` comes first so that libjpeg's pointer to it
// is ours.
struct ErrorTrap {
  jpeg_error_mgr base;
  std::jmp_buf way_out;
  std::array<char, JMSG_LENGTH_MAX> message;
  int code;
};

ErrorTrap& trap_of(j_common_ptr jpeg) {
  return *reinterpret_cast<ErrorTrap*>(jpeg->err);
}

[[noreturn]] void leave_libjpeg(j_common_ptr jpeg) {
  ErrorTrap& trap = trap_of(jpeg);
  trap.code = trap.base.msg_code;
  trap.base.format_message(jpeg, trap.message.data());
  std::longjmp(trap.way_out, 1);
}

// Cameras pad the space before a marker; real data that the decoder did not use is damage.
bool skipped_only_padding(const jpeg_decompress_struct& jpeg, FileBytes bytes) {
  const auto skipped = static_cast<std::size_t>(std::max(0, jpeg.err->msg_parm.i[0]));
  const auto position = static_cast<std::size_t>(jpeg.src->next_input_byte - bytes.data());
  if (skipped > position || position > bytes.size()) return false;
  const FileBytes between = bytes.subspan(position - skipped, skipped);
  return std::ranges::all_of(between, [](std::uint8_t byte) { return byte == 0 || byte == 0xff; });
}

bool is_harmless(j_common_ptr common) {
  const auto& jpeg = *reinterpret_cast<j_decompress_ptr>(common);
  const auto& bytes = *static_cast<const FileBytes*>(common->client_data);
  switch (common->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL:  // useless fields with values that are not the standard's
      return true;
    case JWRN_EXTRANEOUS_DATA:
      return jpeg.input_scan_number == 0 || skipped_only_padding(jpeg, bytes);
    default:
      return false;
  }
}

void on_message(j_common_ptr jpeg, int level) {
  const bool is_warning = level < 0;
  if (is_warning && !is_harmless(jpeg)) leave_libjpeg(jpeg);
}

void ignore_output(j_common_ptr) {}

void limit_scans(j_common_ptr common) {
  if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number <= kMaxScans) return;
  common->err->msg_code = JERR_BAD_PROGRESSION;
  leave_libjpeg(common);
}

ImageFault fault_of(int code) {
  switch (code) {
    case JERR_INPUT_EMPTY:
    case JERR_INPUT_EOF:
    case JWRN_JPEG_EOF:
      return ImageFault::truncated;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_SOF_UNSUPPORTED:
      return ImageFault::unsupported;
    case JERR_OUT_OF_MEMORY:
      return ImageFault::too_large;
    default:
      return ImageFault::damaged;
  }
}

[[noreturn]] void throw_trapped(const ErrorTrap& trap) {
  const ImageFault fault = fault_of(trap.code);
  const std::string reason = trap.message.data();
  if (fault == ImageFault::truncated) throw BadImage(fault, "truncated: the end of the JPEG data is missing");
  if (fault == ImageFault::unsupported)
    throw BadImage(fault, "a kind of JPEG that is not supported: " + reason);
  if (fault == ImageFault::too_large) throw BadImage(fault, "too large: not enough memory for this JPEG");
  throw BadImage(fault, "damaged JPEG: " + reason);
}

// One libjpeg decoder over bytes in memory. Every call into libjpeg is made from a function that sets the way
// out first and holds nothing that a jump would leak.
class JpegDecoder {
 public:
  explicit JpegDecoder(FileBytes bytes) : bytes_(bytes) {
    jpeg_.err = jpeg_std_error(&trap_.base);
    trap_.base.error_exit = leave_libjpeg;
    trap_.base.emit_message = on_message;
    trap_.base.output_message = ignore_output;
    jpeg_.client_data = &bytes_;
    progress_.progress_monitor = limit_scans;
    try {
      read_header();
    } catch (...) {
      jpeg_destroy_decompress(&jpeg_);
      throw;
    }
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&jpeg_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  [[nodiscard]] const jpeg_decompress_struct& info() const { return jpeg_; }
  [[nodiscard]] bool is_cmyk() const { return jpeg_.num_components == 4; }

  void start(J_COLOR_SPACE colours) {
    if (setjmp(trap_.way_out) != 0) throw_trapped(trap_);
    jpeg_.out_color_space = colours;
    jpeg_start_decompress(&jpeg_);
  }

  // The next rows into these places; returns how many were read.
  int read_rows(JSAMPROW* rows, int count) {
    if (setjmp(trap_.way_out) != 0) throw_trapped(trap_);
    return static_cast<int>(jpeg_read_scanlines(&jpeg_, rows, static_cast<JDIMENSION>(count)));
  }

  // Reads on to the end marker: its absence means that the end of the picture is missing too.
  void finish() {
    if (setjmp(trap_.way_out) != 0) throw_trapped(trap_);
    jpeg_finish_decompress(&jpeg_);
  }

 private:
  void read_header() {
    if (setjmp(trap_.way_out) != 0) throw_trapped(trap_);
    jpeg_create_decompress(&jpeg_);
    jpeg_.progress = &progress_;
    jpeg_mem_src(&jpeg_, bytes_.data(), bytes_.size());
    jpeg_save_markers(&jpeg_, kExifMarker, 0xffff);
    jpeg_read_header(&jpeg_, TRUE);
  }

  FileBytes bytes_;
  ErrorTrap trap_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct jpeg_{};
};

int orientation_of(const jpeg_decompress_struct& jpeg) {
  constexpr std::string_view kExifName("Exif\0\0", 6);
  for (const jpeg_marker_struct* marker = jpeg.marker_list; marker != nullptr; marker = marker->next) {
    const FileBytes content(marker->data, marker->data_length);
    if (marker->marker == kExifMarker && ByteReader(content, std::endian::little).has_text(0, kExifName))
      return exif_orientation(content.subspan(kExifName.size()));
  }
  return 1;
}

// Trailing bytes after the end marker are common (padding, a second picture), so it need not be the last
// thing.
bool has_end_marker(FileBytes bytes, std::size_t header_size) {
  const FileBytes scans = bytes.subspan(header_size);
  for (std::size_t i = scans.size(); i >= 2; --i)
    if (scans[i - 2] == 0xff && scans[i - 1] == JPEG_EOI) return true;
  return false;
}

void read_all_rows(JpegDecoder& decoder, cv::Mat& pixels) {
  constexpr int kRowsAtOnce = 16;
  std::array<JSAMPROW, kRowsAtOnce> rows;
  for (int y = 0; y < pixels.rows;) {
    const int count = std::min(kRowsAtOnce, pixels.rows - y);
    for (int i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = pixels.ptr(y + i);
    y += decoder.read_rows(rows.data(), count);
  }
}

// Ink on white paper. Files by Adobe store the light that passes (255 = no ink), others the ink.
void cmyk_row_to_bgr(const std::uint8_t* cmyk, int width, bool stores_light, std::uint8_t* bgr) {
  const auto light = [&](std::uint8_t sample) { return stores_light ? sample : 255 - sample; };
  for (int x = 0; x < width; ++x, cmyk += 4, bgr += 3)
    for (int c = 0; c < 3; ++c)
      bgr[2 - c] = static_cast<std::uint8_t>((light(cmyk[c]) * light(cmyk[3]) + 127) / 255);
}

void read_all_cmyk_rows(JpegDecoder& decoder, cv::Mat& pixels) {
  std::vector<std::uint8_t> cmyk(static_cast<std::size_t>(pixels.cols) * 4);
  for (int y = 0; y < pixels.rows;) {
    JSAMPROW row = cmyk.data();
    if (decoder.read_rows(&row, 1) == 0) continue;
    cmyk_row_to_bgr(cmyk.data(), pixels.cols, decoder.info().saw_Adobe_marker != 0, pixels.ptr(y++));
  }
}

}  // namespace

StoredHeader jpeg_header(FileBytes bytes) {
  const JpegDecoder decoder(bytes);
  const jpeg_decompress_struct& jpeg = decoder.info();
  StoredHeader stored{.image = {.format = ImageFormat::jpeg,
                                .width = static_cast<int>(jpeg.image_width),
                                .height = static_cast<int>(jpeg.image_height),
                                .channels = jpeg.num_components,
                                .bits = jpeg.data_precision,
                                .orientation = orientation_of(jpeg)}};
  const std::size_t header_size = bytes.size() - jpeg.src->bytes_in_buffer;
  if (!has_end_marker(bytes, header_size)) stored.truncation = "truncated: the JPEG has no end marker";
  return stored;
}

RawImage decode_jpeg(FileBytes bytes, bool gray) {
  JpegDecoder decoder(bytes);
  RawImage raw;
  decoder.start(decoder.is_cmyk() ? JCS_CMYK : gray ? JCS_GRAYSCALE : JCS_EXT_BGR);
  const cv::Size size(static_cast<int>(decoder.info().output_width),
                      static_cast<int>(decoder.info().output_height));
  raw.pixels.create(size, gray && !decoder.is_cmyk() ? CV_8UC1 : CV_8UC3);
  if (decoder.is_cmyk()) {
    read_all_cmyk_rows(decoder, raw.pixels);
    raw.notes.emplace_back("CMYK converted to RGB without a colour profile");
  } else {
    read_all_rows(decoder, raw.pixels);
  }
  decoder.finish();
  return raw;
}

}  // namespace contexton
