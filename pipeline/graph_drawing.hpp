// Pictures of a pipeline's graph: Graphviz dot, Mermaid and a self-contained SVG.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace contexton {

struct GraphDrawing {
  struct Node {
    std::string name, type;
    bool per_item = false;  // runs once per image rather than once per set
  };
  struct Edge {
    std::string from, from_port, to, to_port, artifact;  // artifact: type that travels, "Primitives"
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

std::string to_dot(const GraphDrawing& graph);
std::string to_mermaid(const GraphDrawing& graph);

// Stands alone as a file, light and dark. Inside a page it takes the page's colours (--ground, --card,
// --line-strong, --edge, --ink, --ink-soft, --accent). `links` makes the boxes of the nodes named in it links
// ("#words").
std::string to_svg(const GraphDrawing& graph, const std::map<std::string, std::string>& links = {});

}  // namespace contexton
