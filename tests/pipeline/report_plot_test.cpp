// Tests of the plots: axes with round ticks, thinning that keeps the shape, and odd data.
#include "pipeline/report_plot.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "tests/pipeline/markup_check.hpp"

namespace contexton {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> labels(const PlotAxis& axis) {
  std::vector<std::string> out;
  for (const PlotTick& tick : axis.ticks) out.push_back(tick.label);
  return out;
}

ReportPlot line_plot(std::vector<double> x, std::vector<double> y) {
  return {"title", "x", "y", {{"", std::move(x), std::move(y)}}, false, false, false};
}

// Every number drawn lies inside the picture.
void expect_inside(const std::string& html) {
  EXPECT_EQ(html.find("nan"), html.npos);
  EXPECT_EQ(html.find("inf"), html.npos);
  for (const double x : numbers_in(html, R"re([ML](-?[0-9.]+) )re")) {
    EXPECT_GE(x, 0);
    EXPECT_LE(x, 460);
  }
  for (const double y : numbers_in(html, R"re([ML]-?[0-9.]+ (-?[0-9.]+))re")) {
    EXPECT_GE(y, 0);
    EXPECT_LE(y, 280);
  }
}

// ---- Axes ----

TEST(PlotAxis, ticks_are_round_numbers) {
  EXPECT_EQ(labels(make_plot_axis(0, 100, {})),
            (std::vector<std::string>{"0", "20", "40", "60", "80", "100"}));
  EXPECT_EQ(labels(make_plot_axis(0.13, 0.41, {.wanted_ticks = 5})),
            (std::vector<std::string>{"0.2", "0.3", "0.4"}));
  EXPECT_EQ(labels(make_plot_axis(-1, 1, {.wanted_ticks = 4})),
            (std::vector<std::string>{"−1.0", "−0.5", "0", "0.5", "1.0"}));
}

TEST(PlotAxis, rounding_out_ends_on_ticks) {
  const PlotAxis axis = make_plot_axis(0.182, 0.39, {.round_out = true, .wanted_ticks = 5});
  EXPECT_NEAR(axis.low, 0.15, 1e-12);
  EXPECT_NEAR(axis.high, 0.4, 1e-12);
  EXPECT_EQ(axis.ticks.front().label, "0.15");
  EXPECT_EQ(axis.ticks.back().label, "0.40");
}

TEST(PlotAxis, iterations_have_no_ticks_between_them) {
  EXPECT_EQ(labels(make_plot_axis(0, 2, {.whole_steps = true})), (std::vector<std::string>{"0", "1", "2"}));
}

TEST(PlotAxis, log_ticks_are_powers_of_ten) {
  EXPECT_EQ(labels(make_plot_axis(1, 10000, {.log = true})),
            (std::vector<std::string>{"1", "10", "100", "1,000", "10,000"}));
  EXPECT_EQ(labels(make_plot_axis(1, 100, {.log = true})),
            (std::vector<std::string>{"1", "2", "5", "10", "20", "50", "100"}));
  EXPECT_EQ(labels(make_plot_axis(1e-12, 1, {.log = true})),
            (std::vector<std::string>{"10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1"}));
}

TEST(PlotAxis, a_short_log_axis_still_has_ticks) {
  EXPECT_GE(make_plot_axis(101, 109, {.log = true}).ticks.size(), 2u);
}

TEST(PlotAxis, neighbouring_ticks_read_differently_and_lie_inside) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> exponent(-12, 12), offset(-3, 3);
  for (int trial = 0; trial < 2000; ++trial) {
    const double span = std::pow(10, exponent(generator));
    const double low = offset(generator) * std::pow(10, exponent(generator) / 2 + std::log10(span) / 2);
    const bool log = trial % 3 == 0;
    const double start = log ? std::abs(low) + 1e-20 : low;
    const PlotAxis axis = make_plot_axis(start, start + span, {.log = log, .round_out = trial % 2 == 0});
    const std::vector<std::string> names = labels(axis);
    ASSERT_GE(names.size(), 1u) << start << " + " << span;
    EXPECT_LE(names.size(), 14u);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size())
        << start << " + " << span;
    for (const PlotTick& tick : axis.ticks) {
      EXPECT_GE(axis.position(tick.value), -1e-9);
      EXPECT_LE(axis.position(tick.value), 1 + 1e-9);
    }
  }
}

TEST(PlotAxis, an_empty_range_is_widened) {
  for (const double value : {0.0, 5.0, -3e-9, 1e250, 5e-324}) {
    const PlotAxis axis = make_plot_axis(value, value, {.round_out = true});
    EXPECT_LT(axis.low, axis.high) << value;
    EXPECT_GT(axis.position(value), 0) << value;
    EXPECT_LT(axis.position(value), 1) << value;
    EXPECT_GE(axis.ticks.size(), 2u) << value;
  }
}

TEST(PlotAxis, says_what_it_cannot_show) {
  EXPECT_TRUE(can_be_drawn(-3, false));
  EXPECT_FALSE(can_be_drawn(-3, true));
  EXPECT_FALSE(can_be_drawn(0, true));
  EXPECT_FALSE(can_be_drawn(kNan, false));
  EXPECT_FALSE(can_be_drawn(kInfinity, false));
  EXPECT_FALSE(can_be_drawn(1.7e308, false));
}

// ---- Thinning ----

std::vector<PlotPoint> noisy_points(std::size_t count) {
  std::mt19937 generator(1);
  std::normal_distribution<double> noise;
  std::vector<PlotPoint> points;
  for (std::size_t i = 0; i < count; ++i) points.push_back({static_cast<double>(i + 1), noise(generator), 0});
  return points;
}

TEST(Thinned, ten_thousand_points_become_at_most_600_with_the_same_extremes) {
  std::vector<PlotPoint> points = noisy_points(10000);
  points[4321].y = 77;
  points[8765].y = -77;
  for (const bool log : {false, true}) {
    const auto kept = thinned(points, make_plot_axis(1, 10000, {.log = log}), 150);
    EXPECT_LE(kept.size(), 600u);
    EXPECT_GE(kept.size(), 200u);
    EXPECT_EQ(kept.front().x, 1);
    EXPECT_EQ(kept.back().x, 10000);
    const auto has = [&](double y) {
      return std::any_of(kept.begin(), kept.end(), [&](const PlotPoint& p) { return p.y == y; });
    };
    EXPECT_TRUE(has(77));
    EXPECT_TRUE(has(-77));
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(),
                               [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; }));
  }
}

TEST(Thinned, the_start_of_a_log_axis_keeps_every_point) {
  const auto kept = thinned(noisy_points(10000), make_plot_axis(1, 10000, {.log = true}), 150);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(kept[i].x, static_cast<double>(i + 1));
}

TEST(Thinned, a_line_that_goes_back_and_forth_is_thinned_in_its_order) {
  std::vector<PlotPoint> circle;
  for (int i = 0; i < 5000; ++i) circle.push_back({std::cos(i * 0.01), std::sin(i * 0.01), 0});
  const auto kept = thinned(circle, make_plot_axis(-1, 1, {}), 150);
  EXPECT_LE(kept.size(), 600u);
  EXPECT_EQ(kept.front().x, circle.front().x);
  EXPECT_EQ(kept.back().x, circle.back().x);
}

TEST(Thinned, few_points_stay_as_they_are) {
  EXPECT_EQ(thinned(noisy_points(600), make_plot_axis(1, 600, {}), 150).size(), 600u);
}

// ---- Drawings ----

TEST(ReportPlot, empty_plots_say_so) {
  for (const ReportPlot& plot : {ReportPlot{}, line_plot({}, {}), line_plot({1, 2}, {kNan, kInfinity})}) {
    const std::string html = render_plot(plot);
    EXPECT_TRUE(is_well_formed(html));
    EXPECT_NE(html.find("Nothing to plot."), html.npos);
    EXPECT_EQ(html.find("<svg"), html.npos);
  }
  EXPECT_NE(render_plot(line_plot({1, 2}, {kNan, kInfinity})).find("2 points not drawn"), std::string::npos);
}

TEST(ReportPlot, a_single_point_is_a_dot) {
  const std::string html = render_plot(line_plot({5}, {3}));
  EXPECT_TRUE(is_well_formed(html));
  EXPECT_EQ(count_of(html, "<circle"), 1u);
  expect_inside(html);
}

TEST(ReportPlot, points_that_cannot_be_drawn_leave_a_gap_and_are_counted) {
  const std::string html = render_plot(line_plot({1, 2, 3, 4, 5}, {1, 2, kNan, 4, 5}));
  const std::string path = html.substr(html.find("class=\"line\""), 120);
  EXPECT_EQ(count_of(path.substr(0, path.find("/>")), "M"), 2u);
  EXPECT_NE(html.find("1 point not drawn"), html.npos);
  expect_inside(html);
}

TEST(ReportPlot, log_axes_leave_out_what_is_not_positive) {
  ReportPlot plot = line_plot({0, 1, 10, 100}, {5, -1, 10, 1000});
  plot.log_x = plot.log_y = true;
  const std::string html = render_plot(plot);
  EXPECT_NE(html.find("2 points not drawn"), html.npos);
  EXPECT_NE(html.find("y (log)"), html.npos);
  expect_inside(html);
}

TEST(ReportPlot, x_counts_from_one_when_it_is_not_given) {
  const std::string html = render_plot(line_plot({}, {4, 5, 6}));
  EXPECT_NE(html.find("x from 1 to 3"), html.npos);
}

TEST(ReportPlot, lists_of_different_length_are_cut_and_counted) {
  const std::string html = render_plot(line_plot({1, 2, 3}, {1, 2, 3, 4, 5}));
  EXPECT_NE(html.find("x from 1 to 3"), html.npos);
  EXPECT_NE(html.find("2 points not drawn"), html.npos);
}

TEST(ReportPlot, extreme_values_stay_inside_the_picture) {
  expect_inside(render_plot(line_plot({1, 2, 3}, {-1e300, 1e300, 0})));
  expect_inside(render_plot(line_plot({1, 2, 3}, {5e-324, 0, 1e-320})));
  expect_inside(render_plot(line_plot({1e300, -1e300}, {1, 1 + 1e-16})));
  ReportPlot log = line_plot({1e-300, 1e300}, {1e300, 1e-300});
  log.log_x = log.log_y = true;
  expect_inside(render_plot(log));
  log.bars = true;
  EXPECT_TRUE(is_well_formed(render_plot(log)));
}

TEST(ReportPlot, hovering_names_the_values) {
  ReportPlot plot{"", "iteration", "objective", {{"a", {1, 2}, {10, 20}}, {"b", {1, 2}, {30, 40}}}};
  const std::string html = render_plot(plot);
  EXPECT_NE(html.find("<title>iteration 1\na 10\nb 30</title>"), html.npos);
  EXPECT_NE(html.find("<title>iteration 2\na 20\nb 40</title>"), html.npos);
}

TEST(ReportPlot, several_series_get_a_legend_and_different_styles) {
  ReportPlot plot{"", "", "", {}};
  for (int i = 0; i < 14; ++i) plot.series.push_back({fmt::format("series {}", i), {}, {1.0 * i, 2.0 * i}});
  const std::string html = render_plot(plot);
  EXPECT_EQ(count_of(html, "<li>"), 14u);
  std::set<std::string> styles;
  for (std::size_t at = html.find("<g class=\"s"); at != html.npos; at = html.find("<g class=\"s", at + 1)) {
    styles.insert(html.substr(at, html.find('>', at) - at));
  }
  EXPECT_EQ(styles.size(), 14u);
  EXPECT_EQ(render_plot(line_plot({1}, {1})).find("<li>"), std::string::npos) << "one series needs no legend";
}

TEST(ReportPlot, bars_stand_on_zero_and_do_not_overlap) {
  ReportPlot plot{"", "", "", {{"", {1, 2, 3}, {5, -5, 10}}}, false, false, true};
  const std::string html = render_plot(plot);
  const std::vector<double> x = numbers_in(html, R"re(class="bar" x="([0-9.]+)")re");
  const std::vector<double> width = numbers_in(html, R"re(class="bar"[^>]* width="([0-9.]+)")re");
  const std::vector<double> y = numbers_in(html, R"re(class="bar"[^>]* y="([0-9.]+)")re");
  const std::vector<double> height = numbers_in(html, R"re(class="bar"[^>]* height="([0-9.]+)")re");
  ASSERT_EQ(x.size(), 3u);
  EXPECT_LT(x[0] + width[0], x[1]);
  EXPECT_LT(x[1] + width[1], x[2]);
  const double zero = y[1];  // the bar of a negative value hangs from zero
  EXPECT_NEAR(y[0] + height[0], zero, 0.11);
  EXPECT_NEAR(y[2] + height[2], zero, 0.11);
  EXPECT_NEAR(height[2], 2 * height[0], 0.2);
}

TEST(ReportPlot, ten_thousand_points_make_a_small_drawing) {
  ReportPlot plot = line_plot({}, {});
  for (int i = 0; i < 10000; ++i) plot.series[0].y.push_back(std::sin(i * 0.7));
  EXPECT_LT(render_plot(plot).size(), 40000u);
  plot.bars = true;
  EXPECT_LT(render_plot(plot).size(), 120000u);
}

TEST(ReportPlot, all_text_is_escaped) {
  const std::string bad = "<script>alert('1')</script>\"&";
  for (const bool bars : {false, true}) {
    const ReportPlot plot{bad, bad, bad, {{bad, {1, 2}, {1, 2}}, {bad, {1, 2}, {3, 4}}}, false, false, bars};
    const std::string html = render_plot(plot);
    EXPECT_TRUE(is_well_formed(html));
    EXPECT_EQ(html.find("<script"), html.npos);
  }
}

}  // namespace
}  // namespace contexton
