// Pictures of a pipeline's graph: Graphviz dot, Mermaid and a self-contained SVG.
#include "pipeline/graph_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "pipeline/graph_layout.hpp"
#include "pipeline/markup.hpp"

namespace contexton {
namespace {

// "points.primitives → words.primitives: Primitives"
std::string edge_text(const GraphDrawing::Edge& edge) {
  const auto end = [](const std::string& node, const std::string& port) {
    return port.empty() ? node : node + "." + port;
  };
  return fmt::format("{} → {}{}{}", end(edge.from, edge.from_port), end(edge.to, edge.to_port),
                     edge.artifact.empty() ? "" : ": ", edge.artifact);
}

// ---- dot ----

std::string dot_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : printable_text(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

// ---- Mermaid ----

// Inside quotes Mermaid reads "#60;" as a character code; quotes, markup and backticks have no other escape.
std::string mermaid_text(const std::string& text) {
  std::string out;
  for (const char c : printable_text(text)) {
    const bool is_special = std::string_view("\"#<>&`\\;\n\r").find(c) != std::string_view::npos;
    out += is_special ? fmt::format("#{};", static_cast<int>(c)) : std::string(1, c);
  }
  return out;
}

// ---- SVG ----

constexpr double kArrowLength = 7;
constexpr std::string_view kFont =
    "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

// Programs that do not know CSS variables fall back to the attributes on the groups below.
constexpr std::string_view kGraphStyle = R"css(<style>
.contexton-graph {
  --g-ground: var(--ground, #ffffff); --g-card: var(--card, #ffffff);
  --g-line: var(--line-strong, #b9c1cd); --g-edge: var(--edge, #8a95a5);
  --g-ink: var(--ink, #1b2330); --g-soft: var(--ink-soft, #586376); --g-accent: var(--accent, #1f5fa8);
}
@media screen and (prefers-color-scheme: dark) {
  .contexton-graph {
    --g-ground: var(--ground, #14171c); --g-card: var(--card, #1c2128);
    --g-line: var(--line-strong, #4a5462); --g-edge: var(--edge, #7d8999);
    --g-ink: var(--ink, #e6e9ee); --g-soft: var(--ink-soft, #a3adba); --g-accent: var(--accent, #7db4f0);
  }
}
.contexton-graph .g-ground { fill: var(--g-ground); }
.contexton-graph .g-card { fill: var(--g-card); stroke: var(--g-line); }
.contexton-graph .g-name { fill: var(--g-ink); }
.contexton-graph .g-type, .contexton-graph .g-label { fill: var(--g-soft); }
.contexton-graph .g-label { stroke: var(--g-ground); }
.contexton-graph .g-edge { stroke: var(--g-edge); }
.contexton-graph .g-arrow { fill: var(--g-edge); }
.contexton-graph .g-hit { stroke: transparent; }
.contexton-graph g:hover > .g-edge, .contexton-graph a:hover .g-card { stroke: var(--g-accent); }
.contexton-graph g:hover > .g-arrow { fill: var(--g-accent); }
.contexton-graph a:focus-visible .g-card { stroke: var(--g-accent); stroke-width: 2.5; }
</style>
)css";

struct Rectangle {
  double left, top, right, bottom;

  [[nodiscard]] bool overlaps(const Rectangle& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  [[nodiscard]] bool holds(const GraphPoint& point) const {
    return point.x > left && point.x < right && point.y > top && point.y < bottom;
  }
};

// Horizontal reach of the control points of a curve between two points.
double curve_reach(const GraphPoint& from, const GraphPoint& to) {
  return to.x > from.x ? (to.x - from.x) / 2 : 60;  // an edge that runs backwards swings out
}

GraphRoute with_room_for_arrow(GraphRoute route) {
  route.back().x -= kArrowLength;
  return route;
}

std::string path_of(const GraphRoute& route) {
  std::string path = fmt::format("M{:.1f} {:.1f}", route[0].x, route[0].y);
  for (std::size_t i = 1; i < route.size(); ++i) {
    const GraphPoint &from = route[i - 1], &to = route[i];
    const bool is_level_run = i % 2 == 0;
    const double reach = curve_reach(from, to);
    if (is_level_run) {
      append_format(path, "H{:.1f}", to.x);
    } else {
      append_format(path, "C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", from.x + reach, from.y, to.x - reach,
                    to.y, to.x, to.y);
    }
  }
  return path;
}

// Points along the drawn line, close enough together to test whether it passes through a label.
std::vector<GraphPoint> points_along(const GraphRoute& route) {
  constexpr int kSteps = 24;
  std::vector<GraphPoint> points;
  for (std::size_t i = 1; i < route.size(); ++i) {
    const GraphPoint &from = route[i - 1], &to = route[i];
    const double reach = curve_reach(from, to);
    for (int step = 0; step <= kSteps; ++step) {
      const double t = static_cast<double>(step) / kSteps, s = 1 - t;
      const double b0 = s * s * s, b1 = 3 * s * s * t, b2 = 3 * s * t * t, b3 = t * t * t;
      points.push_back({b0 * from.x + b1 * (from.x + reach) + b2 * (to.x - reach) + b3 * to.x,
                        (b0 + b1) * from.y + (b2 + b3) * to.y});
    }
  }
  return points;
}

struct EdgeLabel {
  double x, y;  // middle of the baseline
  std::string text;
};

// Finds, for each output, a place above one of its edges where its artifact's name disturbs nothing.
class LabelPlacer {
 public:
  LabelPlacer(const GraphDrawing& graph, const GraphLayout& layout) : graph_(graph), layout_(layout) {
    for (const GraphBox& box : layout.boxes) {
      taken_.push_back({box.x, box.y - kStackOffset, box.x + box.width + kStackOffset, box.y + box.height});
    }
    for (const GraphRoute& route : layout.routes) lines_.push_back(points_along(route));
  }

  [[nodiscard]] std::vector<EdgeLabel> labels() {
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) try_edge(e);
    return labels_;
  }

 private:
  void try_edge(std::size_t e) {
    constexpr double kFlat = 9;  // pixels an edge may climb and still carry its label
    const GraphDrawing::Edge& edge = graph_.edges[e];
    const std::pair<std::string, std::string> output{edge.from, edge.from_port};
    if (edge.artifact.empty() || labelled_.contains(output)) return;
    const GraphRoute& route = layout_.routes[e];
    for (std::size_t i = 1; i < route.size(); ++i) {
      const GraphPoint &from = route[i - 1], &to = route[i];
      if (std::abs(from.y - to.y) > kFlat) continue;
      const double end = i + 1 == route.size() ? to.x - kArrowLength : to.x;
      if (try_place(e, from.x, end, std::min(from.y, to.y))) {
        labelled_.insert(output);
        return;
      }
    }
  }

  bool try_place(std::size_t e, double left, double right, double y) {
    const std::string& text = graph_.edges[e].artifact;
    const double width = text_width(text, kGraphLabelSize);
    if (width + 6 > right - left) return false;
    const double x = (left + right) / 2;
    const Rectangle place{x - width / 2, y - 5 - kGraphLabelSize, x + width / 2, y - 2};
    for (const Rectangle& other : taken_) {
      if (place.overlaps(other)) return false;
    }
    for (std::size_t other = 0; other < lines_.size(); ++other) {
      const auto hit = [&](const GraphPoint& point) { return place.holds(point); };
      if (std::any_of(lines_[other].begin(), lines_[other].end(), hit)) return false;
    }
    taken_.push_back(place);
    labels_.push_back({x, y - 5, text});
    return true;
  }

  const GraphDrawing& graph_;
  const GraphLayout& layout_;
  std::vector<Rectangle> taken_;
  std::vector<std::vector<GraphPoint>> lines_;
  std::vector<EdgeLabel> labels_;
  std::set<std::pair<std::string, std::string>> labelled_;
};

void draw_edges(std::string& svg, const GraphDrawing& graph, const GraphLayout& layout) {
  svg += "<g fill=\"none\" stroke=\"#8a95a5\" stroke-width=\"1.5\">\n";
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const GraphRoute& route = layout.routes[e];
    if (route.empty()) continue;
    const std::string path = path_of(with_room_for_arrow(route));
    append_format(svg, "<g><title>{}</title>", escape_markup(edge_text(graph.edges[e])));
    append_format(svg, R"(<path class="g-edge" d="{}"/>)", path);
    append_format(svg, R"(<path class="g-arrow" stroke="none" fill="#8a95a5" d="M{:.1f} {:.1f}l-{} -4v8z"/>)",
                  route.back().x, route.back().y, kArrowLength);
    append_format(svg, "<path class=\"g-hit\" stroke=\"none\" stroke-width=\"10\" d=\"{}\"/></g>\n", path);
  }
  svg += "</g>\n";
}

void draw_labels(std::string& svg, const std::vector<EdgeLabel>& labels) {
  append_format(svg, R"(<g font-size="{}" text-anchor="middle" fill="#586376">)", kGraphLabelSize);
  for (const EdgeLabel& label : labels) {
    append_format(
        svg,
        R"(<text class="g-label" x="{:.1f}" y="{:.1f}" stroke="#ffffff" stroke-width="3" paint-order="stroke">{}</text>)",
        label.x, label.y, escape_markup(label.text));
  }
  svg += "</g>\n";
}

void draw_card(std::string& svg, const GraphBox& box, double offset) {
  append_format(svg, R"(<rect class="g-card" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="7"/>)",
                box.x + offset, box.y - offset, box.width, box.height);
}

void draw_node(std::string& svg, const GraphDrawing::Node& node, const GraphBox& box,
               const std::string* link) {
  if (link) append_format(svg, R"(<a href="{}">)", escape_markup(*link));
  append_format(svg, "<g><title>{}</title>",
                escape_markup(node.name + ": " + node.type + (node.per_item ? " (once per image)" : "")));
  if (node.per_item) {
    draw_card(svg, box, kStackOffset);
    draw_card(svg, box, kStackOffset / 2);
  }
  draw_card(svg, box, 0);
  const double room = box.width - 2 * kGraphBoxPadding;
  append_format(
      svg,
      R"(<text class="g-name" x="{:.1f}" y="{:.1f}" font-size="{}" font-weight="600" fill="#1b2330" stroke="none">{}</text>)",
      box.x + kGraphBoxPadding, box.y + 20, kGraphNameSize,
      escape_markup(fitted_text(node.name, room, kGraphNameSize)));
  append_format(
      svg,
      R"(<text class="g-type" x="{:.1f}" y="{:.1f}" font-size="{}" fill="#586376" stroke="none">{}</text>)",
      box.x + kGraphBoxPadding, box.y + 35, kGraphTypeSize,
      escape_markup(fitted_text(node.type, room, kGraphTypeSize)));
  svg += link ? "</g></a>\n" : "</g>\n";
}

}  // namespace

std::string to_dot(const GraphDrawing& graph) {
  std::string dot =
      "digraph contexton {\n"
      "  rankdir=LR;\n"
      "  node [shape=box, style=rounded, fontname=\"Helvetica\"];\n"
      "  edge [fontname=\"Helvetica\", fontsize=10];\n";
  for (const GraphDrawing::Node& node : graph.nodes) {
    const std::string name = dot_quoted(node.name), type = dot_quoted(node.type);
    // The label is both texts in one pair of quotes, with dot's own line break between them.
    append_format(dot, "  {} [label={}\\n{}{}];\n", name, name.substr(0, name.size() - 1), type.substr(1),
                  node.per_item ? ", peripheries=2" : "");
  }
  for (const GraphDrawing::Edge& edge : graph.edges) {
    append_format(dot, "  {} -> {} [label={}, tooltip={}];\n", dot_quoted(edge.from), dot_quoted(edge.to),
                  dot_quoted(edge.artifact), dot_quoted(edge_text(edge)));
  }
  return dot + "}\n";
}

std::string to_mermaid(const GraphDrawing& graph) {
  // Names may be Mermaid's own words ("end"), so nodes go by number. Doubled borders: once per image.
  std::string mermaid = "flowchart LR\n";
  std::map<std::string, std::size_t> number;
  for (const GraphDrawing::Node& node : graph.nodes) {
    const std::size_t here = number.emplace(node.name, number.size()).first->second;
    append_format(mermaid, "  n{}{}\"{}<br>{}\"{}\n", here, node.per_item ? "[[" : "[",
                  mermaid_text(node.name), mermaid_text(node.type), node.per_item ? "]]" : "]");
  }
  for (const GraphDrawing::Edge& edge : graph.edges) {
    const auto from = number.find(edge.from), to = number.find(edge.to);
    if (from == number.end() || to == number.end()) continue;
    const std::string label =
        edge.artifact.empty() ? "" : fmt::format("|\"{}\"|", mermaid_text(edge.artifact));
    append_format(mermaid, "  n{} -->{} n{}\n", from->second, label, to->second);
  }
  return mermaid;
}

std::string to_svg(const GraphDrawing& graph, const std::map<std::string, std::string>& links) {
  constexpr double kSmallestScale = 0.72;  // a page may shrink the picture this far; then it scrolls
  const GraphLayout layout = lay_out(graph);
  const double width = std::max(layout.width, 1.0), height = std::max(layout.height, 1.0);
  std::string svg;
  append_format(
      svg,
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="contexton-graph" width="{:.0f}" height="{:.0f}" )"
      R"(viewBox="0 0 {:.0f} {:.0f}" )"
      R"(style="min-width:{:.0f}px" role="{}" aria-label="Graph of the pipeline" font-family="{}">)",
      width, height, width, height, kSmallestScale * width, links.empty() ? "img" : "group", kFont);
  svg += "\n";
  svg += kGraphStyle;
  append_format(svg,
                "<rect class=\"g-ground\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"8\" fill=\"#ffffff\"/>\n",
                width, height);
  draw_edges(svg, graph, layout);
  draw_labels(svg, LabelPlacer(graph, layout).labels());
  svg += "<g fill=\"#ffffff\" stroke=\"#b9c1cd\" stroke-width=\"1.25\">\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto link = links.find(graph.nodes[i].name);
    draw_node(svg, graph.nodes[i], layout.boxes[i], link == links.end() ? nullptr : &link->second);
  }
  return svg + "</g>\n</svg>\n";
}

}  // namespace contexton
