// Damaged files of every format: a picture or a BadImage comes back, silently, never anything else.
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <random>
#include <string>
#include <vector>

#include "stages/input/decode.hpp"
#include "tests/stages/made_images.hpp"

namespace contexton {
namespace {

using made::Bytes;
using made::encoded;

struct Seed {
  std::string name;
  Bytes bytes;
};

Bytes samples_of(const cv::Mat& pixels) {
  return {pixels.datastart, pixels.dataend};
}

std::vector<Seed> seeds() {
  const cv::Mat colour = made::picture(53, 37);
  const cv::Mat gray = made::gray_picture(48, 32);
  cv::Mat wide;
  gray.convertTo(wide, CV_16U, 16);
  cv::Mat alpha(20, 30, CV_8UC4, cv::Scalar(40, 80, 120, 200));
  alpha(cv::Rect(3, 3, 9, 9)).setTo(cv::Scalar(0, 0, 0, 0));
  cv::Mat cmyk(24, 24, CV_8UC4, cv::Scalar(200, 100, 50, 220));
  const Bytes palette = {0, 0, 0, 0, 100, 100, 100, 0, 200, 200, 200, 0};
  const Bytes masks = {0, 0, 0xff, 0, 0, 0xff, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0xff};
  return {
      {"jpeg", encoded(".jpg", colour)},
      {"progressive jpeg", encoded(".jpg", colour, {cv::IMWRITE_JPEG_PROGRESSIVE, 1})},
      {"jpeg with exif", made::with_exif(encoded(".jpg", gray), 6)},
      {"cmyk jpeg", made::cmyk_jpeg(cmyk, true, true)},
      {"png", encoded(".png", colour)},
      {"16-bit png", encoded(".png", wide)},
      {"alpha png", encoded(".png", alpha)},
      {"tiff lzw", encoded(".tif", colour)},
      {"tiff deflate", encoded(".tif", colour, {cv::IMWRITE_TIFF_COMPRESSION, 8})},
      {"tiff jpeg", encoded(".tif", colour, {cv::IMWRITE_TIFF_COMPRESSION, 7})},
      {"tiff 16-bit", encoded(".tif", wide)},
      {"tiff directory first", made::tiff({.width = 48, .height = 32, .pixels = samples_of(gray)})},
      {"tiff tiles", made::tiff({.width = 48, .height = 32, .tile_side = 16, .pixels = samples_of(gray)})},
      {"tiff bits", made::tiff({.width = 48, .height = 256, .bits = 1, .pixels = samples_of(gray)})},
      {"bmp", encoded(".bmp", colour)},
      {"alpha bmp", made::bmp(30, 20, 32, 6, masks, samples_of(alpha))},
      {"run-length bmp", made::bmp(3, 2, 8, 1, palette, {3, 1, 0, 0, 0, 3, 2, 0, 1, 0, 0, 1})},
      {"ppm", encoded(".ppm", colour)},
      {"ppm text", encoded(".ppm", colour, {cv::IMWRITE_PXM_BINARY, 0})},
      {"pgm 16-bit", encoded(".pgm", wide)},
      {"pbm", encoded(".pbm", gray)},
      {"webp", encoded(".webp", colour)},
      {"lossless webp", encoded(".webp", alpha, {cv::IMWRITE_WEBP_QUALITY, 101})},
      {"sun raster", made::sun_raster(colour)},
      {"run-length sun raster",
       made::sun_raster(48, 32, 8, 2, {9, 8, 7}, made::sun_run_lengths(samples_of(gray)))},
  };
}

Bytes damaged(const Bytes& whole, std::mt19937& random) {
  Bytes bytes = whole;
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  const auto kind = below(4);
  if (kind == 0) {
    bytes.resize(below(bytes.size()));
    return bytes;
  }
  const std::size_t reach =
      kind == 1 ? std::min<std::size_t>(bytes.size(), 200) : bytes.size();  // headers more often
  for (std::size_t i = 0; i <= below(4); ++i) {
    const std::size_t at =
        kind == 3 ? bytes.size() - 1 - below(std::min<std::size_t>(bytes.size(), 300)) : below(reach);
    bytes[at] = below(2) == 0 ? static_cast<std::uint8_t>(bytes[at] ^ 1 << below(8))
                              : static_cast<std::uint8_t>(random());
  }
  return bytes;
}

// Whether it was accepted; a broken promise of the result is a test failure.
bool decodes(const Bytes& bytes, const DecodeOptions& options) {
  try {
    const ImageHeader header = probe_image(bytes, options);
    const Image image = decode_image(bytes, options);
    EXPECT_EQ(image.pixels.size(), cv::Size(header.width, header.height));
    EXPECT_EQ(image.pixels.type(), options.gray ? CV_8UC1 : CV_8UC3);
    EXPECT_TRUE(image.mask.empty() || image.mask.size() == image.pixels.size());
    return true;
  } catch (const BadImage& bad) {
    EXPECT_FALSE(std::string(bad.what()).empty());
    return false;
  }
}

TEST(DecodeFuzz, damaged_files_give_an_image_or_a_bad_image_and_print_nothing) {
  constexpr int kTrials = 300;
  std::mt19937 random(20240607);
  for (const Seed& seed : seeds()) {
    SCOPED_TRACE(seed.name);
    ASSERT_TRUE(decodes(seed.bytes, {}));
    testing::internal::CaptureStderr();
    int refused = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      const DecodeOptions options{.gray = trial % 2 == 0, .max_pixels = 4'000'000};
      refused += decodes(damaged(seed.bytes, random), options) ? 0 : 1;
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_GE(refused, kTrials / 8) << "a quarter of the files are cut";
  }
}

TEST(DecodeFuzz, a_cut_at_any_byte_is_refused) {
  for (const Seed& seed : seeds()) {
    SCOPED_TRACE(seed.name);
    const std::size_t step = std::max<std::size_t>(1, seed.bytes.size() / 150);
    // The last bytes may be padding of the last row; a text may lose its last digit or line end.
    for (std::size_t left = 0; left + 8 < seed.bytes.size(); left += step)
      EXPECT_FALSE(
          decodes(Bytes(seed.bytes.begin(), seed.bytes.begin() + static_cast<std::ptrdiff_t>(left)), {}))
          << left << " of " << seed.bytes.size();
  }
}

}  // namespace
}  // namespace contexton
