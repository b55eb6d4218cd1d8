// Patches by affine resampling, and the layout of their rows.
#include "stages/output/gallery_picture.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "stages/output/drawing.hpp"

namespace contexton {
namespace {

constexpr Colour kPaper = 0x16191D, kFreePlace = 0x20242A, kTitle = 0xE6E8EB, kSubtitle = 0x9AA1A9;
constexpr int kMargin = 12, kGap = 4, kChip = 5, kTitleHeight = 11, kSubtitleHeight = 9, kWidestTitle = 220;

}  // namespace

cv::Mat cut_patch(const cv::Mat& pixels, const Keypoint& keypoint, double span, int side) {
  // Sampled with about one sample per pixel of the image, then averaged down.
  const int finer = static_cast<int>(std::clamp(std::ceil(span / side), 1.0, 16.0));
  const int samples = side * finer;
  const double step = span / samples, middle = (samples - 1) / 2.0;
  const double angle = static_cast<double>(keypoint.angle);
  const double x_step = step * std::cos(angle), y_step = step * std::sin(angle);
  // Sample (u, v) lies at keypoint + R(angle) (u - middle, v - middle) step.
  const cv::Matx23d to_image(x_step, -y_step,
                             static_cast<double>(keypoint.x) - (x_step - y_step) * middle,  //
                             y_step, x_step, static_cast<double>(keypoint.y) - (y_step + x_step) * middle);
  cv::Mat sampled, patch;
  cv::warpAffine(pixels, sampled, to_image, {samples, samples},
                 (step < 1 ? cv::INTER_CUBIC : cv::INTER_LINEAR) | cv::WARP_INVERSE_MAP,
                 cv::BORDER_REPLICATE);
  cv::resize(sampled, patch, {side, side}, 0, 0, cv::INTER_AREA);
  if (patch.channels() == 1) cv::cvtColor(patch, patch, cv::COLOR_GRAY2BGR);
  return patch;
}

int title_width(std::span<const GalleryLine> lines) {
  int width = 0;
  for (const GalleryLine& line : lines)
    width =
        std::max({width, text_width(line.title, kTitleHeight), text_width(line.subtitle, kSubtitleHeight)});
  return std::min(width, kWidestTitle);
}

cv::Mat draw_gallery(std::span<const GalleryLine> lines, int columns, int side, int title_width) {
  const int row_height = std::max(side, kTitleHeight + kSubtitleHeight + 14) + kGap;
  const int first_patch = kMargin + kChip + 8 + title_width + 14;
  cv::Mat picture(2 * kMargin - kGap + row_height * static_cast<int>(lines.size()),
                  first_patch + columns * (side + kGap) - kGap + kMargin, CV_8UC3, to_bgr(kPaper));
  int top = kMargin;
  for (const GalleryLine& line : lines) {
    const int middle = top + (row_height - kGap) / 2, text_x = kMargin + kChip + 8;
    fill_box(picture, {kMargin, top, kChip, row_height - kGap}, line.colour);
    draw_text(picture, fitted_text(line.title, kTitleHeight, title_width), {text_x, middle - 4}, kTitleHeight,
              kTitle);
    draw_text(picture, line.subtitle, {text_x, middle + 5 + kSubtitleHeight}, kSubtitleHeight, kSubtitle);
    for (int column = 0; column < columns; ++column) {
      const cv::Rect place(first_patch + column * (side + kGap), middle - side / 2, side, side);
      const auto index = static_cast<std::size_t>(column);
      if (index < line.patches.size() && !line.patches[index].empty())
        line.patches[index].copyTo(picture(place));
      else
        fill_box(picture, place, kFreePlace);
    }
    top += row_height;
  }
  return picture;
}

}  // namespace contexton
