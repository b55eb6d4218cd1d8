// Where the boxes and the edges of a graph go: layers from left to right, few crossings, no overlaps.
#include "pipeline/graph_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "pipeline/graph_layers.hpp"
#include "pipeline/markup.hpp"

namespace contexton {
namespace {

constexpr double kNarrowestGap = 56;  // between layers
constexpr double kWidestGap = 92;     // wide enough for most artifact names
constexpr double kPortSpacing = 10;

double box_width(const GraphDrawing::Node& node) {
  const double text = std::max(text_width(node.name, kGraphNameSize), text_width(node.type, kGraphTypeSize));
  return std::ceil(std::min(text, kGraphMostText) + 2 * kGraphBoxPadding);
}

struct Columns {
  std::vector<double> left, width;
};

// All boxes of a layer are as wide as the widest; the gap to the next layer has room for the artifact's name.
Columns columns_of(const GraphDrawing& graph, const GraphLayers& layers) {
  Columns columns{std::vector<double>(layers.order.size()), std::vector<double>(layers.order.size())};
  std::vector<double> gap(layers.order.size(), kNarrowestGap);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    double& width = columns.width[layers.slots[i].layer];
    width = std::max(width, box_width(graph.nodes[i]));
  }
  for (std::size_t e = 0; e < layers.links.size(); ++e) {
    if (layers.links[e].from == kNoNode) continue;
    double& wanted = gap[layers.slots[layers.links[e].from].layer];
    const double label = text_width(graph.edges[e].artifact, kGraphLabelSize) + 24;
    wanted = std::max(wanted, std::min(label, kWidestGap));
  }
  double x = kGraphMargin;
  for (std::size_t layer = 0; layer < columns.left.size(); ++layer) {
    columns.left[layer] = x;
    x += columns.width[layer] + kStackOffset + gap[layer];
  }
  return columns;
}

// Moves all slots down so that the highest one ends up below the margin.
void move_into_picture(GraphLayers& layers) {
  double top = std::numeric_limits<double>::infinity();
  for (const GraphSlot& slot : layers.slots) {
    top = std::min(top, slot.y - (slot.node == kNoNode ? 0 : kGraphBoxHeight / 2));
  }
  for (GraphSlot& slot : layers.slots) slot.y = std::round(slot.y - top + kGraphMargin + kStackOffset);
}

std::vector<GraphBox> boxes_of(const GraphDrawing& graph, const GraphLayers& layers, const Columns& columns) {
  std::vector<GraphBox> boxes;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphSlot& slot = layers.slots[i];
    boxes.push_back({columns.left[slot.layer], slot.y - kGraphBoxHeight / 2, columns.width[slot.layer],
                     kGraphBoxHeight, slot.layer});
  }
  return boxes;
}

// Where ports sit on the side of a box: spread around its middle, in the given order.
double port_height(const GraphBox& box, std::size_t port, std::size_t ports) {
  const double room = box.height - 16;
  const double spacing = ports > 1 ? std::min(kPortSpacing, room / static_cast<double>(ports - 1)) : 0;
  const double middle = static_cast<double>(ports - 1) / 2;
  return box.y + box.height / 2 + (static_cast<double>(port) - middle) * spacing;
}

// The rank of each key when the keys are sorted by the mean height of what they lead to.
template <class Key>
std::map<Key, std::size_t> ranked(const std::map<Key, std::vector<double>>& heights) {
  std::vector<std::pair<double, Key>> sorted;
  for (const auto& [key, ys] : heights) {
    const double sum = std::accumulate(ys.begin(), ys.end(), 0.0);
    sorted.emplace_back(sum / static_cast<double>(ys.size()), key);
  }
  std::sort(sorted.begin(), sorted.end());
  std::map<Key, std::size_t> rank;
  for (std::size_t i = 0; i < sorted.size(); ++i) rank[sorted[i].second] = i;
  return rank;
}

// Routes edges between their ports and through their bends. Edges of one output leave from one point; every
// edge arrives at a point of its own.
class Router {
 public:
  Router(const GraphDrawing& graph, const GraphLayers& layers, const Columns& columns,
         const std::vector<GraphBox>& boxes)
      : graph_(graph), links_(layers.links), layers_(layers), columns_(columns), boxes_(boxes) {}

  [[nodiscard]] std::vector<GraphRoute> routes() const {
    std::vector<GraphRoute> routes(links_.size());
    for (std::size_t node = 0; node < boxes_.size(); ++node) start_at(node, routes);
    for (std::size_t e = 0; e < links_.size(); ++e) pass_bends(e, routes[e]);
    for (std::size_t node = 0; node < boxes_.size(); ++node) end_at(node, routes);
    return routes;
  }

 private:
  // Where an edge heads for when it leaves its node.
  [[nodiscard]] double first_height(std::size_t e) const {
    const std::vector<std::size_t>& bends = layers_.bends[e];
    return layers_.slots[bends.empty() ? links_[e].to : bends.front()].y;
  }

  void start_at(std::size_t node, std::vector<GraphRoute>& routes) const {
    std::map<std::string, std::vector<double>> heights;
    for (std::size_t e = 0; e < links_.size(); ++e) {
      if (links_[e].from == node) heights[graph_.edges[e].from_port].push_back(first_height(e));
    }
    const auto rank = ranked(heights);
    const GraphBox& box = boxes_[node];
    const bool stacked = graph_.nodes[node].per_item;
    for (std::size_t e = 0; e < links_.size(); ++e) {
      if (links_[e].from != node) continue;
      const std::size_t port = rank.at(graph_.edges[e].from_port);
      routes[e].push_back(
          {box.x + box.width + (stacked ? kStackOffset : 0), port_height(box, port, rank.size())});
    }
  }

  void pass_bends(std::size_t e, GraphRoute& route) const {
    for (const std::size_t bend : layers_.bends[e]) {
      const GraphSlot& slot = layers_.slots[bend];
      const double left = columns_.left[slot.layer];
      route.push_back({left, slot.y});
      route.push_back({left + columns_.width[slot.layer] + kStackOffset, slot.y});
    }
  }

  void end_at(std::size_t node, std::vector<GraphRoute>& routes) const {
    std::map<std::size_t, std::vector<double>> heights;
    for (std::size_t e = 0; e < links_.size(); ++e) {
      if (links_[e].to == node) heights[e].push_back(routes[e].back().y);
    }
    const auto rank = ranked(heights);
    const GraphBox& box = boxes_[node];
    for (const auto& [e, port] : rank) routes[e].push_back({box.x, port_height(box, port, rank.size())});
  }

  const GraphDrawing& graph_;
  const std::vector<GraphLink>& links_;
  const GraphLayers& layers_;
  const Columns& columns_;
  const std::vector<GraphBox>& boxes_;
};

}  // namespace

GraphLayout lay_out(const GraphDrawing& graph) {
  if (graph.nodes.empty()) return {0, 0, {}, std::vector<GraphRoute>(graph.edges.size())};
  GraphLayers layers = arrange_layers(graph);
  move_into_picture(layers);
  const Columns columns = columns_of(graph, layers);
  GraphLayout layout;
  layout.boxes = boxes_of(graph, layers, columns);
  layout.routes = Router(graph, layers, columns, layout.boxes).routes();
  for (const GraphBox& box : layout.boxes) {
    layout.width = std::max(layout.width, box.x + box.width + kStackOffset + kGraphMargin);
    layout.height = std::max(layout.height, box.y + box.height + kGraphMargin);
  }
  for (const GraphRoute& route : layout.routes) {
    for (const GraphPoint& point : route) layout.height = std::max(layout.height, point.y + kGraphMargin);
  }
  return layout;
}

}  // namespace contexton
