// Everything people and editors can read about the stages, made from the registry: lists, pages, JSON, JSON
// Schema.
#pragma once

#include <string>

#include "pipeline/plan.hpp"

namespace contexton {

std::string stage_list(const Registry& registry);      // one line per stage
std::string stage_page(const StageType& type);         // parameters, ports and an example, for a terminal
std::string stage_markdown(const Registry& registry);  // docs/stages.md
Json stage_json(const StageType& type);
Json pipeline_schema(const Registry& registry);  // JSON Schema (draft 7) of a pipeline file
Json stage_example(const StageType& type);       // a node of this type, as it stands in a pipeline file

}  // namespace contexton
