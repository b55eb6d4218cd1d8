// The registry, and the checks that a description is sound.
#include "pipeline/stage_type.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace contexton {
namespace {

void require(bool condition, const StageType& type, const std::string& problem) {
  if (!condition) throw std::logic_error("stage " + type.name + ": " + problem);
}

void check_description(const StageType& type) {
  require(type.name.find('.') != std::string::npos, type, "a name is group.name");
  require(!type.summary.empty(), type, "has no summary");
  std::set<std::string> names{"type"};
  for (const ParamInfo& param : type.params) {
    require(names.insert(param.name).second, type, "names " + param.name + " twice");
    require(!param.doc.empty(), type, "parameter " + param.name + " has no doc");
  }
  for (const PortInfo& port : type.inputs)
    require(names.insert(port.name).second, type, "names " + port.name + " twice");
  bool any_each = false;
  for (const PortInfo& port : type.inputs) any_each |= port.each;
  require(type.per_item == any_each, type, "per-item stages have an input they see item by item");
  for (const PortInfo& port : type.outputs) {
    require(port.each == type.per_item, type,
            "a per-item stage gives items, a whole-set stage whole artifacts");
    if (type.per_item && !port.artifact->is_kept)
      require(type.inputs.front().each && type.inputs.front().artifact == port.artifact, type,
              "an output made on demand comes from a first input of its own type");
  }
}

}  // namespace

const ParamInfo* StageType::find_param(const std::string& param) const {
  const auto found =
      std::find_if(params.begin(), params.end(), [&](const ParamInfo& p) { return p.name == param; });
  return found == params.end() ? nullptr : &*found;
}

const PortInfo* StageType::find_input(const std::string& port) const {
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [&](const PortInfo& p) { return p.name == port; });
  return found == inputs.end() ? nullptr : &*found;
}

Registry& Registry::global() {
  static Registry registry;
  return registry;
}

void Registry::add(StageType type) {
  check_description(type);
  if (find(type.name) != nullptr) throw std::logic_error("two stages are called " + type.name);
  types_.push_back(std::make_unique<StageType>(std::move(type)));
}

const StageType* Registry::find(const std::string& name) const {
  const auto found =
      std::find_if(types_.begin(), types_.end(), [&](const auto& type) { return type->name == name; });
  return found == types_.end() ? nullptr : found->get();
}

std::vector<const StageType*> Registry::all() const {
  std::vector<const StageType*> sorted;
  for (const auto& type : types_) sorted.push_back(type.get());
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  return sorted;
}

}  // namespace contexton
