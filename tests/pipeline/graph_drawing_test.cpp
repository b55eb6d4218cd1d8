// Tests of the graph's layout and of its three drawings.
#include "pipeline/graph_drawing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "pipeline/graph_layers.hpp"
#include "pipeline/graph_layout.hpp"
#include "tests/pipeline/markup_check.hpp"

namespace contexton {
namespace {

GraphDrawing::Edge edge(const std::string& from, const std::string& to,
                        const std::string& artifact = "Labels") {
  return {from, "out", to, "in", artifact};
}

GraphDrawing diamond() {
  return {{{"a", "input.images", true}, {"b", "x.b"}, {"c", "x.c"}, {"d", "x.d"}},
          {edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d")}};
}

// Each node reads up to three earlier ones.
GraphDrawing random_graph(std::size_t nodes, unsigned seed) {
  std::mt19937 generator(seed);
  GraphDrawing graph;
  for (std::size_t i = 0; i < nodes; ++i) {
    graph.nodes.push_back({fmt::format("node{}", i), "some.type", i % 3 == 0});
    for (int k = 0; i > 0 && k < 3; ++k) {
      if (generator() % 3 == 0) continue;
      graph.edges.push_back(edge(fmt::format("node{}", generator() % i), graph.nodes.back().name));
    }
  }
  return graph;
}

// The box with the cards behind it.
bool overlap(const GraphBox& a, const GraphBox& b) {
  return a.x < b.x + b.width + kStackOffset && b.x < a.x + a.width + kStackOffset &&
         a.y - kStackOffset < b.y + b.height && b.y - kStackOffset < a.y + a.height;
}

void expect_sound(const GraphDrawing& graph) {
  const GraphLayout layout = lay_out(graph);
  ASSERT_EQ(layout.boxes.size(), graph.nodes.size());
  ASSERT_EQ(layout.routes.size(), graph.edges.size());
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    const GraphBox& box = layout.boxes[i];
    EXPECT_GE(box.x, 0);
    EXPECT_GE(box.y - kStackOffset, 0);
    EXPECT_LE(box.x + box.width + kStackOffset, layout.width);
    EXPECT_LE(box.y + box.height, layout.height);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(box, layout.boxes[j])) << graph.nodes[i].name << " and " << graph.nodes[j].name;
    }
  }
  for (std::size_t e = 0; e < layout.routes.size(); ++e) {
    const GraphRoute& route = layout.routes[e];
    ASSERT_GE(route.size(), 2u);
    EXPECT_EQ(route.size() % 2, 0u);
    for (std::size_t i = 1; i < route.size(); ++i) EXPECT_GT(route[i].x, route[i - 1].x) << "edge " << e;
    for (std::size_t i = 2; i < route.size(); i += 2) EXPECT_EQ(route[i].y, route[i - 1].y);
    for (const GraphPoint& point : route) {
      EXPECT_GE(point.y, 0);
      EXPECT_LE(point.y, layout.height);
    }
  }
}

// ---- Layout ----

TEST(GraphLayout, one_node_stands_alone) {
  expect_sound({{{"only", "input.images"}}, {}});
}

TEST(GraphLayout, an_empty_graph_has_no_size) {
  EXPECT_EQ(lay_out({}).width, 0);
  EXPECT_TRUE(is_well_formed(to_svg({})));
}

TEST(GraphLayout, a_diamond_has_three_layers_and_is_symmetric) {
  expect_sound(diamond());
  const std::vector<GraphBox> boxes = lay_out(diamond()).boxes;
  EXPECT_EQ(boxes[0].layer, 0u);
  EXPECT_EQ(boxes[1].layer, 1u);
  EXPECT_EQ(boxes[2].layer, 1u);
  EXPECT_EQ(boxes[3].layer, 2u);
  EXPECT_NEAR(boxes[0].y, boxes[3].y, 1);
  EXPECT_NEAR((boxes[1].y + boxes[2].y) / 2, boxes[0].y, 1);
}

TEST(GraphLayout, a_chain_is_level) {
  GraphDrawing graph;
  for (int i = 0; i < 6; ++i) graph.nodes.push_back({std::string(1, static_cast<char>('a' + i)), "t"});
  for (int i = 1; i < 6; ++i)
    graph.edges.push_back(edge(graph.nodes[static_cast<std::size_t>(i) - 1].name,
                               graph.nodes[static_cast<std::size_t>(i)].name));
  expect_sound(graph);
  for (const GraphBox& box : lay_out(graph).boxes) EXPECT_EQ(box.y, lay_out(graph).boxes[0].y);
}

TEST(GraphLayout, thirty_nodes_do_not_overlap_and_all_edges_go_forward) {
  for (unsigned seed = 0; seed < 40; ++seed) expect_sound(random_graph(30, seed));
}

TEST(GraphLayout, long_edges_pass_beside_the_boxes) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const GraphDrawing graph = random_graph(30, seed);
    const GraphLayout layout = lay_out(graph);
    for (const GraphRoute& route : layout.routes) {
      for (std::size_t i = 2; i < route.size(); i += 2) {
        for (const GraphBox& box : layout.boxes) {
          const bool same_column = box.x < route[i].x && box.x + box.width > route[i - 1].x;
          const bool same_height = box.y - kStackOffset < route[i].y && route[i].y < box.y + box.height;
          EXPECT_FALSE(same_column && same_height);
        }
      }
    }
  }
}

TEST(GraphLayout, crossings_that_can_be_avoided_are) {
  // Written in the worst order: a feeds z, b feeds y, c feeds x.
  const GraphDrawing graph{{{"a", ""}, {"b", ""}, {"c", ""}, {"x", ""}, {"y", ""}, {"z", ""}},
                           {edge("a", "z"), edge("b", "y"), edge("c", "x")}};
  const std::vector<GraphBox> boxes = lay_out(graph).boxes;
  EXPECT_EQ(boxes[0].y, boxes[5].y);
  EXPECT_EQ(boxes[1].y, boxes[4].y);
  EXPECT_EQ(boxes[2].y, boxes[3].y);
}

TEST(GraphLayout, a_source_stands_next_to_its_first_reader) {
  const GraphDrawing graph{{{"a", ""}, {"b", ""}, {"c", ""}, {"truth", ""}, {"score", ""}},
                           {edge("a", "b"), edge("b", "c"), edge("c", "score"), edge("truth", "score")}};
  EXPECT_EQ(lay_out(graph).boxes[3].layer, 2u);
}

TEST(GraphLayout, edges_of_one_output_leave_from_one_point_and_arrive_at_their_own) {
  const GraphDrawing graph{
      {{"a", ""}, {"b", ""}, {"c", ""}},
      {{"a", "words", "b", "in", ""}, {"a", "words", "c", "in", ""}, {"a", "labels", "c", "other", ""}}};
  const std::vector<GraphRoute> routes = lay_out(graph).routes;
  EXPECT_EQ(routes[0].front().y, routes[1].front().y);
  EXPECT_NE(routes[1].front().y, routes[2].front().y);
  EXPECT_NE(routes[1].back().y, routes[2].back().y);
}

TEST(GraphLayout, cycles_and_edges_to_nowhere_do_no_harm) {
  const GraphDrawing graph{
      {{"a", ""}, {"b", ""}, {"c", ""}},
      {edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("a", "a"), edge("a", "?"), edge("?", "b")}};
  const GraphLayout layout = lay_out(graph);
  EXPECT_EQ(layout.boxes[2].layer, 2u);
  EXPECT_TRUE(arrange_layers(graph).links[2].backward);
  EXPECT_TRUE(layout.routes[3].empty());
  EXPECT_TRUE(layout.routes[4].empty());
  EXPECT_TRUE(layout.routes[5].empty());
  EXPECT_TRUE(is_well_formed(to_svg(graph)));
}

// ---- SVG ----

TEST(GraphSvg, names_types_and_artifacts_are_in_it) {
  const std::string svg = to_svg(diamond());
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_NE(svg.find(">input.images</text>"), svg.npos);
  EXPECT_NE(svg.find("<title>a.out → b.in: Labels</title>"), svg.npos);
}

TEST(GraphSvg, per_item_nodes_are_stacks_of_cards) {
  EXPECT_EQ(count_of(to_svg(diamond()), "<rect class=\"g-card\""), 4u + 2u);
}

TEST(GraphSvg, a_label_is_drawn_where_it_fits_and_left_to_the_tooltip_elsewhere) {
  GraphDrawing graph{{{"a", ""}, {"b", ""}}, {edge("a", "b", "Labels")}};
  EXPECT_EQ(count_of(to_svg(graph), "class=\"g-label\""), 1u);
  graph.edges[0].artifact = "AnArtifactWithAVeryLongName";
  EXPECT_EQ(count_of(to_svg(graph), "class=\"g-label\""), 0u);
  EXPECT_NE(to_svg(graph).find(": AnArtifactWithAVeryLongName</title>"), std::string::npos);
}

TEST(GraphSvg, boxes_link_where_asked) {
  const std::string svg = to_svg(diamond(), {{"b", "#stage-b"}});
  EXPECT_EQ(count_of(svg, "<a href="), 1u);
  EXPECT_NE(svg.find("<a href=\"#stage-b\">"), svg.npos);
  EXPECT_TRUE(is_well_formed(svg));
}

TEST(GraphSvg, the_same_graph_gives_the_same_bytes) {
  EXPECT_EQ(to_svg(random_graph(30, 3)), to_svg(random_graph(30, 3)));
}

// ---- Hostile names, all formats ----

GraphDrawing hostile_graph() {
  const std::string name = "<script>\"&'\\ `#;|]\n\xFF";
  return {{{name, name, true}, {"end", "graph"}}, {{name, name, "end", name, name}}};
}

TEST(GraphSvg, hostile_names_are_escaped) {
  const std::string svg = to_svg(hostile_graph(), {{"end", "#\"><script>"}});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(svg.find("<script"), svg.npos);
}

TEST(GraphSvg, long_names_are_cut_to_their_box) {
  const GraphDrawing graph{{{std::string(300, 'n'), "t"}}, {}};
  EXPECT_LT(lay_out(graph).width, 300);
  EXPECT_NE(to_svg(graph).find("n…</text>"), std::string::npos);
}

TEST(GraphDot, nodes_and_edges_are_quoted) {
  const std::string dot = to_dot(diamond());
  EXPECT_TRUE(dot.starts_with("digraph contexton {\n"));
  EXPECT_TRUE(dot.ends_with("}\n"));
  EXPECT_NE(dot.find("  \"a\" [label=\"a\\ninput.images\", peripheries=2];\n"), dot.npos);
  EXPECT_NE(dot.find("  \"a\" -> \"b\" [label=\"Labels\", tooltip="), dot.npos);
}

TEST(GraphDot, quotes_and_backslashes_are_escaped_so_that_every_string_ends) {
  const std::string dot = to_dot(hostile_graph());
  EXPECT_NE(dot.find(R"(<script>\"&'\\ `#;|] )"), dot.npos);
  for (std::size_t begin = 0; begin < dot.size();) {
    const std::size_t end = dot.find('\n', begin);
    std::size_t quotes = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (dot[i] == '\\')
        ++i;
      else if (dot[i] == '"')
        ++quotes;
    }
    EXPECT_EQ(quotes % 2, 0u) << dot.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(GraphMermaid, nodes_go_by_number_and_keep_their_names_as_labels) {
  EXPECT_EQ(to_mermaid({{{"a", "input.images", true}, {"end", "x.y"}}, {edge("a", "end")}}),
            "flowchart LR\n"
            "  n0[[\"a<br>input.images\"]]\n"
            "  n1[\"end<br>x.y\"]\n"
            "  n0 -->|\"Labels\"| n1\n");
}

TEST(GraphMermaid, hostile_names_are_escaped) {
  const std::string mermaid = to_mermaid(hostile_graph());
  EXPECT_EQ(mermaid.find("<script"), mermaid.npos);
  EXPECT_NE(mermaid.find("#60;script#62;#34;#38;'#92; #96;#35;#59;|]#10;"), mermaid.npos);
  EXPECT_EQ(count_of(mermaid, "\n"), 4u) << "a line end inside a name must not start a statement";
}

}  // namespace
}  // namespace contexton
