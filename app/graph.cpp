// contexton graph: the pipeline as a picture.
#include <fmt/format.h>

#include <memory>

#include "app/commands.hpp"

namespace contexton::app {

void add_graph(CLI::App& app, int&) {
  struct Arguments {
    std::string config, format = "dot";
    std::vector<std::string> overrides;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("graph", "Print the pipeline's graph");
  command->add_option("config", arguments->config, "pipeline file (JSON)")->required();
  command->add_option("--format", arguments->format, "dot, mermaid or svg")
      ->check(CLI::IsMember({"dot", "mermaid", "svg"}))
      ->capture_default_str();
  command->add_option("--set", arguments->overrides, "VARIABLE=VALUE or STAGE.PARAMETER=VALUE")
      ->allow_extra_args(false);
  command->callback([arguments] {
    const GraphDrawing graph = plan_from_file(arguments->config, arguments->overrides).drawing();
    const bool svg = arguments->format == "svg", mermaid = arguments->format == "mermaid";
    fmt::print("{}", svg ? to_svg(graph) : mermaid ? to_mermaid(graph) : to_dot(graph));
  });
}

}  // namespace contexton::app
