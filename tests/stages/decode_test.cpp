// Reading and decoding image files: what all formats have in common, and how a bad file is reported.
#include "stages/input/decode.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/stages/decode_checks.hpp"

namespace contexton {
namespace {

// A folder of this test's own, removed afterwards.
class DecodeFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("contexton decode " + std::to_string(::getpid()) + " " +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path write(const std::filesystem::path& name, const Bytes& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

// --- reading files ---

TEST_F(DecodeFiles, bytes_come_back_from_a_path_with_spaces_and_unicode) {
  const Bytes bytes = encoded(".png", picture(9, 7));
  EXPECT_EQ(read_file_bytes(write("größe ü 日本 .png", bytes)), bytes);
}

TEST_F(DecodeFiles, a_missing_file_says_so) {
  expect_refused(refusal_of([&] { (void)read_file_bytes(folder_ / "absent.png"); }), ImageFault::missing,
                 "does not exist");
}

TEST_F(DecodeFiles, a_folder_says_so) {
  expect_refused(refusal_of([&] { (void)read_file_bytes(folder_); }), ImageFault::unreadable, "folder");
}

TEST_F(DecodeFiles, a_zero_byte_file_says_so) {
  const auto path = write("empty.jpg", {});
  expect_refused(refusal_of([&] { (void)read_file_bytes(path); }), ImageFault::empty, "zero bytes");
}

TEST_F(DecodeFiles, a_pipe_is_refused_instead_of_waited_for) {
  const auto path = folder_ / "pipe.png";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_refused(refusal_of([&] { (void)read_file_bytes(path); }), ImageFault::unreadable,
                 "not a regular file");
}

TEST_F(DecodeFiles, a_file_without_permission_says_so) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  const auto path = write("secret.png", encoded(".png", picture(4, 4)));
  std::filesystem::permissions(path, std::filesystem::perms::none);
  expect_refused(refusal_of([&] { (void)read_file_bytes(path); }), ImageFault::unreadable, "cannot be read");
}

TEST_F(DecodeFiles, a_symbolic_link_to_itself_is_unreadable) {
  const auto path = folder_ / "loop.png";
  std::filesystem::create_symlink(path, path);
  expect_refused(refusal_of([&] { (void)read_file_bytes(path); }), ImageFault::unreadable, "cannot be read");
}

TEST(DecodePaths, extensions_count_in_any_case_and_other_files_do_not) {
  for (const char* name : {"a.jpg", "a.JPG", "a.Jpeg", "a.png", "a.bmp", "a.tif", "a.TIFF", "a.pgm", "a.ppm",
                           "a.pbm", "a.pnm", "a.webp", "dir.x/a.ras", "a.sr"})
    EXPECT_TRUE(looks_like_image_path(name)) << name;
  for (const char* name : {"a", "jpg", ".jpg", "a.txt", "a.jpg.txt", "a.gif", "a.png~", "dir.png/a"})
    EXPECT_FALSE(looks_like_image_path(name)) << name;
}

// --- what is no image ---

TEST(DecodeContent, no_bytes_at_all_are_empty) {
  expect_refused(probe_refusal({}), ImageFault::empty, "zero bytes");
  expect_refused(decode_refusal({}), ImageFault::empty, "zero bytes");
}

TEST(DecodeContent, other_content_is_named) {
  const std::vector<std::pair<Bytes, std::string>> cases = {
      {bytes_of("Hello, I am no picture.\n"), "a text file"},
      {bytes_of("BMW is a car, and this is a text about it."), "a text file"},
      {bytes_of("<!DOCTYPE html><html><body>404</body></html>"), "an HTML page"},
      {bytes_of("<?xml version='1.0'?><svg width='3'></svg>"), "an SVG drawing"},
      {bytes_of("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), "Git LFS"},
      {bytes_of("GIF89a\x01\x02"), "a GIF image"},
      {bytes_of("%PDF-1.4 \xff\xfe"), "a PDF document"},
      {Bytes(500, 0), "zero bytes"},
      {Bytes{1, 2, 3, 4, 5, 6, 7}, "unknown kind"},
      {Bytes{0xff, 0xd8}, "unknown kind"}};
  for (const auto& [bytes, words] : cases) {
    expect_refused(probe_refusal(bytes), ImageFault::not_an_image, words);
    expect_refused(decode_refusal(bytes), ImageFault::not_an_image, words);
  }
}

// --- the header ---

struct Encoding {
  std::string name;
  Bytes bytes;
  ImageFormat format;
  bool exact;  // decodes to the very pixels that were encoded
};

std::vector<Encoding> encodings_of(const cv::Mat& pixels) {
  return {
      {"jpeg", encoded(".jpg", pixels), ImageFormat::jpeg, false},
      {"progressive jpeg", encoded(".jpg", pixels, {cv::IMWRITE_JPEG_PROGRESSIVE, 1}), ImageFormat::jpeg,
       false},
      {"jpeg with restarts", encoded(".jpg", pixels, {cv::IMWRITE_JPEG_RST_INTERVAL, 2}), ImageFormat::jpeg,
       false},
      {"png", encoded(".png", pixels), ImageFormat::png, true},
      {"bmp", encoded(".bmp", pixels), ImageFormat::bmp, true},
      {"tiff lzw", encoded(".tif", pixels), ImageFormat::tiff, true},
      {"tiff plain", encoded(".tif", pixels, {cv::IMWRITE_TIFF_COMPRESSION, 1}), ImageFormat::tiff, true},
      {"tiff deflate", encoded(".tif", pixels, {cv::IMWRITE_TIFF_COMPRESSION, 8}), ImageFormat::tiff, true},
      {"pnm", encoded(".pnm", pixels), ImageFormat::pnm, true},
      {"pnm text", encoded(".pnm", pixels, {cv::IMWRITE_PXM_BINARY, 0}), ImageFormat::pnm, true},
      {"webp", encoded(".webp", pixels), ImageFormat::webp, false},
      {"lossless webp", encoded(".webp", pixels, {cv::IMWRITE_WEBP_QUALITY, 101}), ImageFormat::webp, true},
      {"sun raster", made::sun_raster(pixels), ImageFormat::sun_raster, true}};
}

TEST(DecodeHeader, size_and_format_are_read_without_decoding) {
  for (const Encoding& encoding : encodings_of(picture(54, 37))) {
    const ImageHeader header = probe_image(encoding.bytes, kGray);
    EXPECT_EQ(header.format, encoding.format) << encoding.name;
    EXPECT_EQ(header.width, 54) << encoding.name;
    EXPECT_EQ(header.height, 37) << encoding.name;
    EXPECT_EQ(header.channels, encoding.name == "lossless webp" ? header.channels : 3) << encoding.name;
    EXPECT_EQ(header.bits, 8) << encoding.name;
  }
}

TEST(DecodeHeader, the_stored_bits_and_channels_are_reported) {
  cv::Mat wide;
  gray_picture(10, 8).convertTo(wide, CV_16U, 257);
  EXPECT_EQ(probe_image(encoded(".png", wide), kGray).bits, 16);
  EXPECT_EQ(probe_image(encoded(".tif", wide), kGray).bits, 16);
  EXPECT_EQ(probe_image(encoded(".pgm", wide), kGray).bits, 16);
  EXPECT_EQ(probe_image(encoded(".png", gray_picture(10, 8)), kGray).channels, 1);
  EXPECT_EQ(probe_image(encoded(".jpg", gray_picture(10, 8)), kGray).channels, 1);
}

TEST(DecodeHeader, a_bomb_is_refused_by_its_header_and_the_option_is_named) {
  const Bytes whole = made::png({.width = 40000, .height = 40000, .rows = {}, .with_pixels = false});
  const Bytes header_only =
      made::png({.width = 40000, .height = 40000, .with_pixels = false, .with_end = false});
  for (const Bytes& bomb : {whole, header_only}) {
    expect_refused(probe_refusal(bomb), ImageFault::too_large, "max_pixels = 100000000");
    expect_refused(decode_refusal(bomb), ImageFault::too_large, "40000 x 40000");
  }
}

TEST(DecodeHeader, max_pixels_is_exact_for_every_format) {
  for (const Encoding& encoding : encodings_of(picture(20, 10))) {
    EXPECT_FALSE(decode_refusal(encoding.bytes, {.max_pixels = 200}).refused) << encoding.name;
    expect_refused(decode_refusal(encoding.bytes, {.max_pixels = 199}), ImageFault::too_large,
                   "max_pixels = 199");
    expect_refused(probe_refusal(encoding.bytes, {.max_pixels = 199}), ImageFault::too_large,
                   "max_pixels = 199");
  }
}

TEST(DecodeHeader, sizes_that_cannot_be_are_refused) {
  expect_refused(decode_refusal(made::png({.width = 0, .height = 5})), ImageFault::damaged, "0 x 5");
  expect_refused(decode_refusal(made::png({.width = -3, .height = 5, .with_pixels = false})),
                 ImageFault::damaged, "-3 x 5");
  expect_refused(decode_refusal(bytes_of("P5\n0 7\n255\n")), ImageFault::damaged, "0 x 7");
  expect_refused(decode_refusal(made::bmp(0, 4, 24, 0, {}, {})), ImageFault::damaged, "0 x 4");
  expect_refused(decode_refusal(made::sun_raster(-1, 4, 8, 1, {}, {})), ImageFault::damaged, "-1 x 4");
}

// --- every format gives the right pixels ---

TEST(DecodePixels, colour_is_what_was_encoded) {
  const cv::Mat original = picture(61, 43);
  for (const Encoding& encoding : encodings_of(original)) {
    const Image image = decode_image(encoding.bytes, kColour);
    ASSERT_EQ(image.pixels.type(), CV_8UC3) << encoding.name;
    if (encoding.exact) {
      EXPECT_EQ(largest_difference(image.pixels, original), 0) << encoding.name;
    }
    EXPECT_LT(cv::norm(image.pixels, original, cv::NORM_L1) / static_cast<double>(original.total() * 3), 8)
        << encoding.name;
    EXPECT_TRUE(image.mask.empty()) << encoding.name;
    EXPECT_TRUE(image.notes.empty()) << encoding.name;
    EXPECT_EQ(image.scale, 1) << encoding.name;
  }
}

TEST(DecodePixels, gray_of_colour_is_opencvs_gray) {
  const cv::Mat original = picture(61, 43);
  for (const Encoding& encoding : encodings_of(original)) {
    const Image image = decode_image(encoding.bytes, kGray);
    ASSERT_EQ(image.pixels.type(), CV_8UC1) << encoding.name;
    if (encoding.exact) {
      EXPECT_EQ(largest_difference(image.pixels, gray_by_opencv(original)), 0) << encoding.name;
    }
  }
}

TEST(DecodePixels, gray_files_stay_as_they_are) {
  const cv::Mat original = gray_picture(61, 43);
  for (const Encoding& encoding : encodings_of(original)) {
    const Image gray = decode_image(encoding.bytes, kGray);
    const Image colour = decode_image(encoding.bytes, kColour);
    ASSERT_EQ(gray.pixels.type(), CV_8UC1) << encoding.name;
    ASSERT_EQ(colour.pixels.type(), CV_8UC3) << encoding.name;
    if (!encoding.exact) continue;
    EXPECT_EQ(largest_difference(gray.pixels, original), 0) << encoding.name;
    EXPECT_EQ(largest_difference(gray_by_opencv(colour.pixels), original), 0) << encoding.name;
  }
}

TEST(DecodePixels, one_pixel_is_an_image_in_every_format) {
  for (const Encoding& encoding : encodings_of(cv::Mat(1, 1, CV_8UC3, cv::Scalar(10, 200, 90))))
    EXPECT_EQ(decode_image(encoding.bytes, kColour).pixels.size(), cv::Size(1, 1)) << encoding.name;
}

TEST(DecodePixels, many_threads_get_the_same_pixels) {
  const auto encodings = encodings_of(picture(120, 90));
  std::vector<cv::Mat> expected;
  for (const Encoding& encoding : encodings) expected.push_back(decode_image(encoding.bytes, kGray).pixels);
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (int& mistakes : wrong)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < encodings.size(); ++i)
        mistakes +=
            largest_difference(decode_image(encodings[i].bytes, kGray).pixels, expected[i]) == 0 ? 0 : 1;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

// --- orientation ---

TEST(DecodeOrientation, all_eight_of_a_jpeg_are_those_of_opencv) {
  const Bytes jpeg = encoded(".jpg", picture(64, 40));
  for (int orientation = 1; orientation <= 8; ++orientation)
    for (const bool big_endian : {false, true}) {
      const Bytes bytes = made::with_exif(jpeg, orientation, big_endian);
      const cv::Mat expected = cv::imdecode(bytes, cv::IMREAD_COLOR);
      const Image image = decode_image(bytes, kColour);
      EXPECT_EQ(largest_difference(image.pixels, expected), 0) << orientation;
      const ImageHeader header = probe_image(bytes, kColour);
      EXPECT_EQ(header.orientation, orientation);
      EXPECT_EQ(cv::Size(header.width, header.height), expected.size()) << orientation;
      EXPECT_EQ(expected.size(), orientation >= 5 ? cv::Size(40, 64) : cv::Size(64, 40));
    }
}

TEST(DecodeOrientation, square_pictures_turn_too) {
  const Bytes jpeg = encoded(".jpg", picture(48, 48));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Bytes bytes = made::with_exif(jpeg, orientation);
    EXPECT_EQ(largest_difference(decode_image(bytes, kColour).pixels, cv::imdecode(bytes, cv::IMREAD_COLOR)),
              0)
        << orientation;
  }
}

TEST(DecodeOrientation, it_is_ignored_when_the_option_is_off) {
  const Bytes jpeg = encoded(".jpg", picture(64, 40));
  const DecodeOptions as_stored{.gray = false, .exif = false};
  const Bytes turned = made::with_exif(jpeg, 6);
  EXPECT_EQ(largest_difference(decode_image(turned, as_stored).pixels, decode_image(jpeg, kColour).pixels),
            0);
  EXPECT_EQ(probe_image(turned, as_stored).width, 64);
}

// The standard's definition, pixel by pixel.
cv::Mat upright(const cv::Mat& stored, int orientation) {
  const int right = stored.cols - 1;
  const int bottom = stored.rows - 1;
  cv::Mat turned(orientation >= 5 ? cv::Size(stored.rows, stored.cols) : stored.size(), stored.type());
  for (int y = 0; y < turned.rows; ++y)
    for (int x = 0; x < turned.cols; ++x) {
      const std::array<cv::Point, 8> sources = {
          cv::Point(x, y), {right - x, y},  {right - x, bottom - y}, {x, bottom - y},
          {y, x},          {y, bottom - x}, {right - y, bottom - x}, {right - y, x}};
      const cv::Point source = sources[static_cast<std::size_t>(orientation - 1)];
      stored(cv::Rect(source, cv::Size(1, 1))).copyTo(turned(cv::Rect(x, y, 1, 1)));
    }
  return turned;
}

TEST(DecodeOrientation, png_tiff_and_webp_turn_as_the_standard_says) {
  const cv::Mat gray = gray_picture(14, 9);
  const cv::Mat colour = picture(14, 9);
  const Bytes rows(gray.datastart, gray.dataend);
  const Bytes webp = encoded(".webp", colour, {cv::IMWRITE_WEBP_QUALITY, 101});
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Bytes exif = made::exif_block(orientation);
    const Bytes png =
        made::png({.width = 14, .height = 9, .rows = rows, .chunks_before_pixels = {{"eXIf", exif}}});
    const Bytes tiff = made::tiff({.width = 14, .height = 9, .orientation = orientation, .pixels = rows});
    for (const Bytes& bytes : {png, tiff}) {
      EXPECT_EQ(largest_difference(decode_image(bytes, kGray).pixels, upright(gray, orientation)), 0)
          << orientation;
      EXPECT_EQ(probe_image(bytes, kGray).width, orientation >= 5 ? 9 : 14);
    }
    const Image turned = decode_image(made::webp_with_exif(webp, 14, 9, exif), kColour);
    EXPECT_EQ(largest_difference(turned.pixels, upright(colour, orientation)), 0) << orientation;
  }
}

TEST(DecodeOrientation, an_invalid_or_garbled_tag_is_ignored) {
  const Bytes jpeg = encoded(".jpg", picture(64, 40));
  const cv::Mat expected = decode_image(jpeg, kColour).pixels;
  const Bytes exif = bytes_of(std::string_view("Exif\0\0", 6));
  Bytes far_directory = made::exif_block(6);
  far_directory[4] = 0xf0;
  Bytes endless = made::exif_block(6);
  endless[8] = endless[9] = 0xff;
  endless[22] = 0x13;  // hides the orientation, so that the search runs off the end
  Bytes wrong_type = made::exif_block(6);
  wrong_type[24] = 2;
  for (const Bytes& content :
       {exif + made::exif_block(0), exif + made::exif_block(9), exif + made::exif_block(65535),
        exif + far_directory, exif + endless, exif + wrong_type, exif, exif + bytes_of("II"),
        exif + bytes_of("garbage garbage"), bytes_of("http://ns.adobe.com/xap/1.0/ <x/>"), Bytes{}}) {
    const Bytes bytes = made::with_app1(jpeg, content);
    EXPECT_EQ(largest_difference(decode_image(bytes, kColour).pixels, expected), 0);
    EXPECT_EQ(probe_image(bytes, kColour).orientation, 1);
  }
}

// --- size ---

TEST(DecodeSize, the_longer_side_is_reduced_to_max_side) {
  const Bytes bytes = encoded(".png", picture(100, 40));
  const Image image = decode_image(bytes, {.gray = false, .max_side = 25});
  cv::Mat expected;
  cv::resize(picture(100, 40), expected, cv::Size(25, 10), 0, 0, cv::INTER_AREA);
  EXPECT_EQ(largest_difference(image.pixels, expected), 0);
  EXPECT_DOUBLE_EQ(image.scale, 0.25);
}

TEST(DecodeSize, nothing_is_enlarged) {
  const Bytes bytes = encoded(".png", picture(100, 40));
  for (const int max_side : {0, 100, 5000}) {
    const Image image = decode_image(bytes, {.gray = false, .max_side = max_side});
    EXPECT_EQ(largest_difference(image.pixels, picture(100, 40)), 0) << max_side;
    EXPECT_EQ(image.scale, 1) << max_side;
  }
}

TEST(DecodeSize, a_thin_picture_keeps_one_pixel) {
  EXPECT_EQ(decode_image(encoded(".png", picture(1000, 2)), {.max_side = 50}).pixels.size(), cv::Size(50, 1));
}

TEST(DecodeSize, the_mask_is_reduced_and_turned_with_the_pixels) {
  cv::Mat pixels(40, 80, CV_8UC4, cv::Scalar(10, 20, 30, 255));
  pixels(cv::Rect(0, 0, 20, 40)).setTo(cv::Scalar(0, 0, 0, 0));
  Bytes rows;
  cv::Mat rgba;
  cv::cvtColor(pixels, rgba, cv::COLOR_BGRA2RGBA);
  rows.assign(rgba.datastart, rgba.dataend);
  const Bytes bytes = made::png({.width = 80,
                                 .height = 40,
                                 .colour_type = 6,
                                 .rows = rows,
                                 .chunks_before_pixels = {{"eXIf", made::exif_block(6)}}});
  const Image image = decode_image(bytes, {.max_side = 40});
  ASSERT_EQ(image.pixels.size(), cv::Size(20, 40));
  ASSERT_EQ(image.mask.size(), cv::Size(20, 40));
  cv::Mat expected(40, 20, CV_8UC1, cv::Scalar(255));
  expected(cv::Rect(0, 0, 20, 10)).setTo(0);  // turned right, the left end is at the top
  EXPECT_EQ(largest_difference(image.mask, expected), 0);
}

// --- the Image itself ---

TEST(ImageGray, a_gray_image_is_returned_without_a_copy) {
  Image image;
  image.pixels = gray_picture(5, 4);
  EXPECT_EQ(gray_of(image).data, image.pixels.data);
}

TEST(ImageGray, a_colour_image_is_converted_as_opencv_does) {
  Image image;
  image.pixels = picture(5, 4);
  EXPECT_EQ(largest_difference(gray_of(image), gray_by_opencv(image.pixels)), 0);
}

TEST(ImageGray, an_empty_image_stays_empty) {
  EXPECT_TRUE(gray_of(Image{}).empty());
}

}  // namespace
}  // namespace contexton
