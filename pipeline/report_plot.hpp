// Small plots for the report page, as inline SVG that takes its colours from the page.
#pragma once

#include <string>
#include <vector>

#include "pipeline/plot_axis.hpp"
#include "pipeline/report_section.hpp"

namespace contexton {

// A <figure> with title, legend (when there are several series), the plot and, where points could not be
// drawn, a note that says how many.
std::string render_plot(const ReportPlot& plot);

struct PlotPoint {
  double x = 0, y = 0;
  int run = 0;  // points of one unbroken stretch of the line share it
};

// At most 4 points per column, so that the drawn line covers the same pixels: in each column the first, the
// last, the lowest and the highest. Columns divide the axis where x ascends, else the sequence.
std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, const PlotAxis& x_axis, int columns);

}  // namespace contexton
