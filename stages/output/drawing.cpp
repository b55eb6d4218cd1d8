// Marks by distance to their outline, text by oversampling.
#include "stages/output/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

namespace contexton {
namespace {

constexpr double kRimWidth = 1.3;  // pixels

struct Rgb {
  double red, green, blue;
};

Rgb channels_of(Colour colour) {
  return {static_cast<double>(colour >> 16 & 0xff), static_cast<double>(colour >> 8 & 0xff),
          static_cast<double>(colour & 0xff)};
}

void blend(cv::Vec3b& pixel, const Rgb& colour, double opacity) {
  const auto mixed = [&](std::uint8_t from, double to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * opacity));
  };
  pixel = {mixed(pixel[0], colour.blue), mixed(pixel[1], colour.green), mixed(pixel[2], colour.red)};
}

// Share of a pixel that lies inside an outline whose signed distance (negative inside) is given.
double covered(double distance) {
  return std::clamp(0.5 - distance, 0.0, 1.0);
}

// ---- Text ----

constexpr int kFont = cv::FONT_HERSHEY_DUPLEX;
constexpr int kOversampling = 4;

std::string in_ascii(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 && byte < 0xc0) continue;  // inside a character whose first byte was shown already
    plain += byte < ' ' || byte >= 0x7f ? '?' : c;
  }
  return plain;
}

// The font's capitals are 21 units high at scale 1.
double font_scale(int height) {
  return height * kOversampling / 21.0;
}

int stroke_width(int height) {
  return std::max(1, static_cast<int>(std::lround(height * kOversampling / 14.0)));
}

cv::Size oversampled_size(const std::string& ascii, int height) {
  int below = 0;
  return cv::getTextSize(ascii, kFont, font_scale(height), stroke_width(height), &below);
}

std::string encoded(const cv::Mat& picture, const char* extension, const std::vector<int>& options) {
  std::vector<std::uint8_t> bytes;
  if (!cv::imencode(extension, picture, bytes, options))
    throw std::runtime_error(std::string("a picture could not be encoded as ") + extension);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

cv::Scalar to_bgr(Colour colour) {
  const Rgb rgb = channels_of(colour);
  return {rgb.blue, rgb.green, rgb.red};
}

void draw_mark(cv::Mat& picture, const Mark& mark, MarkShape shape) {
  if (!std::isfinite(mark.x + mark.y + mark.radius + mark.angle)) return;  // a user's file may hold anything
  const double reach = mark.radius * (shape == MarkShape::square ? std::sqrt(2.0) : 1.0) + kRimWidth / 2 + 1;
  const auto clipped = [](double place, int size) {
    return static_cast<int>(std::clamp(place, 0.0, 1.0 * size));
  };
  const int left = clipped(std::ceil(mark.x - reach), picture.cols);
  const int right = clipped(std::floor(mark.x + reach) + 1, picture.cols);
  const int top = clipped(std::ceil(mark.y - reach), picture.rows);
  const int bottom = clipped(std::floor(mark.y + reach) + 1, picture.rows);
  const double along_x = std::cos(mark.angle), along_y = std::sin(mark.angle);
  const Rgb colour = channels_of(mark.colour);
  for (int y = top; y < bottom; ++y) {
    auto* row = picture.ptr<cv::Vec3b>(y);
    for (int x = left; x < right; ++x) {
      const double dx = x - mark.x, dy = y - mark.y;
      const double u = dx * along_x + dy * along_y, v = dy * along_x - dx * along_y;
      const double distance =
          (shape == MarkShape::disc ? std::sqrt(u * u + v * v) : std::max(std::abs(u), std::abs(v))) -
          mark.radius;
      double line = covered(std::abs(distance) - kRimWidth / 2);
      if (mark.shows_angle && u >= 0 && distance <= 0)
        line = std::max(line, covered(std::abs(v) - kRimWidth / 2));
      line *= mark.rim;
      const double opacity = line + (1 - line) * mark.fill * covered(distance);
      if (opacity > 0) blend(row[x], colour, opacity);
    }
  }
}

void fill_box(cv::Mat& picture, const cv::Rect& box, Colour colour) {
  picture(box & cv::Rect(0, 0, picture.cols, picture.rows)).setTo(to_bgr(colour));
}

int text_width(const std::string& text, int height) {
  return (oversampled_size(in_ascii(text), height).width + kOversampling - 1) / kOversampling;
}

std::string fitted_text(const std::string& text, int height, int width) {
  if (text_width(text, height) <= width) return text;
  std::string plain = in_ascii(text);
  while (!plain.empty() && text_width(plain + "...", height) > width) plain.pop_back();
  return plain + "...";
}

void draw_text(cv::Mat& picture, const std::string& text, cv::Point baseline_left, int height,
               Colour colour) {
  const std::string ascii = in_ascii(text);
  const int above = 2 * height, below = height, width = text_width(ascii, height) + 2;
  cv::Mat oversampled = cv::Mat::zeros((above + below) * kOversampling, width * kOversampling, CV_8U);
  cv::putText(oversampled, ascii, {kOversampling / 2, above * kOversampling}, kFont, font_scale(height),
              cv::Scalar(255), stroke_width(height), cv::LINE_AA);
  cv::Mat strength;
  cv::resize(oversampled, strength, {width, above + below}, 0, 0, cv::INTER_AREA);
  const Rgb ink = channels_of(colour);
  for (int y = 0; y < strength.rows; ++y)
    for (int x = 0; x < strength.cols; ++x) {
      const cv::Point at(baseline_left.x + x, baseline_left.y - above + y);
      if (at.x < 0 || at.y < 0 || at.x >= picture.cols || at.y >= picture.rows) continue;
      blend(picture.at<cv::Vec3b>(at), ink, strength.at<std::uint8_t>(y, x) / 255.0);
    }
}

std::string encode_png(const cv::Mat& picture) {
  return encoded(picture, ".png", {cv::IMWRITE_PNG_COMPRESSION, 4});
}

std::string encode_thumbnail(const cv::Mat& picture, int max_side) {
  constexpr int kQuality = 82;
  const double scale = static_cast<double>(max_side) / std::max(picture.cols, picture.rows);
  cv::Mat small = picture;
  if (scale < 1)
    cv::resize(picture, small,
               {std::max(1, static_cast<int>(std::lround(picture.cols * scale))),
                std::max(1, static_cast<int>(std::lround(picture.rows * scale)))},
               0, 0, cv::INTER_AREA);
  return encoded(small, ".jpg", {cv::IMWRITE_JPEG_QUALITY, kQuality});
}

}  // namespace contexton
