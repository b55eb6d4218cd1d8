// Tests of escaping, of numbers as people read them, and of pictures as text.
#include "pipeline/markup.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "pipeline/embedded_picture.hpp"

namespace contexton {
namespace {

TEST(Markup, special_characters_are_escaped) {
  EXPECT_EQ(escape_markup(R"(<a href="x" title='y'>&</a>)"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
}

TEST(Markup, valid_utf8_passes_and_broken_bytes_become_replacement_characters) {
  EXPECT_EQ(escape_markup("Müller 木 \xF0\x9F\x8C\xBF"), "Müller 木 \xF0\x9F\x8C\xBF");
  EXPECT_EQ(escape_markup("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(escape_markup("cut \xE6\x9C"), "cut \xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape_markup("\xC0\xBC"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "an overlong '<' must not survive";
  EXPECT_EQ(escape_markup("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "a surrogate";
  EXPECT_EQ(escape_markup(std::string("a\0\x1b", 3)), "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Markup, utf8_is_told_from_other_bytes) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("weave 木"));
  EXPECT_FALSE(is_utf8("caf\xE9"));
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80")) << "beyond the last code point";
}

TEST(Markup, links_escape_everything_that_could_change_their_meaning) {
  EXPECT_EQ(escape_url_path("overlay/a b.png"), "overlay/a%20b.png");
  EXPECT_EQ(escape_url_path("javascript:alert(1)"), "javascript%3Aalert%281%29");
  EXPECT_EQ(escape_url_path("a?b#c%d\"<>"), "a%3Fb%23c%25d%22%3C%3E");
  EXPECT_EQ(escape_url_path("ü"), "%C3%BC");
}

TEST(Markup, numbers_have_four_significant_digits_and_separators) {
  EXPECT_EQ(readable_number(0), "0");
  EXPECT_EQ(readable_number(-0.0), "0");
  EXPECT_EQ(readable_number(0.123456), "0.1235");
  EXPECT_EQ(readable_number(12.3456), "12.35");
  EXPECT_EQ(readable_number(0.5), "0.5");
  EXPECT_EQ(readable_number(1234.56), "1,235");
  EXPECT_EQ(readable_number(5852160), "5,852,160");
  EXPECT_EQ(readable_number(123456.7), "123,457");
  EXPECT_EQ(readable_number(-1234.5678), "−1,235");
  EXPECT_EQ(readable_number(9.99996), "10");
  EXPECT_EQ(readable_number(0.00012345), "0.0001234");
  EXPECT_EQ(readable_number(1.2346e-7), "1.235×10⁻⁷");
  EXPECT_EQ(readable_number(1e20), "10²⁰");
}

TEST(Markup, numbers_that_are_none_are_named) {
  EXPECT_EQ(readable_number(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(readable_number(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(readable_number(-std::numeric_limits<double>::infinity()), "−∞");
}

TEST(Markup, a_rounded_zero_has_no_sign) {
  EXPECT_EQ(grouped_number(-0.004, 2), "0.00");
  EXPECT_EQ(grouped_number(-0.006, 2), "−0.01");
}

TEST(Markup, counts_agree_with_their_noun) {
  EXPECT_EQ(counted(1, "note", "notes"), "1 note");
  EXPECT_EQ(counted(0, "note", "notes"), "0 notes");
  EXPECT_EQ(counted(1200, "note", "notes"), "1,200 notes");
}

TEST(Markup, fitted_text_is_cut_between_characters_and_never_too_wide) {
  const std::string name = "木木木木 a name that is far too long for its box";
  for (double width = 20; width < 400; width += 7) {
    const std::string fitted = fitted_text(name, width, 12);
    EXPECT_LE(text_width(fitted, 12), width + 1e-9);
    EXPECT_TRUE(is_utf8(fitted));
  }
  EXPECT_EQ(fitted_text("short", 200, 12), "short");
}

TEST(EmbeddedPicture, base64_agrees_with_the_examples_of_rfc_4648) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(EmbeddedPicture, base64_gives_back_any_bytes) {
  std::mt19937 generator(11);
  std::uniform_int_distribution<int> byte(0, 255);
  for (std::size_t size = 0; size < 70; ++size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(byte(generator));
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
}

TEST(EmbeddedPicture, damaged_base64_is_refused) {
  for (const char* damaged :
       {"A", "AAA", "A===", "AA=A", "AA A", "=AAA", "AAA\n", "AAAA=", "\xC3\xA9\xC3\xA9"}) {
    EXPECT_THROW(from_base64(damaged), std::invalid_argument) << damaged;
  }
}

TEST(EmbeddedPicture, sizes_are_read_from_png_and_jpeg_headers) {
  using namespace std::string_literals;
  const std::string png = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\x2c\0\0\0\xc8\x08\2\0\0\0"s;
  EXPECT_EQ(picture_header(png).mime_type, "image/png");
  EXPECT_EQ(picture_header(png).width, 300);
  EXPECT_EQ(picture_header(png).height, 200);
  // Start, an application segment of 4 bytes, then the frame: 100 rows of 640.
  const std::string jpeg = "\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x11\x08\0\x64\2\x80\3"s;
  EXPECT_EQ(picture_header(jpeg).mime_type, "image/jpeg");
  EXPECT_EQ(picture_header(jpeg).width, 640);
  EXPECT_EQ(picture_header(jpeg).height, 100);
}

TEST(EmbeddedPicture, a_cut_header_gives_no_size_and_no_crash) {
  using namespace std::string_literals;
  const std::string png = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\x2c\0\0\0\xc8"s;
  const std::string jpeg = "\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x11\x08\0\x64\2\x80"s;
  for (const std::string& whole : {png, jpeg}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(picture_header(whole.substr(0, size)).width, 0) << size;
    }
  }
  EXPECT_EQ(picture_header("GIF89a").mime_type, "");
}

}  // namespace
}  // namespace contexton
