// Small plots for the report page, as inline SVG that takes its colours from the page.
#include "pipeline/report_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "pipeline/markup.hpp"

namespace contexton {
namespace {

constexpr double kWidth = 460, kHeight = 280;  // on a phone this is scaled to about 0.8 and still readable
constexpr double kFontSize = 11;
constexpr int kColors = 7;              // classes s0 .. s6 of the page's style
constexpr int kDashes = 3;              // classes d0 .. d2, for series beyond the colours
constexpr int kMostColumns = 150;       // times 4 points
constexpr std::size_t kMostDots = 24;   // a longer line shows no dots
constexpr std::size_t kMostListed = 8;  // series named in a tooltip
constexpr std::size_t kMostKeys = 21;   // series named in the legend
constexpr double kNarrowestBand = 4;    // pixels under which a tooltip cannot be aimed at

struct DrawnSeries {
  std::string name;
  std::vector<PlotPoint> points;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// What the SVG is drawn from: axes, the rectangle they span, and the points that remain after thinning.
struct PlotFrame {
  PlotAxis x, y;
  double left = 0, right = 0, top = 0, bottom = 0;
  std::vector<DrawnSeries> series;

  [[nodiscard]] double px(double value) const { return left + (right - left) * x.position(value); }
  [[nodiscard]] double py(double value) const { return bottom - (bottom - top) * y.position(value); }
};

std::string series_class(std::size_t index) {
  return fmt::format("s{} d{}", index % kColors, index / kColors % kDashes);
}

// ---- From the stage's numbers to a frame ----

struct Collected {
  std::vector<DrawnSeries> series;
  std::size_t left_out = 0;
};

Collected collect(const ReportPlot& plot) {
  Collected collected;
  for (const ReportSeries& source : plot.series) {
    DrawnSeries drawn{source.name, {}};
    int run = 0;
    const bool counts_up = source.x.empty();
    const std::size_t count = counts_up ? source.y.size() : std::max(source.x.size(), source.y.size());
    for (std::size_t i = 0; i < count; ++i) {
      const bool paired = i < source.y.size() && (counts_up || i < source.x.size());
      const double x = !paired ? NAN : counts_up ? static_cast<double>(i + 1) : source.x[i];
      const double y = paired ? source.y[i] : NAN;
      if (can_be_drawn(x, plot.log_x) && can_be_drawn(y, plot.log_y)) {
        drawn.points.push_back({x, y, run});
      } else {
        ++run;
        ++collected.left_out;
      }
    }
    collected.series.push_back(std::move(drawn));
  }
  return collected;
}

std::vector<double> distinct_x(const std::vector<DrawnSeries>& series) {
  std::vector<double> xs;
  for (const DrawnSeries& one : series) {
    for (const PlotPoint& point : one.points) xs.push_back(point.x);
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  return xs;
}

bool all_whole(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
}

// The range of x; bars need room for half a bar on each side.
Range x_range(const ReportPlot& plot, const std::vector<double>& xs) {
  Range range{xs.front(), xs.back()};
  if (!plot.bars) return range;
  if (plot.log_x) {
    double ratio = 2;
    for (std::size_t i = 1; i < xs.size(); ++i) ratio = std::min(ratio, xs[i] / xs[i - 1]);
    return {range.low / std::sqrt(ratio), range.high * std::sqrt(ratio)};
  }
  double gap = xs.size() == 1 ? 1 : range.high - range.low;
  for (std::size_t i = 1; i < xs.size(); ++i) gap = std::min(gap, xs[i] - xs[i - 1]);
  return {range.low - gap / 2, range.high + gap / 2};
}

Range values_of_y(const std::vector<DrawnSeries>& series) {
  Range range;
  for (const DrawnSeries& one : series) {
    for (const PlotPoint& point : one.points) range.include(point.y);
  }
  return range;
}

// The range of y; bars stand on zero, and a line that comes near zero shows it.
Range y_range(const ReportPlot& plot, const std::vector<DrawnSeries>& series) {
  Range range = values_of_y(series);
  if (plot.log_y) {
    if (plot.bars) return {range.low / 2, range.high * 1.2};  // the lowest bar stays visible
    return range;
  }
  const bool near_zero = range.low > 0 && range.low < 0.25 * range.high;
  if (plot.bars || near_zero) range.include(0);
  return range;
}

double widest_label(const PlotAxis& axis) {
  double widest = 0;
  for (const PlotTick& tick : axis.ticks) widest = std::max(widest, text_width(tick.label, kFontSize));
  return widest;
}

PlotFrame make_frame(const ReportPlot& plot, std::vector<DrawnSeries> series) {
  const std::vector<double> xs = distinct_x(series);
  const Range x = x_range(plot, xs);
  const Range y = y_range(plot, series);
  PlotFrame frame;
  frame.x = make_plot_axis(x.low, x.high, {plot.log_x, false, all_whole(xs), 6});
  frame.y = make_plot_axis(y.low, y.high, {plot.log_y, !(plot.log_y && plot.bars), false, 5});
  frame.left = std::min(kWidth / 3, widest_label(frame.y) + 12);
  const double last_label = frame.x.ticks.empty() ? 0 : text_width(frame.x.ticks.back().label, kFontSize);
  frame.right = kWidth - std::clamp(last_label / 2 + 2, 12.0, 60.0);
  frame.top = plot.y_label.empty() ? 10 : 28;
  frame.bottom = kHeight - (plot.x_label.empty() ? 24 : 42);
  // Many series share one budget of points.
  const int columns =
      std::clamp(4 * kMostColumns / std::max(4, static_cast<int>(series.size())), 15, kMostColumns);
  for (DrawnSeries& one : series) one.points = thinned(one.points, frame.x, columns);
  frame.series = std::move(series);
  return frame;
}

// ---- The parts of the drawing ----

void draw_y_axis(std::string& svg, const PlotFrame& frame) {
  for (const PlotTick& tick : frame.y.ticks) {
    const double y = frame.py(tick.value);
    append_format(svg, R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", frame.left,
                  frame.right, y, y);
    append_format(svg, R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", frame.left - 7, y + 4,
                  tick.label);
  }
}

void draw_x_axis(std::string& svg, const PlotFrame& frame) {
  append_format(svg, R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", frame.left,
                frame.right, frame.bottom, frame.bottom);
  double labelled_up_to = -std::numeric_limits<double>::infinity();
  for (const PlotTick& tick : frame.x.ticks) {
    const double x = frame.px(tick.value);
    append_format(svg, R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", x, x,
                  frame.bottom, frame.bottom + 4);
    const double half = text_width(tick.label, kFontSize) / 2;
    if (x - half < labelled_up_to) continue;
    labelled_up_to = x + half + 4;
    append_format(svg, R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x, frame.bottom + 16,
                  tick.label);
  }
}

void draw_axis_labels(std::string& svg, const PlotFrame& frame, const ReportPlot& plot) {
  const auto label = [](const std::string& text, bool log) { return log ? text + " (log)" : text; };
  if (!plot.y_label.empty()) {
    append_format(svg, R"(<text class="label" x="0" y="12">{}</text>)",
                  escape_markup(fitted_text(label(plot.y_label, plot.log_y), kWidth, kFontSize)));
  }
  if (!plot.x_label.empty()) {
    append_format(
        svg, R"(<text class="label" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
        (frame.left + frame.right) / 2, kHeight - 6,
        escape_markup(fitted_text(label(plot.x_label, plot.log_x), frame.right - frame.left, kFontSize)));
  }
}

bool stands_alone(const std::vector<PlotPoint>& points, std::size_t i) {
  const bool joined_before = i > 0 && points[i - 1].run == points[i].run;
  const bool joined_after = i + 1 < points.size() && points[i + 1].run == points[i].run;
  return !joined_before && !joined_after;
}

void draw_line(std::string& svg, const PlotFrame& frame, std::size_t index) {
  const std::vector<PlotPoint>& points = frame.series[index].points;
  if (points.empty()) return;
  append_format(svg, R"(<g class="{}"><path class="line" d=")", series_class(index));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool starts = i == 0 || points[i - 1].run != points[i].run;
    append_format(svg, "{}{:.1f} {:.1f}", starts ? 'M' : 'L', frame.px(points[i].x), frame.py(points[i].y));
  }
  svg += "\"/>";
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points.size() > kMostDots && !stands_alone(points, i)) continue;
    append_format(svg, R"(<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="2.5"/>)", frame.px(points[i].x),
                  frame.py(points[i].y));
  }
  svg += "</g>";
}

// "iteration 12" or, without a label, "12".
std::string named_value(const std::string& label, double value) {
  return label.empty() ? readable_number(value) : fmt::format("{} {}", label, readable_number(value));
}

void draw_bars(std::string& svg, const PlotFrame& frame, const ReportPlot& plot) {
  const std::vector<double> xs = distinct_x(frame.series);
  double slot = xs.size() == 1 ? 48 : frame.right - frame.left;
  for (std::size_t i = 1; i < xs.size(); ++i) slot = std::min(slot, frame.px(xs[i]) - frame.px(xs[i - 1]));
  const double count = static_cast<double>(frame.series.size());
  const double width = std::clamp(0.8 * slot / count, 1.0, 48.0);
  const double zero = frame.py(plot.log_y ? frame.y.low : std::clamp(0.0, frame.y.low, frame.y.high));
  for (std::size_t index = 0; index < frame.series.size(); ++index) {
    const DrawnSeries& series = frame.series[index];
    append_format(svg, R"(<g class="{}">)", series_class(index));
    for (const PlotPoint& point : series.points) {
      const double x = frame.px(point.x) + (static_cast<double>(index) - count / 2) * width;
      const double y = frame.py(point.y);
      append_format(svg, R"(<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">)", x,
                    std::min(y, zero), std::max(1.0, width - (width > 4 ? 1 : 0)), std::abs(zero - y));
      append_format(svg, "<title>{}\n{}</title></rect>", escape_markup(named_value(plot.x_label, point.x)),
                    escape_markup(named_value(series.name.empty() ? plot.y_label : series.name, point.y)));
    }
    svg += "</g>";
  }
}

// The point of the series that lies in the band and nearest to its middle.
std::optional<PlotPoint> point_in_band(const PlotFrame& frame, const DrawnSeries& series, double from,
                                       double to, double middle) {
  std::optional<PlotPoint> nearest;
  for (const PlotPoint& point : series.points) {
    const double x = frame.px(point.x);
    if (x < from || x > to) continue;
    if (!nearest || std::abs(x - middle) < std::abs(frame.px(nearest->x) - middle)) nearest = point;
  }
  return nearest;
}

std::string band_text(const PlotFrame& frame, const ReportPlot& plot, double from, double to, double x) {
  std::string text = named_value(plot.x_label, x);
  std::size_t listed = 0;
  for (const DrawnSeries& series : frame.series) {
    const std::optional<PlotPoint> point = point_in_band(frame, series, from, to, frame.px(x));
    if (!point) continue;
    if (listed++ == kMostListed) return text + "\n…";
    append_format(text, "\n{}", named_value(series.name.empty() ? plot.y_label : series.name, point->y));
    if (point->x != x) append_format(text, " at {}", readable_number(point->x));
  }
  return text;
}

// Upright bands, one around each x, that carry the tooltips: the pointer need not hit the line.
void draw_bands(std::string& svg, const PlotFrame& frame, const ReportPlot& plot) {
  std::vector<double> xs;
  for (const double x : distinct_x(frame.series)) {
    if (xs.empty() || frame.px(x) - frame.px(xs.back()) >= kNarrowestBand) xs.push_back(x);
  }
  double from = frame.left;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double to = i + 1 < xs.size() ? (frame.px(xs[i]) + frame.px(xs[i + 1])) / 2 : frame.right;
    append_format(
        svg,
        R"(<rect class="band" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>)",
        from, frame.top, std::max(0.1, to - from), frame.bottom - frame.top,
        escape_markup(band_text(frame, plot, from, to, xs[i])));
    from = to;
  }
}

std::string spoken_summary(const ReportPlot& plot, const PlotFrame& frame) {
  const std::vector<double> xs = distinct_x(frame.series);
  const Range y = values_of_y(frame.series);
  return fmt::format("{}{} from {} to {}, {} from {} to {}", plot.title.empty() ? "" : plot.title + ": ",
                     plot.x_label.empty() ? "x" : plot.x_label, readable_number(xs.front()),
                     readable_number(xs.back()), plot.y_label.empty() ? "y" : plot.y_label,
                     readable_number(y.low), readable_number(y.high));
}

void draw_plot(std::string& html, const ReportPlot& plot, const PlotFrame& frame) {
  append_format(html, R"(<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}">)", kWidth, kHeight,
                escape_markup(spoken_summary(plot, frame)));
  draw_y_axis(html, frame);
  if (plot.bars) {
    draw_bars(html, frame, plot);
  } else {
    for (std::size_t i = 0; i < frame.series.size(); ++i) draw_line(html, frame, i);
    draw_bands(html, frame, plot);
  }
  draw_x_axis(html, frame);
  draw_axis_labels(html, frame, plot);
  html += "</svg>\n";
}

void draw_keys(std::string& html, const ReportPlot& plot) {
  if (plot.series.size() < 2) return;
  html += R"(<ul class="keys">)";
  const std::size_t shown = std::min(plot.series.size(), kMostKeys);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string shape = plot.bars ? R"(<rect class="bar" x="4" width="12" height="10"/>)"
                                        : R"(<path class="line" d="M0 5H20"/>)";
    const std::string& name = plot.series[i].name;
    append_format(html, R"(<li><svg class="{}" width="20" height="10" aria-hidden="true">{}</svg>{}</li>)",
                  series_class(i), shape,
                  escape_markup(name.empty() ? fmt::format("series {}", i + 1) : name));
  }
  if (plot.series.size() > shown) append_format(html, "<li>and {} more</li>", plot.series.size() - shown);
  html += "</ul>\n";
}

std::string left_out_note(std::size_t count) {
  return fmt::format("<p class=\"note\">{} not drawn: not finite, or not positive on a log axis.</p>\n",
                     counted(count, "point", "points"));
}

bool ascends(const std::vector<PlotPoint>& points) {
  return std::is_sorted(points.begin(), points.end(),
                        [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
}

// First, lowest, highest and last of points[from, to), in their order and without repeats.
void keep_outline(const std::vector<PlotPoint>& points, std::size_t from, std::size_t to,
                  std::vector<PlotPoint>& kept) {
  const auto begin = points.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = points.begin() + static_cast<std::ptrdiff_t>(to);
  const auto lower = [](const PlotPoint& a, const PlotPoint& b) { return a.y < b.y; };
  auto chosen = {begin, std::min_element(begin, end, lower), std::max_element(begin, end, lower), end - 1};
  std::vector order(chosen);
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  for (const auto& point : order) kept.push_back(*point);
}

}  // namespace

std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, const PlotAxis& x_axis, int columns) {
  if (points.size() <= 4 * static_cast<std::size_t>(columns)) return points;
  const bool by_position = ascends(points);
  const auto column_of = [&](std::size_t i) {
    const double position = by_position ? x_axis.position(points[i].x)
                                        : static_cast<double>(i) / static_cast<double>(points.size());
    return std::clamp(static_cast<int>(position * columns), 0, columns - 1);
  };
  std::vector<PlotPoint> kept;
  for (std::size_t from = 0; from < points.size();) {
    std::size_t to = from + 1;
    while (to < points.size() && column_of(to) == column_of(from)) ++to;
    keep_outline(points, from, to, kept);
    from = to;
  }
  return kept;
}

std::string render_plot(const ReportPlot& plot) {
  Collected collected = collect(plot);
  std::string html = "<figure class=\"chart\">\n";
  if (!plot.title.empty()) append_format(html, "<figcaption>{}</figcaption>\n", escape_markup(plot.title));
  if (distinct_x(collected.series).empty()) {
    html += "<p class=\"note\">Nothing to plot.</p>\n";
  } else {
    draw_keys(html, plot);
    draw_plot(html, plot, make_frame(plot, std::move(collected.series)));
  }
  if (collected.left_out > 0) html += left_out_note(collected.left_out);
  return html + "</figure>\n";
}

}  // namespace contexton
