// The first phase of a run: a pipeline file becomes a checked plan, or a list of everything that is wrong
// with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/graph_drawing.hpp"
#include "pipeline/json_document.hpp"
#include "pipeline/stage_type.hpp"

namespace contexton {

// One `--set key=value`: a variable ("words"), a parameter ("textons.tau") or a run setting ("seed").
struct Override {
  std::string key, value;
};
Override parse_override(const std::string& text);  // throws ConfigError when there is no '='

struct PlanInput {
  std::size_t node = 0, output = 0;
  bool connected = false;  // false: an optional input left open
};

struct PlanNode {
  std::string name;
  const StageType* type = nullptr;
  std::shared_ptr<void> stage;    // configured
  Json params;                    // every parameter, defaults included
  std::vector<PlanInput> inputs;  // one per input port
};

enum class OnError { skip, fail };

struct Plan {
  std::string title;
  std::vector<PlanNode> nodes;  // every node after its inputs
  std::uint64_t seed = 0;
  OnError on_error = OnError::skip;
  double max_failed_fraction = 1;
  Json resolved;  // the file with variables put in and defaults written out

  [[nodiscard]] GraphDrawing drawing() const;
  // How one output of a node is made, as a pipeline fragment without the places of its data:
  // {"output": "points.primitives", "stages": {...}}. Null where whole-set stages took part.
  [[nodiscard]] Json recipe(std::size_t node, std::size_t output) const;
};

// Pure: reads no data beyond what stages check (does the folder exist). Throws ConfigError with all errors.
Plan make_plan(const std::string& text, const std::string& file, const std::vector<Override>& overrides,
               const Registry& registry = Registry::global());

// What each node is expected to make, for `validate --plan`; nodes that cannot say inherit from their first
// input.
std::vector<Estimate> estimate_plan(const Plan& plan);

}  // namespace contexton
