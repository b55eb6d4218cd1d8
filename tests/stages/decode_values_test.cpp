// Decoding sample values: more than 8 bits, floats and transparency become the 8 bits that stages see.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/stages/decode_checks.hpp"

namespace contexton {
namespace {

// --- more than 8 bits ---

cv::Mat ramp_16(int width, int largest) {
  cv::Mat ramp(2, width, CV_16UC1);
  for (int x = 0; x < width; ++x) ramp.col(x).setTo(x * largest / (width - 1));
  return ramp;
}

TEST(DecodeRange, twelve_bits_in_sixteen_fill_the_range_and_are_noted) {
  const cv::Mat ramp = ramp_16(64, 4095);
  for (const char* extension : {".tif", ".png"}) {
    const Image image = decode_image(encoded(extension, ramp), kGray);
    for (int x = 0; x < 64; ++x)
      EXPECT_NEAR(image.pixels.at<std::uint8_t>(0, x), ramp.at<std::uint16_t>(0, x) * 255.0 / 4095, 0.51);
    EXPECT_EQ(image.pixels.at<std::uint8_t>(0, 63), 255);
    EXPECT_TRUE(has_note(image, "12-bit range mapped to 8 bits"));
  }
}

TEST(DecodeRange, the_smallest_usual_range_that_holds_the_brightest_sample_is_taken) {
  const std::vector<std::pair<int, std::string>> cases = {
      {0, "8-bit"},     {255, "8-bit"},    {256, "10-bit"},   {1023, "10-bit"}, {1024, "12-bit"},
      {4096, "14-bit"}, {16383, "14-bit"}, {16384, "16-bit"}, {65535, "16-bit"}};
  for (const auto& [brightest, words] : cases)
    EXPECT_TRUE(has_note(decode_image(encoded(".png", ramp_16(8, brightest)), kGray), words)) << brightest;
}

TEST(DecodeRange, full_range_divides_by_257) {
  const cv::Mat ramp = ramp_16(64, 4095);
  const Image image = decode_image(encoded(".tif", ramp), {.range16 = Range16::full});
  for (int x = 0; x < 64; ++x)
    EXPECT_NEAR(image.pixels.at<std::uint8_t>(0, x), ramp.at<std::uint16_t>(0, x) / 257.0, 0.51);
}

TEST(DecodeRange, sixteen_bit_colour_keeps_its_colours) {
  const cv::Mat original = picture(31, 17);
  cv::Mat wide;
  original.convertTo(wide, CV_16U, 257);
  for (const char* extension : {".tif", ".png", ".ppm"}) {
    const Image image = decode_image(encoded(extension, wide), kColour);
    EXPECT_EQ(largest_difference(image.pixels, original), 0) << extension;
    EXPECT_TRUE(has_note(image, "16-bit range")) << extension;
  }
}

TEST(DecodeRange, a_maximum_value_stated_by_a_pnm_is_white) {
  const Image twelve = decode_image(bytes_of("P5 2 1 4095\n") + Bytes{0x07, 0xff, 0x0f, 0xff}, kGray);
  EXPECT_EQ(twelve.pixels.at<std::uint8_t>(0, 0), 127);
  EXPECT_EQ(twelve.pixels.at<std::uint8_t>(0, 1), 255);
  EXPECT_TRUE(has_note(twelve, "0..4095"));
  const Image four = decode_image(bytes_of("P2\n# a comment\n3 1\n15\n0 5 15\n"), kGray);
  EXPECT_EQ(values_of(four.pixels), (std::vector<int>{0, 85, 255}));
}

Bytes float_bytes(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Image float_tiff(const std::vector<float>& values) {
  return decode_image(made::tiff({.width = static_cast<int>(values.size()),
                                  .height = 1,
                                  .bits = 32,
                                  .sample_format = 3,
                                  .pixels = float_bytes(values)}),
                      kGray);
}

TEST(DecodeRange, floats_are_mapped_by_convention_or_stretched_and_noted) {
  EXPECT_EQ(values_of(float_tiff({0, 0.2F, 1}).pixels), (std::vector<int>{0, 51, 255}));
  EXPECT_EQ(values_of(float_tiff({0, 51, 200}).pixels), (std::vector<int>{0, 51, 200}));
  EXPECT_EQ(values_of(float_tiff({-10, 0, 40}).pixels), (std::vector<int>{0, 51, 255}));
  EXPECT_EQ(values_of(float_tiff({0, 2000, 10000}).pixels), (std::vector<int>{0, 51, 255}));
  EXPECT_EQ(values_of(float_tiff({-4, -4}).pixels), (std::vector<int>{0, 0}));
  EXPECT_TRUE(has_note(float_tiff({-10, 0, 40}), "float range -10..40"));
}

TEST(DecodeRange, floats_that_are_no_numbers_are_masked) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Image image = float_tiff({0.2F, nan, 1, infinity});
  EXPECT_EQ(values_of(image.pixels), (std::vector<int>{51, 0, 255, 0}));
  EXPECT_EQ(values_of(image.mask), (std::vector<int>{255, 0, 255, 0}));
  const Bytes nothing = made::tiff({.bits = 32, .sample_format = 3, .pixels = float_bytes({nan})});
  expect_refused(decode_refusal(nothing), ImageFault::empty, "finite");
}

// --- transparency ---

TEST(DecodeAlpha, half_transparent_pixels_are_put_on_white) {
  const cv::Mat pixels(3, 2, CV_8UC4, cv::Scalar(0, 100, 200, 128));
  Bytes samples;
  for (int i = 0; i < 6; ++i) samples = samples + Bytes{200, 100, 0, 128};
  const Bytes tiff = made::tiff(
      {.width = 2, .height = 3, .channels = 4, .photometric = 2, .extra_sample = 2, .pixels = samples});
  for (const Bytes& bytes : {encoded(".png", pixels), tiff}) {
    const Image image = decode_image(bytes, kColour);
    const auto blend = [](int sample) { return (sample * 128 + 255 * 127) / 255.0; };
    const cv::Vec3b got = image.pixels.at<cv::Vec3b>(1, 1);
    EXPECT_NEAR(got[0], blend(0), 1);
    EXPECT_NEAR(got[1], blend(100), 1);
    EXPECT_NEAR(got[2], blend(200), 1);
    EXPECT_TRUE(image.mask.empty());
    EXPECT_TRUE(has_note(image, "white"));
  }
}

TEST(DecodeAlpha, fully_transparent_pixels_are_white_and_masked) {
  cv::Mat pixels(4, 6, CV_8UC4, cv::Scalar(10, 20, 30, 255));
  pixels(cv::Rect(2, 1, 2, 2)).setTo(cv::Scalar(10, 20, 30, 0));
  cv::Mat expected_mask(4, 6, CV_8UC1, cv::Scalar(255));
  expected_mask(cv::Rect(2, 1, 2, 2)).setTo(0);
  for (const Bytes& bytes :
       {encoded(".png", pixels), encoded(".webp", pixels, {cv::IMWRITE_WEBP_QUALITY, 101})}) {
    const Image image = decode_image(bytes, kColour);
    EXPECT_EQ(largest_difference(image.mask, expected_mask), 0);
    EXPECT_EQ(image.pixels.at<cv::Vec3b>(1, 2), cv::Vec3b(255, 255, 255));
    EXPECT_EQ(image.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(10, 20, 30));
    EXPECT_TRUE(has_note(image, "masked"));
  }
}

TEST(DecodeAlpha, opaque_alpha_leaves_no_trace) {
  cv::Mat pixels;
  cv::cvtColor(picture(12, 9), pixels, cv::COLOR_BGR2BGRA);
  const Image image = decode_image(encoded(".png", pixels), kColour);
  EXPECT_EQ(largest_difference(image.pixels, picture(12, 9)), 0);
  EXPECT_TRUE(image.mask.empty());
  EXPECT_TRUE(image.notes.empty());
}

TEST(DecodeAlpha, an_invisible_image_is_refused) {
  const cv::Mat pixels(3, 2, CV_8UC4, cv::Scalar(0, 100, 200, 0));
  expect_refused(decode_refusal(encoded(".png", pixels)), ImageFault::empty, "transparent");
}

TEST(DecodeAlpha, gray_with_alpha_works_in_png_and_tiff) {
  const Bytes rows = {100, 255, 50, 0, 0, 128};
  for (const Bytes& bytes : {made::png({.width = 3, .colour_type = 4, .rows = rows}),
                             made::tiff({.width = 3, .channels = 2, .extra_sample = 2, .pixels = rows})}) {
    const Image image = decode_image(bytes, kGray);
    EXPECT_EQ(values_of(image.pixels), (std::vector<int>{100, 255, 127}));
    EXPECT_EQ(values_of(image.mask), (std::vector<int>{255, 0, 255}));
  }
}

TEST(DecodeAlpha, colours_multiplied_by_alpha_already_are_not_multiplied_again) {
  const Bytes rows = {100, 255, 0, 0, 50, 128};
  const Image image =
      decode_image(made::tiff({.width = 3, .channels = 2, .extra_sample = 1, .pixels = rows}), kGray);
  EXPECT_EQ(values_of(image.pixels), (std::vector<int>{100, 255, 177}));
}

TEST(DecodeAlpha, sixteen_bit_alpha_does_not_count_as_brightness) {
  const Bytes rows = {0x03, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00};  // 1023 opaque, 0 transparent
  const Image image =
      decode_image(made::png({.width = 2, .bits = 16, .colour_type = 4, .rows = rows}), kGray);
  EXPECT_EQ(values_of(image.pixels), (std::vector<int>{255, 255}));
  EXPECT_EQ(values_of(image.mask), (std::vector<int>{255, 0}));
  EXPECT_TRUE(has_note(image, "10-bit range"));
}

TEST(DecodeAlpha, a_transparent_palette_entry_is_masked) {
  const Image image = decode_image(
      made::png({.width = 3,
                 .bits = 8,
                 .colour_type = 3,
                 .rows = {0, 1, 2},
                 .chunks_before_pixels = {{"PLTE", {255, 0, 0, 0, 255, 0, 0, 0, 255}}, {"tRNS", {255, 0}}}}),
      kColour);
  EXPECT_EQ(image.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(0, 0, 255));
  EXPECT_EQ(image.pixels.at<cv::Vec3b>(0, 2), cv::Vec3b(255, 0, 0));
  EXPECT_EQ(values_of(image.mask), (std::vector<int>{255, 0, 255}));
}

}  // namespace
}  // namespace contexton
