// Decoding each file format: its kinds, its traps, and files of it that are cut or damaged.
#include <gtest/gtest.h>

#include <array>
#include <opencv2/imgcodecs.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/stages/decode_checks.hpp"

namespace contexton {
namespace {

// --- JPEG ---

TEST(DecodeJpeg, the_pixels_are_those_of_opencv) {
  for (const int quality : {30, 75, 95})
    for (const int progressive : {0, 1}) {
      const Bytes bytes =
          encoded(".jpg", picture(203, 151),
                  {cv::IMWRITE_JPEG_QUALITY, quality, cv::IMWRITE_JPEG_PROGRESSIVE, progressive});
      EXPECT_EQ(
          largest_difference(decode_image(bytes, kGray).pixels, cv::imdecode(bytes, cv::IMREAD_GRAYSCALE)),
          0);
      EXPECT_EQ(
          largest_difference(decode_image(bytes, kColour).pixels, cv::imdecode(bytes, cv::IMREAD_COLOR)), 0);
    }
}

TEST(DecodeJpeg, a_cut_file_is_truncated_wherever_it_is_cut) {
  for (const int progressive : {0, 1}) {
    const Bytes whole = encoded(".jpg", picture(160, 120), {cv::IMWRITE_JPEG_PROGRESSIVE, progressive});
    for (const std::size_t left : {whole.size() / 2, whole.size() - 3, whole.size() - 2, whole.size() - 1}) {
      expect_refused(probe_refusal(cut(whole, left)), ImageFault::truncated, "truncated");
      expect_refused(decode_refusal(cut(whole, left)), ImageFault::truncated, "truncated");
    }
    for (std::size_t left = 3; left < whole.size(); left += 97)
      EXPECT_TRUE(decode_refusal(cut(whole, left)).refused) << left << " of " << whole.size();
  }
}

TEST(DecodeJpeg, a_cut_file_with_an_end_marker_put_on_it_is_still_refused) {
  const Bytes whole = encoded(".jpg", picture(160, 120));
  const Bytes repaired = cut(whole, whole.size() / 2) + Bytes{0xff, 0xd9};
  EXPECT_FALSE(probe_refusal(repaired).refused);  // not visible without decoding
  expect_refused(decode_refusal(repaired), ImageFault::damaged, "damaged");
}

TEST(DecodeJpeg, a_file_whose_end_was_never_downloaded_is_refused) {
  Bytes sparse = encoded(".jpg", picture(160, 120));
  std::fill(sparse.begin() + static_cast<std::ptrdiff_t>(sparse.size() / 2), sparse.end(), std::uint8_t{0});
  expect_refused(decode_refusal(sparse), ImageFault::truncated, "truncated");
}

TEST(DecodeJpeg, corrupted_bytes_in_the_middle_are_damage) {
  for (const int progressive : {0, 1}) {
    Bytes bytes = encoded(".jpg", picture(300, 200), {cv::IMWRITE_JPEG_PROGRESSIVE, progressive});
    std::mt19937 random(5);
    for (std::size_t i = 0; i < 100; ++i) bytes[bytes.size() / 2 + i] = static_cast<std::uint8_t>(random());
    expect_refused(decode_refusal(bytes), ImageFault::damaged, "damaged JPEG");
  }
}

TEST(DecodeJpeg, bytes_after_the_end_are_ignored) {
  const Bytes jpeg = encoded(".jpg", picture(80, 60));
  const cv::Mat expected = decode_image(jpeg, kColour).pixels;
  const Bytes other = encoded(".jpg", gray_picture(30, 20));
  for (const Bytes& tail : {Bytes(5000, 0), Bytes(7, 0xff), bytes_of("camera notes"), other}) {
    EXPECT_FALSE(probe_refusal(jpeg + tail).refused);
    EXPECT_EQ(largest_difference(decode_image(jpeg + tail, kColour).pixels, expected), 0);
  }
}

TEST(DecodeJpeg, padding_before_the_end_marker_is_ignored_but_leftover_data_is_damage) {
  const Bytes jpeg = encoded(".jpg", picture(80, 60));
  const Bytes data = cut(jpeg, jpeg.size() - 2);
  const Bytes end = {0xff, 0xd9};
  const Bytes padded = data + Bytes(9, 0) + end;
  EXPECT_EQ(largest_difference(decode_image(padded, kColour).pixels, decode_image(jpeg, kColour).pixels), 0);
  expect_refused(decode_refusal(data + bytes_of("leftover") + end), ImageFault::damaged, "extraneous");
}

TEST(DecodeJpeg, cmyk_becomes_the_colours_that_were_meant) {
  // The ink of some flat patches: c, m, y, k in 0..255 where 255 is full ink.
  const std::array<cv::Vec4b, 6> inks = {cv::Vec4b(0, 0, 0, 0),   cv::Vec4b(255, 0, 0, 0),
                                         cv::Vec4b(0, 255, 0, 0), cv::Vec4b(0, 0, 255, 0),
                                         cv::Vec4b(0, 0, 0, 255), cv::Vec4b(100, 50, 200, 60)};
  cv::Mat ink(16, 16 * static_cast<int>(inks.size()), CV_8UC4);
  cv::Mat expected(ink.size(), CV_8UC3);
  for (std::size_t i = 0; i < inks.size(); ++i) {
    const cv::Rect patch(16 * static_cast<int>(i), 0, 16, 16);
    const auto light = [&](int c) { return (255 - inks[i][c]) * (255 - inks[i][3]) / 255.0; };
    ink(patch).setTo(cv::Scalar(inks[i]));
    expected(patch).setTo(cv::Scalar(light(2), light(1), light(0)));
  }
  const cv::Mat inverted = cv::Scalar::all(255) - ink;
  for (const Bytes& bytes : {made::cmyk_jpeg(inverted, true, false), made::cmyk_jpeg(inverted, true, true),
                             made::cmyk_jpeg(ink, false, false)}) {
    const Image colour = decode_image(bytes, kColour);
    EXPECT_LE(largest_difference(colour.pixels, expected), 6);
    EXPECT_TRUE(has_note(colour, "CMYK"));
    EXPECT_LE(largest_difference(decode_image(bytes, kGray).pixels, gray_by_opencv(expected)), 5);
    EXPECT_EQ(probe_image(bytes, kGray).channels, 4);
  }
}

// --- PNG ---

TEST(DecodePng, one_two_and_four_bits_fill_the_range) {
  EXPECT_EQ(values_of(decode_image(made::png({.width = 4, .bits = 1, .rows = {0b10110000}}), kGray).pixels),
            (std::vector<int>{255, 0, 255, 255}));
  EXPECT_EQ(values_of(decode_image(made::png({.width = 4, .bits = 2, .rows = {0b00011011}}), kGray).pixels),
            (std::vector<int>{0, 85, 170, 255}));
  EXPECT_EQ(values_of(decode_image(made::png({.width = 2, .bits = 4, .rows = {0x3f}}), kGray).pixels),
            (std::vector<int>{51, 255}));
}

TEST(DecodePng, a_cut_file_is_truncated) {
  const Bytes whole = encoded(".png", picture(60, 50));
  for (std::size_t left = 8; left < whole.size(); left += 61) {
    expect_refused(probe_refusal(cut(whole, left)), ImageFault::truncated, "truncated");
    expect_refused(decode_refusal(cut(whole, left)), ImageFault::truncated, "truncated");
  }
}

TEST(DecodePng, any_changed_byte_of_the_pixels_is_noticed) {
  const Bytes whole = encoded(".png", picture(60, 50));
  for (std::size_t i = 41; i + 16 < whole.size(); i += 37) {
    Bytes changed = whole;
    changed[i] ^= 0x10;
    EXPECT_TRUE(decode_refusal(changed).refused) << i;
  }
}

TEST(DecodePng, a_bad_colour_profile_or_text_does_no_harm) {
  const Bytes bytes = made::png({.width = 2,
                                 .rows = {7, 9},
                                 .chunks_before_pixels = {{"iCCP", bytes_of("not a profile")},
                                                          {"tEXt", bytes_of(std::string_view("a\0b", 3))},
                                                          {"gAMA", {0, 0, 0}}}});
  EXPECT_EQ(values_of(decode_image(bytes, kGray).pixels), (std::vector<int>{7, 9}));
}

TEST(DecodePng, bytes_after_the_end_are_ignored) {
  EXPECT_EQ(decode_image(encoded(".png", picture(6, 5)) + bytes_of("tail"), kGray).pixels.size(),
            cv::Size(6, 5));
}

// --- TIFF ---

TEST(DecodeTiff, white_may_be_zero) {
  EXPECT_EQ(
      values_of(decode_image(made::tiff({.width = 2, .photometric = 0, .pixels = {0, 200}}), kGray).pixels),
      (std::vector<int>{255, 55}));
  EXPECT_EQ(
      values_of(
          decode_image(made::tiff({.width = 3, .bits = 1, .photometric = 0, .pixels = {0b01000000}}), kGray)
              .pixels),
      (std::vector<int>{255, 0, 255}));
}

TEST(DecodeTiff, palettes_give_colours) {
  std::vector<int> palette(3 * 256, 0);
  palette[1] = 65535;            // entry 1: red
  palette[2 * 256 + 2] = 65535;  // entry 2: blue
  const Image image =
      decode_image(made::tiff({.width = 2, .photometric = 3, .palette = palette, .pixels = {1, 2}}), kColour);
  EXPECT_EQ(image.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(0, 0, 255));
  EXPECT_EQ(image.pixels.at<cv::Vec3b>(0, 1), cv::Vec3b(255, 0, 0));
}

TEST(DecodeTiff, separate_planes_are_joined) {
  const Image image = decode_image(made::tiff({.width = 2,
                                               .channels = 3,
                                               .photometric = 2,
                                               .separate_planes = true,
                                               .pixels = {1, 2, 3, 4, 5, 6}}),
                                   kColour);
  EXPECT_EQ(image.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(5, 3, 1));
  EXPECT_EQ(image.pixels.at<cv::Vec3b>(0, 1), cv::Vec3b(6, 4, 2));
}

TEST(DecodeTiff, tiles_are_put_together) {
  const cv::Mat original = gray_picture(40, 21);
  constexpr int kSide = 16;
  Bytes tiles;
  for (int top = 0; top < original.rows; top += kSide)
    for (int left = 0; left < original.cols; left += kSide)
      for (int y = top; y < top + kSide; ++y)
        for (int x = left; x < left + kSide; ++x)
          tiles.push_back(y < original.rows && x < original.cols ? original.at<std::uint8_t>(y, x) : 0);
  const Bytes bytes = made::tiff({.width = 40, .height = 21, .tile_side = kSide, .pixels = tiles});
  EXPECT_EQ(largest_difference(decode_image(bytes, kGray).pixels, original), 0);
}

TEST(DecodeTiff, a_cut_file_is_truncated_even_when_its_directory_comes_first) {
  const cv::Mat original = gray_picture(40, 30);
  const Bytes whole =
      made::tiff({.width = 40, .height = 30, .pixels = Bytes(original.datastart, original.dataend)});
  ASSERT_EQ(largest_difference(decode_image(whole, kGray).pixels, original), 0);
  for (const std::size_t missing : {std::size_t{1}, std::size_t{500}, std::size_t{1200}}) {
    expect_refused(probe_refusal(cut(whole, whole.size() - missing)), ImageFault::truncated, "truncated");
    expect_refused(decode_refusal(cut(whole, whole.size() - missing)), ImageFault::truncated, "truncated");
  }
  const Bytes directory_last = encoded(".tif", original);
  expect_refused(probe_refusal(cut(directory_last, directory_last.size() / 2)), ImageFault::truncated,
                 "truncated");
}

TEST(DecodeTiff, damaged_compressed_pixels_are_noticed_where_the_compression_shows_it) {
  for (const int compression : {5, 8}) {  // LZW, deflate
    const Bytes whole = encoded(".tif", picture(60, 50), {cv::IMWRITE_TIFF_COMPRESSION, compression});
    int changes = 0;
    int noticed = 0;
    for (std::size_t i = 30; i < whole.size() / 2; i += 7) {
      Bytes changed = whole;
      changed[i] ^= 0x55;
      const Refusal refusal = decode_refusal(changed);
      ++changes;
      if (!refusal.refused) continue;
      ++noticed;
      EXPECT_EQ(refusal.fault, ImageFault::damaged) << refusal.message;
    }
    EXPECT_GT(noticed, changes / 2) << "compression " << compression << " of " << changes;
  }
}

TEST(DecodeTiff, damaged_jpeg_pixels_are_noticed) {
  constexpr int kRowsPerStrip = 278;  // the TIFF tag, which OpenCV takes as a parameter
  const Bytes whole =
      encoded(".tif", picture(160, 120), {cv::IMWRITE_TIFF_COMPRESSION, 7, kRowsPerStrip, 16});
  ASSERT_FALSE(decode_refusal(whole).refused);
  Bytes changed = whole;
  std::mt19937 random(3);
  for (std::size_t i = 0; i < 100; ++i) changed[changed.size() / 2 + i] = static_cast<std::uint8_t>(random());
  expect_refused(decode_refusal(changed), ImageFault::damaged, "damaged TIFF");
}

TEST(DecodeTiff, only_the_first_page_is_used_and_that_is_noted) {
  EXPECT_TRUE(has_note(decode_image(made::tiff({.two_pages = true, .pixels = {9}}), kGray), "first page"));
  EXPECT_TRUE(decode_image(made::tiff({.pixels = {9}}), kGray).notes.empty());
}

TEST(DecodeTiff, channels_that_are_no_colour_are_left_out_and_that_is_noted) {
  const Image image = decode_image(made::tiff({.channels = 5, .pixels = {9, 1, 2, 3, 4}}), kGray);
  EXPECT_EQ(values_of(image.pixels), (std::vector<int>{9}));
  EXPECT_TRUE(has_note(image, "first 1 of 5 channels"));
}

TEST(DecodeTiff, samples_of_other_kinds_are_refused_in_words) {
  expect_refused(decode_refusal(made::tiff({.bits = 16, .sample_format = 2, .pixels = {0, 1}})),
                 ImageFault::unsupported, "16 bits (signed)");
  expect_refused(decode_refusal(made::tiff({.bits = 32, .pixels = {0, 1, 2, 3}})), ImageFault::unsupported,
                 "32 bits (unsigned)");
  expect_refused(decode_refusal(made::tiff({.bits = 64, .sample_format = 3, .pixels = Bytes(8)})),
                 ImageFault::unsupported, "64 bits (float)");
}

// --- PNM ---

TEST(DecodePnm, bitmaps_have_black_ones) {
  const std::vector<int> expected = {255, 0, 255, 0, 0, 255, 255, 255, 255, 0};
  EXPECT_EQ(values_of(decode_image(bytes_of("P1\n10 1\n0101100 0 01\n"), kGray).pixels), expected);
  EXPECT_EQ(values_of(decode_image(bytes_of("P4 10 1\n") + Bytes{0b01011000, 0b01000000}, kGray).pixels),
            expected);
}

TEST(DecodePnm, comments_may_stand_anywhere_in_the_header) {
  const Image image =
      decode_image(bytes_of("P5# one\n# two\n2 # width\n1\n#three\n255\n") + Bytes{8, 9}, kGray);
  EXPECT_EQ(values_of(image.pixels), (std::vector<int>{8, 9}));
}

TEST(DecodePnm, a_cut_file_is_truncated) {
  for (const int binary : {0, 1})
    for (const char* extension : {".pgm", ".ppm", ".pbm"}) {
      const cv::Mat pixels = std::string(extension) == ".ppm" ? picture(20, 10) : gray_picture(20, 10);
      const Bytes whole = encoded(extension, pixels, {cv::IMWRITE_PXM_BINARY, binary});
      ASSERT_FALSE(decode_refusal(whole).refused) << extension;
      expect_refused(decode_refusal(cut(whole, whole.size() * 2 / 3)), ImageFault::truncated, "truncated");
      if (binary != 0)
        expect_refused(probe_refusal(cut(whole, whole.size() - 1)), ImageFault::truncated, "truncated");
    }
}

TEST(DecodePnm, text_that_is_no_number_is_damage) {
  expect_refused(decode_refusal(bytes_of("P2 2 1 255 12 cat")), ImageFault::damaged, "number");
  expect_refused(decode_refusal(bytes_of("P5 width 1 255 ")), ImageFault::damaged, "number");
  expect_refused(decode_refusal(bytes_of("P5 1 1 70000 ab")), ImageFault::damaged, "maximum");
  expect_refused(decode_refusal(bytes_of("P5 99999999999999999999 1 255 ab")), ImageFault::damaged, "number");
}

// --- BMP ---

TEST(DecodeBmp, rows_may_be_stored_from_the_top) {
  const Bytes rows = {1, 2, 3, 0, 4, 5, 6, 0};
  const Image up = decode_image(made::bmp(1, 2, 24, 0, {}, rows), kColour);
  const Image down = decode_image(made::bmp(1, -2, 24, 0, {}, rows), kColour);
  EXPECT_EQ(up.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(4, 5, 6));
  EXPECT_EQ(down.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(1, 2, 3));
}

TEST(DecodeBmp, palettes_and_few_bits_work) {
  const Bytes palette = {10, 20, 30, 0, 40, 50, 60, 0};
  const Image one_bit = decode_image(made::bmp(3, 1, 1, 0, palette, {0b01000000, 0, 0, 0}), kColour);
  EXPECT_EQ(one_bit.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(10, 20, 30));
  EXPECT_EQ(one_bit.pixels.at<cv::Vec3b>(0, 1), cv::Vec3b(40, 50, 60));
  const Image four_bits = decode_image(made::bmp(3, 1, 4, 0, palette, {0x10, 0x10, 0, 0}), kColour);
  EXPECT_EQ(four_bits.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(40, 50, 60));
  EXPECT_EQ(four_bits.pixels.at<cv::Vec3b>(0, 1), cv::Vec3b(10, 20, 30));
}

TEST(DecodeBmp, sixteen_and_thirty_two_bits_work) {
  const Image plain16 =
      decode_image(made::bmp(1, 1, 16, 0, {}, {0x1f, 0x7c, 0, 0}), kColour);  // red and blue, 5 bits
  EXPECT_EQ(plain16.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(255, 0, 255));
  const Bytes masks565 = {0x00, 0xf8, 0, 0, 0xe0, 0x07, 0, 0, 0x1f, 0, 0, 0};
  const Image masked16 = decode_image(made::bmp(1, 1, 16, 3, masks565, {0xe0, 0x07, 0, 0}), kColour);
  EXPECT_EQ(masked16.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(0, 255, 0));
  const Image plain32 = decode_image(made::bmp(1, 1, 32, 0, {}, {1, 2, 3, 0}), kColour);
  EXPECT_EQ(plain32.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(1, 2, 3)) << "the fourth byte is unused, not alpha";
  EXPECT_TRUE(plain32.notes.empty());
}

TEST(DecodeBmp, alpha_counts_unless_it_is_all_zero) {
  const Bytes masks = {0, 0, 0xff, 0, 0, 0xff, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0xff};
  const auto values = [&](std::uint8_t alpha) {
    const Bytes pixels = {9, 9, 9, alpha, 0, 0, 0, alpha};
    return values_of(decode_image(made::bmp(2, 1, 32, 6, masks, pixels), kGray).pixels);
  };
  EXPECT_EQ(values(128), (std::vector<int>{132, 127}));
  EXPECT_EQ(values(0), (std::vector<int>{9, 0}));
}

TEST(DecodeBmp, run_lengths_work) {
  const Bytes palette = {0, 0, 0, 0, 100, 100, 100, 0, 200, 200, 200, 0};
  // Bottom row: 3 x entry 1, end of row. Top row: copy of 2, 0, 1 (padded), end of picture.
  const Bytes codes8 = {3, 1, 0, 0, 0, 3, 2, 0, 1, 0, 0, 1};
  const Image eight = decode_image(made::bmp(3, 2, 8, 1, palette, codes8), kGray);
  EXPECT_EQ(values_of(eight.pixels), (std::vector<int>{200, 0, 100, 100, 100, 100}));
  const Bytes codes4 = {3, 0x12, 0, 0, 0, 3, 0x20, 0x10, 0, 1};
  const Image four = decode_image(made::bmp(3, 2, 4, 2, palette, codes4), kGray);
  EXPECT_EQ(values_of(four.pixels), (std::vector<int>{200, 0, 100, 100, 200, 100}));
  const Bytes jump = {0, 2, 2, 1, 1, 2, 0, 1};  // two right, one up, then one pixel of entry 2
  EXPECT_EQ(values_of(decode_image(made::bmp(3, 2, 8, 1, palette, jump), kGray).pixels),
            (std::vector<int>{0, 0, 200, 0, 0, 0}));
}

TEST(DecodeBmp, cut_or_overrunning_run_lengths_are_refused) {
  const Bytes palette = {0, 0, 0, 0, 100, 100, 100, 0};
  expect_refused(decode_refusal(made::bmp(3, 2, 8, 1, palette, {3, 1, 0, 0, 2, 1})), ImageFault::truncated,
                 "truncated");
  expect_refused(decode_refusal(made::bmp(3, 2, 8, 1, palette, {4, 1, 0, 1})), ImageFault::damaged,
                 "outside");
  expect_refused(decode_refusal(made::bmp(3, 2, 8, 1, palette, {0, 2, 200, 0, 1, 1, 0, 1})),
                 ImageFault::damaged, "outside");
}

TEST(DecodeBmp, a_cut_file_is_truncated) {
  const Bytes whole = encoded(".bmp", picture(21, 10));
  for (std::size_t left = 60; left < whole.size() - 1; left += 53) {
    expect_refused(probe_refusal(cut(whole, left)), ImageFault::truncated, "truncated");
    expect_refused(decode_refusal(cut(whole, left)), ImageFault::truncated, "truncated");
  }
}

TEST(DecodeBmp, other_kinds_are_refused_in_words) {
  expect_refused(decode_refusal(made::bmp(1, 1, 24, 4, {}, Bytes(4))), ImageFault::unsupported,
                 "compression 4");
  expect_refused(decode_refusal(made::bmp(1, 1, 7, 0, {}, Bytes(4))), ImageFault::unsupported, "7 bits");
}

// --- Sun raster ---

TEST(DecodeSunRaster, gray_palette_and_bitmap_work) {
  EXPECT_EQ(values_of(decode_image(made::sun_raster(3, 1, 8, 1, {}, {5, 6, 7, 0}), kGray).pixels),
            (std::vector<int>{5, 6, 7}));
  const Bytes map = {10, 11, 20, 21, 30, 31};  // reds, greens, blues of two entries
  const Image indexed = decode_image(made::sun_raster(2, 1, 8, 1, map, {1, 0}), kColour);
  EXPECT_EQ(indexed.pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(31, 21, 11));
  EXPECT_EQ(indexed.pixels.at<cv::Vec3b>(0, 1), cv::Vec3b(30, 20, 10));
  EXPECT_EQ(values_of(decode_image(made::sun_raster(3, 1, 1, 1, {}, {0b01000000, 0}), kGray).pixels),
            (std::vector<int>{255, 0, 255}));
}

TEST(DecodeSunRaster, colour_orders_and_the_unused_byte_are_respected) {
  const auto first = [](const Bytes& bytes) {
    return decode_image(bytes, kColour).pixels.at<cv::Vec3b>(0, 0);
  };
  EXPECT_EQ(first(made::sun_raster(1, 1, 24, 1, {}, {1, 2, 3, 0})), cv::Vec3b(1, 2, 3));
  EXPECT_EQ(first(made::sun_raster(1, 1, 24, 3, {}, {1, 2, 3, 0})), cv::Vec3b(3, 2, 1));
  EXPECT_EQ(first(made::sun_raster(1, 1, 32, 1, {}, {9, 1, 2, 3})), cv::Vec3b(1, 2, 3));
}

TEST(DecodeSunRaster, run_lengths_give_the_same_pixels) {
  cv::Mat original = gray_picture(40, 12);
  original(cv::Rect(5, 2, 20, 5)).setTo(0x80);  // the escape code itself, long and alone
  original.at<std::uint8_t>(0, 0) = 0x80;
  const Bytes plain(original.datastart, original.dataend);
  const Bytes packed = made::sun_run_lengths(plain);
  EXPECT_EQ(
      largest_difference(decode_image(made::sun_raster(40, 12, 8, 2, {}, packed), kGray).pixels, original),
      0);
  expect_refused(decode_refusal(made::sun_raster(40, 12, 8, 2, {}, cut(packed, packed.size() / 2))),
                 ImageFault::truncated, "truncated");
}

TEST(DecodeSunRaster, a_cut_file_is_truncated) {
  const Bytes whole = made::sun_raster(picture(20, 10));
  expect_refused(probe_refusal(cut(whole, whole.size() - 1)), ImageFault::truncated, "truncated");
  expect_refused(decode_refusal(cut(whole, whole.size() / 2)), ImageFault::truncated, "truncated");
}

// --- WebP ---

TEST(DecodeWebp, a_cut_file_is_truncated) {
  for (const int quality : {80, 101}) {
    const Bytes whole = encoded(".webp", picture(60, 50), {cv::IMWRITE_WEBP_QUALITY, quality});
    for (const std::size_t left : {whole.size() - 1, whole.size() / 2, std::size_t{40}}) {
      expect_refused(probe_refusal(cut(whole, left)), ImageFault::truncated, "truncated");
      expect_refused(decode_refusal(cut(whole, left)), ImageFault::truncated, "truncated");
    }
  }
}

}  // namespace
}  // namespace contexton
