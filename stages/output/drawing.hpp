// Drawing on pictures (CV_8UC3, blue green red): marks, text, and the encoded result.
#pragma once

#include <opencv2/core.hpp>
#include <string>

#include "stages/output/palette.hpp"

namespace contexton {

enum class MarkShape { disc, square };

// A primitive on the picture: coordinates in pixels, centre of the top-left pixel at (0, 0).
struct Mark {
  double x = 0, y = 0;
  double radius = 0;  // of the disc; half the side of the square
  double angle = 0;   // radians, clockwise on screen from the x axis
  Colour colour = 0;
  double rim = 1, fill = 0;  // opacity of the outline and of the inside, 0 .. 1
  bool shows_angle = false;  // draws a hand from the centre to the rim
};

// Antialiased. Changes no pixel further than radius (times sqrt 2 for a square) + 2 from the centre.
// O(radius^2).
void draw_mark(cv::Mat& picture, const Mark& mark, MarkShape shape);

void fill_box(cv::Mat& picture, const cv::Rect& box, Colour colour);

// Text in a plain stroked font; `height` is that of a capital letter in pixels. Characters beyond ASCII are
// shown as "?".
void draw_text(cv::Mat& picture, const std::string& text, cv::Point baseline_left, int height, Colour colour);
[[nodiscard]] int text_width(const std::string& text, int height);
// The text, or its beginning and "...", no wider than `width`.
[[nodiscard]] std::string fitted_text(const std::string& text, int height, int width);

[[nodiscard]] cv::Scalar to_bgr(Colour colour);

[[nodiscard]] std::string encode_png(const cv::Mat& picture);
// At most `max_side` pixels wide and high.
[[nodiscard]] std::string encode_thumbnail(const cv::Mat& picture, int max_side);

}  // namespace contexton
