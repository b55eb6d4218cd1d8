// An axis of a plot: its range, its ticks at round numbers, and where on it a value lies.
#pragma once

#include <string>
#include <vector>

namespace contexton {

struct PlotTick {
  double value;
  std::string label;
};

struct PlotAxis {
  double low = 0, high = 1;
  bool log = false;
  std::vector<PlotTick> ticks;  // ascending, inside [low, high]

  // 0 at `low`, 1 at `high`.
  [[nodiscard]] double position(double value) const;
};

struct PlotAxisOptions {
  bool log = false;
  bool round_out = false;    // widen the range to the next round numbers
  bool whole_steps = false;  // the values are integers: no ticks between them
  int wanted_ticks = 6;
};

// False for values no axis of this kind can show: not finite, absurdly large, or not positive on a log axis.
bool can_be_drawn(double value, bool log);

// `low` <= `high`, both drawable. An empty range is widened around its only value.
PlotAxis make_plot_axis(double low, double high, const PlotAxisOptions& options);

}  // namespace contexton
