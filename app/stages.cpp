// contexton stages, schema: what there is, for people and for editors.
#include <fmt/format.h>

#include <memory>

#include "app/commands.hpp"
#include "pipeline/errors.hpp"
#include "pipeline/reference.hpp"
#include "pipeline/suggest.hpp"

namespace contexton::app {
namespace {

struct Arguments {
  std::string type;
  bool json = false, markdown = false;
};

const StageType& find_stage(const std::string& name) {
  const StageType* type = Registry::global().find(name);
  if (type != nullptr) return *type;
  std::vector<std::string> names;
  for (const StageType* known : Registry::global().all()) names.push_back(known->name);
  throw ConfigError(fmt::format("there is no stage '{}'{}", name, suggestion(name, names)));
}

void stages(const Arguments& arguments) {
  const Registry& registry = Registry::global();
  if (!arguments.type.empty()) {
    const StageType& type = find_stage(arguments.type);
    fmt::print("{}", arguments.json ? stage_json(type).dump(2) + "\n" : stage_page(type));
  } else if (arguments.markdown) {
    fmt::print("{}", stage_markdown(registry));
  } else if (arguments.json) {
    Json all = Json::array();
    for (const StageType* type : registry.all()) all.push_back(stage_json(*type));
    fmt::print("{}\n", all.dump(2));
  } else {
    fmt::print("{}", stage_list(registry));
  }
}

}  // namespace

void add_stages(CLI::App& app, int&) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("stages", "List the stages, or show one stage's parameters, ports and an example");
  command->add_option("type", arguments->type, "a stage's name, e.g. features.sift");
  command->add_flag("--json", arguments->json, "as JSON");
  command->add_flag("--markdown", arguments->markdown, "the whole reference as Markdown (docs/stages.md)");
  command->callback([arguments] { stages(*arguments); });
}

void add_schema(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of a pipeline file, for editors");
  command->callback([] { fmt::print("{}\n", pipeline_schema(Registry::global()).dump(2)); });
}

}  // namespace contexton::app
