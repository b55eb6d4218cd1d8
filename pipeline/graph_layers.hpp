// Which layer each node of a graph stands in, in which order and at which height: the first half of a layout.
//
// The usual steps of layered drawing (Sugiyama): assign layers, split long edges by bends, order each layer
// by barycentres, then place each layer as near as possible to its neighbours.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "pipeline/graph_drawing.hpp"

namespace contexton {

constexpr double kGraphBoxHeight = 46;
constexpr std::size_t kNoNode = std::numeric_limits<std::size_t>::max();

// An edge, by the indices of its nodes.
struct GraphLink {
  std::size_t from = kNoNode, to = kNoNode;  // kNoNode: names no node, or joins a node to itself; not drawn
  bool backward = false;                     // closes a cycle
};

// A place in a layer: a node's box, or a bend where an edge passes through.
struct GraphSlot {
  std::size_t node = kNoNode;  // kNoNode: a bend
  std::size_t layer = 0;
  double y = 0;                            // centre, in pixels from anywhere
  std::vector<std::size_t> before, after;  // slots of the neighbouring layers it is joined to
};

struct GraphLayers {
  std::vector<GraphLink> links;                 // one per edge
  std::vector<GraphSlot> slots;                 // the first ones are the nodes, in their order
  std::vector<std::vector<std::size_t>> order;  // slots of each layer, from top to bottom
  std::vector<std::vector<std::size_t>> bends;  // slots that each edge passes, from left to right
};

GraphLayers arrange_layers(const GraphDrawing& graph);

}  // namespace contexton
