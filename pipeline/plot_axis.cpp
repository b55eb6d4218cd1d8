// An axis of a plot: its range, its ticks at round numbers, and where on it a value lies.
#include "pipeline/plot_axis.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/markup.hpp"

namespace contexton {
namespace {

constexpr double kLargestDrawn = 1e300;    // keeps every difference of two values finite
constexpr double kSmallestDrawn = 1e-300;  // keeps every quotient of two values finite

// The smallest of 1, 2, 5 times a power of ten that is not below `step`.
double round_step_above(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

double linear_step(double low, double high, const PlotAxisOptions& options) {
  const double step = round_step_above((high - low) / std::max(1, options.wanted_ticks));
  return options.whole_steps ? std::max(1.0, step) : step;
}

std::vector<double> linear_tick_values(double low, double high, double step) {
  std::vector<double> values;
  const double slack = 1e-9 * step;
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; k += 1) {
    values.push_back(std::clamp(k * step, low, high));
  }
  return values;
}

// Enough digits that neighbouring ticks read differently.
std::string linear_tick_label(double value, double step, double largest) {
  constexpr double kLargestPlain = 1e7;
  constexpr double kSmallestPlain = 1e-3;
  if (std::abs(value) < 1e-9 * step) return "0";
  const int step_exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  if (largest >= kLargestPlain || largest < kSmallestPlain) {
    const int value_exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
    return scientific_number(value, std::clamp(value_exponent - step_exponent, 0, 15));
  }
  return grouped_number(value, std::clamp(-step_exponent, 0, 15));
}

std::vector<PlotTick> linear_ticks(double low, double high, const PlotAxisOptions& options) {
  const double step = linear_step(low, high, options);
  const double largest = std::max(std::abs(low), std::abs(high));
  std::vector<PlotTick> ticks;
  for (const double value : linear_tick_values(low, high, step)) {
    ticks.push_back({value, linear_tick_label(value, step, largest)});
  }
  return ticks;
}

std::string log_tick_label(double value) {
  constexpr double kLargestPlain = 1e6;
  constexpr double kSmallestPlain = 1e-3;
  const bool plain = value < kLargestPlain && value >= kSmallestPlain;
  return plain ? readable_number(value) : scientific_number(value, 1);
}

// Powers of ten; with 2 and 5 between them when there are few; thinned out when there are many.
std::vector<PlotTick> log_ticks(double low, double high, const PlotAxisOptions& options) {
  const double decades = std::log10(high) - std::log10(low);
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / options.wanted_ticks)));
  const std::vector<double> factors = decades <= 2.5 ? std::vector{1.0, 2.0, 5.0} : std::vector{1.0};
  std::vector<PlotTick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % stride != 0) continue;
    for (const double factor : factors) {
      const double value = factor * std::pow(10.0, exponent);
      const bool inside = value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
      if (inside) ticks.push_back({std::clamp(value, low, high), log_tick_label(value)});
    }
  }
  // Less than a factor of two or so: round numbers as on a linear axis say more.
  return ticks.size() >= 2 ? ticks : linear_ticks(low, high, options);
}

void widen_empty_range(PlotAxis& axis) {
  if (axis.log) {
    if (axis.high / axis.low > 1 + 1e-9) return;
    axis.low /= 2;
    axis.high *= 2;
    return;
  }
  const double size = std::max(std::abs(axis.low), std::abs(axis.high));
  if (axis.high - axis.low > std::max(1e-12 * size, kSmallestDrawn)) return;
  const double margin = size > kSmallestDrawn * 1e13 ? size / 2 : 1;
  axis.low -= margin;
  axis.high += margin;
}

void round_out(PlotAxis& axis, const PlotAxisOptions& options) {
  if (axis.log) {
    const double decades = std::log10(axis.high / axis.low);
    if (decades < 1) return;
    axis.low = std::max(kSmallestDrawn, std::pow(10.0, std::floor(std::log10(axis.low) + 1e-9)));
    axis.high = std::pow(10.0, std::ceil(std::log10(axis.high) - 1e-9));
    return;
  }
  const double step = linear_step(axis.low, axis.high, options);
  axis.low = std::floor(axis.low / step + 1e-9) * step;
  axis.high = std::ceil(axis.high / step - 1e-9) * step;
}

}  // namespace

double PlotAxis::position(double value) const {
  if (log) return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
  return (value - low) / (high - low);
}

bool can_be_drawn(double value, bool log) {
  if (!std::isfinite(value) || std::abs(value) > kLargestDrawn) return false;
  return !log || value >= kSmallestDrawn;
}

PlotAxis make_plot_axis(double low, double high, const PlotAxisOptions& options) {
  PlotAxis axis{low, high, options.log, {}};
  widen_empty_range(axis);
  if (options.round_out) round_out(axis, options);
  axis.ticks =
      axis.log ? log_ticks(axis.low, axis.high, options) : linear_ticks(axis.low, axis.high, options);
  return axis;
}

}  // namespace contexton
