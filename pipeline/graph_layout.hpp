// Where the boxes and the edges of a graph go: layers from left to right, few crossings, no overlaps.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/graph_drawing.hpp"

namespace contexton {

struct GraphPoint {
  double x = 0, y = 0;
};

struct GraphBox {
  double x = 0, y = 0;  // upper left corner
  double width = 0, height = 0;
  std::size_t layer = 0;
};

// An edge's way: between points 0 and 1, 2 and 3, ... it changes height; between 1 and 2, 3 and 4, ... it
// runs level, past the boxes of a layer. Empty when the edge names no node of the graph.
using GraphRoute = std::vector<GraphPoint>;

struct GraphLayout {
  double width = 0, height = 0;    // pixels, with a margin around everything
  std::vector<GraphBox> boxes;     // one per node
  std::vector<GraphRoute> routes;  // one per edge
};

constexpr double kGraphMargin = 14;
constexpr double kStackOffset = 6;     // how far the cards behind a per-item node stick out, up and right
constexpr double kGraphNameSize = 13;  // font sizes
constexpr double kGraphTypeSize = 10.5;
constexpr double kGraphLabelSize = 10;
constexpr double kGraphBoxPadding = 12;  // left and right of the text
constexpr double kGraphMostText = 190;   // pixels; longer names are cut

// Always finishes, also when the graph has cycles (an edge that closes one runs backwards) or edges to
// nowhere. O(sweeps * edges^2), meant for graphs of up to some hundred nodes.
GraphLayout lay_out(const GraphDrawing& graph);

}  // namespace contexton
