// Geometry and layout of overlay pictures.
#include "stages/output/overlay_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <opencv2/imgproc.hpp>

namespace contexton {
namespace {

constexpr Colour kUnlabelled = 0xC8C8C8;
constexpr Colour kStrip = 0x16191D, kStripText = 0xE6E8EB, kStripFaint = 0x9AA1A9;
constexpr double kFullFillRadius = 8, kSmallestWithHand = 5;  // pixels
constexpr int kTextHeight = 11, kLine = 26, kMargin = 10, kSwatch = 12, kSwatchGap = 7, kEntryGap = 22;

double picture_scale(const cv::Size& size, int max_side) {
  const int side = std::max(size.width, size.height);
  if (side >= max_side) return static_cast<double>(max_side) / side;
  return std::clamp(max_side / side, 1, 4);
}

// Dim and gray, so that colour belongs to the marks alone.
cv::Mat backdrop(const cv::Mat& pixels, double scale) {
  cv::Mat gray = pixels;
  if (pixels.channels() == 3) cv::cvtColor(pixels, gray, cv::COLOR_BGR2GRAY);
  const auto scaled = [scale](int side) { return std::max(1, static_cast<int>(std::lround(side * scale))); };
  if (scale != 1)
    cv::resize(gray, gray, {scaled(gray.cols), scaled(gray.rows)}, 0, 0,
               scale < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
  cv::Mat dimmed, picture;
  gray.convertTo(dimmed, CV_8U, 0.6, 12);
  cv::cvtColor(dimmed, picture, cv::COLOR_GRAY2BGR);
  return picture;
}

// Keypoints from a user's file may hold anything; those that are no place are left out.
std::vector<std::size_t> largest_first(std::span<const Keypoint> keypoints) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < keypoints.size(); ++i)
    if (std::isfinite(keypoints[i].x + keypoints[i].y + keypoints[i].scale + keypoints[i].angle))
      order.push_back(i);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return keypoints[i].scale; });
  return order;
}

// The colour of a label, and whether it has one.
std::pair<Colour, bool> colour_of(std::span<const std::int32_t> labels, const LabelStyle& style,
                                  std::size_t i) {
  if (labels.empty()) return {palette_colour(1), true};
  const auto label = static_cast<std::size_t>(labels[i]);  // a negative one becomes huge
  return label < style.size() ? std::pair{style.colours[label], true} : std::pair{kUnlabelled, false};
}

double mark_radius(const Keypoint& keypoint, double diameter_per_scale) {
  return std::max(2.0, diameter_per_scale / 2 * static_cast<double>(keypoint.scale));
}

// How strongly marks are drawn, so that what lies beneath stays visible where there are many.
class Strength {
 public:
  Strength(std::span<const Keypoint> keypoints, double diameter_per_scale, double pixels) {
    double area = 0;
    for (const Keypoint& keypoint : keypoints) {
      const double radius = std::min(mark_radius(keypoint, diameter_per_scale), kFullFillRadius);
      area += std::numbers::pi * radius * radius;
    }
    coverage_ = area / pixels;
  }
  [[nodiscard]] double rim() const { return 0.9 * overall() * overall(); }
  // The more marks there are, the fainter are large ones, which cover most.
  [[nodiscard]] double fill(double radius) const {
    return overall() * std::pow(std::min(1.0, kFullFillRadius / radius), std::min(1.0, 2 * coverage_));
  }

 private:
  [[nodiscard]] double overall() const { return coverage_ > 1 ? 1 / coverage_ : 1; }

  double coverage_ = 0;  // how often the marks would cover the picture if none were large
};

struct LegendEntry {
  Colour colour;
  std::string name, count;
  [[nodiscard]] int width() const {
    return kSwatch + kSwatchGap + text_width(name + "  " + count, kTextHeight) + kEntryGap;
  }
};

std::vector<LegendEntry> legend_entries(std::span<const std::int32_t> labels, const LabelStyle& style,
                                        int widest) {
  std::vector<std::int64_t> counts(style.size(), 0);
  for (const std::int32_t label : labels)
    if (static_cast<std::size_t>(label) < counts.size()) ++counts[static_cast<std::size_t>(label)];
  std::vector<LegendEntry> entries;
  for (std::size_t label = 0; label < style.size(); ++label)
    entries.push_back({style.colours[label], fitted_text(style.name(label), kTextHeight, widest / 2),
                       std::to_string(counts[label])});
  return entries;
}

}  // namespace

cv::Mat overlay_picture(const Image& image, const ImagePrimitives& primitives,
                        std::span<const std::int32_t> labels, const LabelStyle& style,
                        const OverlayOptions& options) {
  const double scale = picture_scale(image.pixels.size(), options.max_side);
  cv::Mat picture = backdrop(image.pixels, scale);
  // From where the primitives were found to the picture; both have pixel centres at whole numbers. Primitives
  // from a file may not know the size of their image.
  const bool sized = primitives.width > 0 && primitives.height > 0;
  const double to_x = static_cast<double>(picture.cols) / (sized ? primitives.width : image.pixels.cols);
  const double to_y = static_cast<double>(picture.rows) / (sized ? primitives.height : image.pixels.rows);
  const double to_size = std::sqrt(to_x * to_y);
  const bool oriented =
      std::ranges::any_of(primitives.keypoints, [](const Keypoint& keypoint) { return keypoint.angle != 0; });

  const Strength strength(primitives.keypoints, options.size * to_size, static_cast<double>(picture.total()));
  for (const std::size_t i : largest_first(primitives.keypoints)) {
    const Keypoint& keypoint = primitives.keypoints[i];
    const auto [colour, labelled] = colour_of(labels, style, i);
    const double radius = mark_radius(keypoint, options.size * to_size);
    draw_mark(picture,
              {.x = (static_cast<double>(keypoint.x) + 0.5) * to_x - 0.5,
               .y = (static_cast<double>(keypoint.y) + 0.5) * to_y - 0.5,
               .radius = radius,
               .angle = static_cast<double>(keypoint.angle),
               .colour = colour,
               .rim = strength.rim(),
               .fill = labelled ? options.opacity * strength.fill(radius) : 0,
               .shows_angle = oriented && radius >= kSmallestWithHand},
              options.shape);
  }
  return picture;
}

cv::Mat with_legend(const cv::Mat& picture, std::span<const std::int32_t> labels, const LabelStyle& style) {
  const std::vector<LegendEntry> entries = legend_entries(labels, style, picture.cols);
  std::vector<cv::Point> places;
  cv::Point pen(kMargin, 0);
  for (const LegendEntry& entry : entries) {
    if (pen.x > kMargin && pen.x + entry.width() - kEntryGap + kMargin > picture.cols)
      pen = {kMargin, pen.y + kLine};
    places.push_back(pen);
    pen.x += entry.width();
  }
  const int strip = pen.y + kLine + kMargin;
  cv::Mat result(picture.rows + strip, picture.cols, CV_8UC3, to_bgr(kStrip));
  picture.copyTo(result.rowRange(0, picture.rows));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const int x = places[i].x, top = picture.rows + kMargin / 2 + places[i].y;
    const int baseline = top + (kLine + kTextHeight) / 2, text_x = x + kSwatch + kSwatchGap;
    fill_box(result, {x, top + (kLine - kSwatch) / 2, kSwatch, kSwatch}, entries[i].colour);
    draw_text(result, entries[i].name, {text_x, baseline}, kTextHeight, kStripText);
    draw_text(result, entries[i].count, {text_x + text_width(entries[i].name + "  ", kTextHeight), baseline},
              kTextHeight, kStripFaint);
  }
  return result;
}

}  // namespace contexton
