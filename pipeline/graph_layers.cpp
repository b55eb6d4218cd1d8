// Which layer each node of a graph stands in, in which order and at which height: the first half of a layout.
#include "pipeline/graph_layers.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace contexton {
namespace {

constexpr double kBoxGap = 24;   // between boxes of a layer
constexpr double kBendGap = 14;  // around an edge that passes a layer
constexpr int kOrderSweeps = 12;
constexpr int kPlacementSweeps = 12;

std::vector<GraphLink> links_of(const GraphDrawing& graph) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) index.emplace(graph.nodes[i].name, i);
  std::vector<GraphLink> links;
  for (const GraphDrawing::Edge& edge : graph.edges) {
    const auto from = index.find(edge.from), to = index.find(edge.to);
    const bool drawn = from != index.end() && to != index.end() && from->second != to->second;
    links.push_back(drawn ? GraphLink{from->second, to->second} : GraphLink{});
  }
  return links;
}

// Takes node after node whose inputs are all placed, one layer right of the last of them. When only cycles
// are left, the first open node is taken and the edges still missing become backward ones.
std::vector<std::size_t> longest_path_layers(std::size_t node_count, std::vector<GraphLink>& links) {
  constexpr std::size_t kOpen = kNoNode;
  std::vector<std::size_t> layer(node_count, kOpen);
  const auto waits = [&](std::size_t node) {
    return std::any_of(links.begin(), links.end(), [&](const GraphLink& link) {
      return link.to == node && !link.backward && layer[link.from] == kOpen;
    });
  };
  for (std::size_t placed = 0; placed < node_count; ++placed) {
    std::size_t next = kNoNode;
    for (std::size_t node = 0; node < node_count; ++node) {
      if (layer[node] != kOpen) continue;
      if (next == kNoNode) next = node;
      if (!waits(node)) {
        next = node;
        break;
      }
    }
    std::size_t next_layer = 0;
    for (GraphLink& link : links) {
      if (link.to != next) continue;
      link.backward = layer[link.from] == kOpen;
      if (!link.backward) next_layer = std::max(next_layer, layer[link.from] + 1);
    }
    layer[next] = next_layer;
  }
  return layer;
}

// A node without inputs moves next to its first reader, which shortens its edges.
void pull_sources_right(std::vector<std::size_t>& layer, const std::vector<GraphLink>& links) {
  for (std::size_t node = 0; node < layer.size(); ++node) {
    std::size_t first_reader = kNoNode;
    bool has_inputs = false;
    for (const GraphLink& link : links) {
      has_inputs = has_inputs || link.to == node;
      if (link.from == node && !link.backward) {
        first_reader = std::min(first_reader, layer[link.to]);
      }
    }
    if (!has_inputs && first_reader != kNoNode) {
      layer[node] = first_reader - 1;
    }
  }
}

// Adds the bends of long edges. Edges that carry the same output share their bends for as long as they can.
GraphLayers with_bends(const GraphDrawing& graph, std::vector<GraphLink> links,
                       const std::vector<std::size_t>& layer_of) {
  GraphLayers layers;
  layers.bends.resize(links.size());
  for (std::size_t i = 0; i < layer_of.size(); ++i) layers.slots.push_back({i, layer_of[i], 0, {}, {}});
  const auto join = [&](std::size_t left, std::size_t right) {
    std::vector<std::size_t>& after = layers.slots[left].after;
    if (std::find(after.begin(), after.end(), right) != after.end()) return;
    after.push_back(right);
    layers.slots[right].before.push_back(left);
  };
  std::map<std::tuple<std::size_t, std::string, std::size_t>, std::size_t> bend_of_output;
  for (std::size_t e = 0; e < links.size(); ++e) {
    const GraphLink& link = links[e];
    if (link.from == kNoNode || link.backward) continue;
    std::size_t left = link.from;
    const std::size_t last = layer_of[link.to];
    for (std::size_t layer = layer_of[link.from] + 1; layer < last; ++layer) {
      const auto [bend, is_new] =
          bend_of_output.try_emplace({link.from, graph.edges[e].from_port, layer}, layers.slots.size());
      if (is_new) layers.slots.push_back({kNoNode, layer, 0, {}, {}});
      join(left, bend->second);
      left = bend->second;
      layers.bends[e].push_back(left);
    }
    join(left, link.to);
  }
  for (std::size_t s = 0; s < layers.slots.size(); ++s) {
    const std::size_t layer = layers.slots[s].layer;
    if (layer >= layers.order.size()) layers.order.resize(layer + 1);
    layers.order[layer].push_back(s);
  }
  layers.links = std::move(links);
  return layers;
}

// ---- The order within the layers ----

std::vector<double> ranks(const GraphLayers& layers) {
  std::vector<double> rank(layers.slots.size());
  for (const std::vector<std::size_t>& layer : layers.order) {
    for (std::size_t i = 0; i < layer.size(); ++i) rank[layer[i]] = static_cast<double>(i);
  }
  return rank;
}

std::size_t crossings(const GraphLayers& layers) {
  const std::vector<double> rank = ranks(layers);
  std::size_t count = 0;
  for (const std::vector<std::size_t>& layer : layers.order) {
    std::vector<std::pair<double, double>> ends;
    for (const std::size_t slot : layer) {
      for (const std::size_t next : layers.slots[slot].after) {
        ends.emplace_back(rank[slot], rank[next]);
      }
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (std::size_t j = i + 1; j < ends.size(); ++j) {
        if ((ends[i].first - ends[j].first) * (ends[i].second - ends[j].second) < 0) ++count;
      }
    }
  }
  return count;
}

double mean_of(const std::vector<std::size_t>& slots, const std::vector<double>& value, double otherwise) {
  if (slots.empty()) return otherwise;
  double sum = 0;
  for (const std::size_t slot : slots) sum += value[slot];
  return sum / static_cast<double>(slots.size());
}

void sort_by_barycentre(GraphLayers& layers, std::size_t layer, bool from_left) {
  const std::vector<double> rank = ranks(layers);
  std::vector<double> key(layers.slots.size());
  for (const std::size_t slot : layers.order[layer]) {
    const GraphSlot& here = layers.slots[slot];
    key[slot] = mean_of(from_left ? here.before : here.after, rank, rank[slot]);
  }
  std::stable_sort(layers.order[layer].begin(), layers.order[layer].end(),
                   [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
}

void reduce_crossings(GraphLayers& layers) {
  std::vector<std::vector<std::size_t>> best = layers.order;
  std::size_t fewest = crossings(layers);
  for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
    const bool from_left = sweep % 2 == 0;
    for (std::size_t i = 1; i < layers.order.size(); ++i) {
      sort_by_barycentre(layers, from_left ? i : layers.order.size() - 1 - i, from_left);
    }
    const std::size_t now = crossings(layers);
    if (now < fewest) {
      fewest = now;
      best = layers.order;
    }
  }
  layers.order = best;
}

// ---- Heights ----

double room_between(const GraphSlot& above, const GraphSlot& below) {
  const auto half = [](const GraphSlot& slot) { return slot.node == kNoNode ? 0 : kGraphBoxHeight / 2; };
  const bool both_boxes = above.node != kNoNode && below.node != kNoNode;
  return half(above) + half(below) + (both_boxes ? kBoxGap : kBendGap);
}

// The values nearest to `wanted` (least squares) that never descend: pool adjacent violators.
std::vector<double> nearest_ascending(const std::vector<double>& wanted) {
  struct Pool {
    double sum;
    std::size_t count;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const double value : wanted) {
    Pool pool{value, 1};
    while (!pools.empty() && pools.back().mean() >= pool.mean()) {
      pool = {pool.sum + pools.back().sum, pool.count + pools.back().count};
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  std::vector<double> values;
  for (const Pool& pool : pools) values.insert(values.end(), pool.count, pool.mean());
  return values;
}

// Moves a layer as near as its order and the room between slots allow to the heights wanted.
void place_layer(GraphLayers& layers, std::size_t layer, const std::vector<double>& wanted) {
  const std::vector<std::size_t>& order = layers.order[layer];
  std::vector<double> offset(order.size(), 0), free(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0) {
      offset[i] = offset[i - 1] + room_between(layers.slots[order[i - 1]], layers.slots[order[i]]);
    }
    free[i] = wanted[order[i]] - offset[i];
  }
  free = nearest_ascending(free);
  for (std::size_t i = 0; i < order.size(); ++i) {
    layers.slots[order[i]].y = free[i] + offset[i];
  }
}

void assign_heights(GraphLayers& layers) {
  const auto heights = [&] {
    std::vector<double> y;
    for (const GraphSlot& slot : layers.slots) y.push_back(slot.y);
    return y;
  };
  for (std::size_t layer = 0; layer < layers.order.size(); ++layer) {
    place_layer(layers, layer, std::vector<double>(layers.slots.size(), 0.0));
  }
  for (int sweep = 0; sweep < kPlacementSweeps; ++sweep) {
    const bool from_left = sweep % 2 == 0;
    for (std::size_t i = 0; i < layers.order.size(); ++i) {
      const std::size_t layer = from_left ? i : layers.order.size() - 1 - i;
      const std::vector<double> y = heights();
      std::vector<double> wanted = y;
      for (const std::size_t slot : layers.order[layer]) {
        const GraphSlot& here = layers.slots[slot];
        const std::vector<std::size_t>& towards = from_left ? here.before : here.after;
        const std::vector<std::size_t>& other = from_left ? here.after : here.before;
        wanted[slot] = mean_of(towards.empty() ? other : towards, y, here.y);
      }
      place_layer(layers, layer, wanted);
    }
  }
}

}  // namespace

GraphLayers arrange_layers(const GraphDrawing& graph) {
  std::vector<GraphLink> links = links_of(graph);
  std::vector<std::size_t> layer_of = longest_path_layers(graph.nodes.size(), links);
  pull_sources_right(layer_of, links);
  GraphLayers layers = with_bends(graph, std::move(links), layer_of);
  reduce_crossings(layers);
  assign_heights(layers);
  return layers;
}

}  // namespace contexton
