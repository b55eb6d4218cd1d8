// Checking a pipeline file against the registry. Goes on after each error, so that all are reported at once.
#include "pipeline/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "pipeline/suggest.hpp"

namespace contexton {
namespace {

const std::vector<std::string> kTopLevel{
    "contexton", "$schema", "title", "vars", "seed", "on_error", "max_failed_fraction", "stages"};
const std::vector<std::string> kSettings{"seed", "on_error", "max_failed_fraction"};

std::string shown(const Json& value) {
  const std::string text = value.dump();
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

// "abc" stays a text, 12 and [1, 2] and true become what they look like.
Json value_of_override(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  if (object.is_object())
    for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

class Planner {
 public:
  Planner(const std::string& text, const std::string& file, const Registry& registry) : registry_(registry) {
    document_ = parse_json_document(text, file, errors_);
    plan_.title = file;
    if (document_.value.is_null() && errors_.empty()) error(document_.value_place(""), "the file is empty");
    stop_if_wrong();  // after a syntax error nothing else can be said
    if (!document_.value.is_object())
      error(document_.value_place(""),
            "a pipeline file is an object: { \"contexton\": 1, \"stages\": { ... } }");
    stop_if_wrong();
  }

  Plan make(const std::vector<Override>& overrides) {
    for (const Override& override : overrides) apply(override);
    check_top_level();
    substitute_variables();
    read_settings();
    create_nodes();
    connect_nodes();
    find_cycles();
    for (Draft& draft : drafts_) check_stage(draft);
    stop_if_wrong();
    order_nodes();
    write_resolved();
    return std::move(plan_);
  }

 private:
  struct Draft {
    std::string name;
    Json given;                       // the node's object after substitution
    const StageType* type = nullptr;  // null: unknown type, already reported
    std::shared_ptr<void> stage;
    std::vector<std::optional<std::pair<std::size_t, std::size_t>>> inputs;  // node, output
    bool sound = true;  // false: an error was found in it
  };

  void error(Place place, std::string message) { errors_.push_back({std::move(place), std::move(message)}); }

  void stop_if_wrong() {
    if (errors_.empty()) return;
    std::stable_sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    throw ConfigError(std::move(errors_));
  }

  // Where a value stands: in the file, or on the command line.
  Place place_of(const std::string& pointer) const {
    for (std::string at = pointer; !at.empty(); at.resize(at.rfind('/')))
      if (const auto found = overridden_.find(at); found != overridden_.end())
        return {found->second, 0, 0, pointer};
    return document_.value_place(pointer);
  }

  void apply(const Override& override) {
    const std::string label = fmt::format("--set {}={}", override.key, override.value);
    const Json value = value_of_override(override.value);
    Json& root = document_.value;
    const auto set = [&](Json& object, const std::string& key, const std::string& pointer) {
      object[key] = value;
      overridden_[pointer] = label;
      override_text_[pointer] = override.value;
    };
    const auto dot = override.key.find('.');
    if (dot != std::string::npos) {
      const std::string node = override.key.substr(0, dot), param = override.key.substr(dot + 1);
      if (!root.contains("stages") || !root["stages"].contains(node) || !root["stages"][node].is_object())
        return error({label, 0, 0, ""}, fmt::format("there is no stage '{}'{}", node,
                                                    suggestion(node, keys_of(root.value("stages", Json())))));
      return set(root["stages"][node], param, "/stages/" + pointer_step(node) + "/" + pointer_step(param));
    }
    if (root.contains("vars") && root["vars"].contains(override.key))
      return set(root["vars"], override.key, "/vars/" + pointer_step(override.key));
    if (std::find(kSettings.begin(), kSettings.end(), override.key) != kSettings.end())
      return set(root, override.key, "/" + override.key);
    std::vector<std::string> names = keys_of(root.value("vars", Json()));
    names.insert(names.end(), kSettings.begin(), kSettings.end());
    error({label, 0, 0, ""},
          fmt::format("there is no variable '{}'{}; a parameter is set as STAGE.PARAMETER=VALUE",
                      override.key, suggestion(override.key, names)));
  }

  void check_top_level() {
    const Json& root = document_.value;
    for (const std::string& key : keys_of(root))
      if (std::find(kTopLevel.begin(), kTopLevel.end(), key) == kTopLevel.end())
        error(document_.key_place("/" + pointer_step(key)),
              fmt::format("unknown key '{}'{}", key, suggestion(key, kTopLevel)));
    if (!root.contains("contexton"))
      error(document_.value_place(""), "the version of the format is missing: \"contexton\": 1");
    else if (root["contexton"] != 1)
      error(document_.value_place("/contexton"),
            fmt::format("this program reads format 1, the file says {}", shown(root["contexton"])));
    if (!root.contains("stages"))
      error(document_.value_place(""), "\"stages\" is missing");
    else if (!root["stages"].is_object() || root["stages"].empty())
      error(document_.value_place("/stages"),
            "expected an object with at least one stage: \"name\": { \"type\": ... }");
    if (root.contains("vars") && !root["vars"].is_object())
      error(document_.value_place("/vars"), "expected an object: \"name\": value");
    if (root.contains("title") && root["title"].is_string()) plan_.title = root["title"].get<std::string>();
  }

  void substitute_variables() {
    const Json vars = document_.value.value("vars", Json::object());
    if (document_.value.contains("stages")) substitute(document_.value["stages"], "/stages", vars);
  }

  void substitute(Json& value, const std::string& pointer, const Json& vars) {
    if (value.is_object())
      for (auto& [key, member] : value.items()) substitute(member, pointer + "/" + pointer_step(key), vars);
    else if (value.is_array())
      for (std::size_t i = 0; i < value.size(); ++i)
        substitute(value[i], pointer + "/" + std::to_string(i), vars);
    else if (value.is_string())
      value = substituted(value.get<std::string>(), pointer, vars);
  }

  // "${words}" alone becomes the variable's value with its type; inside a longer text it becomes text.
  Json substituted(const std::string& text, const std::string& pointer, const Json& vars) {
    std::string result;
    std::size_t at = 0;
    for (std::size_t open; (open = text.find("${", at)) != std::string::npos;) {
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) {
        error(place_of(pointer), fmt::format("'${{' without '}}' in {}", shown(text)));
        unresolved_.insert(pointer);
        return text;
      }
      const std::string name = text.substr(open + 2, close - open - 2);
      if (!vars.is_object() || !vars.contains(name)) {
        error(place_of(pointer),
              fmt::format("there is no variable '{}'{}", name, suggestion(name, keys_of(vars))));
        unresolved_.insert(pointer);
        return text;
      }
      const std::string source = "/vars/" + pointer_step(name);
      if (open == 0 && close + 1 == text.size()) {
        if (overridden_.contains(source)) {
          overridden_[pointer] = overridden_[source];
          override_text_[pointer] = override_text_[source];
        }
        return vars[name];
      }
      result += text.substr(at, open - at);
      result += vars[name].is_string() ? vars[name].get<std::string>() : vars[name].dump();
      at = close + 1;
    }
    return result + text.substr(at);
  }

  void read_settings() {
    const Json& root = document_.value;
    if (root.contains("seed")) {
      if (root["seed"].is_number_unsigned())
        plan_.seed = root["seed"].get<std::uint64_t>();
      else
        error(place_of("/seed"),
              fmt::format("expected an integer of at least 0, got {}", shown(root["seed"])));
    }
    if (root.contains("on_error")) {
      if (root["on_error"] == "skip" || root["on_error"] == "fail")
        plan_.on_error = root["on_error"] == "fail" ? OnError::fail : OnError::skip;
      else
        error(place_of("/on_error"),
              fmt::format("expected \"skip\" or \"fail\", got {}", shown(root["on_error"])));
    }
    if (root.contains("max_failed_fraction")) {
      const Json& value = root["max_failed_fraction"];
      if (value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 1)
        plan_.max_failed_fraction = value.get<double>();
      else
        error(place_of("/max_failed_fraction"),
              fmt::format("expected a number from 0 to 1, got {}", shown(value)));
    }
  }

  void create_nodes() {
    const Json stages = document_.value.value("stages", Json::object());
    if (!stages.is_object()) return;
    for (const auto& [name, given] : stages.items()) {
      index_[name] = drafts_.size();
      drafts_.push_back({name, given, nullptr, nullptr, {}, true});
      create(drafts_.back());
    }
  }

  void create(Draft& draft) {
    const std::string pointer = pointer_of(draft);
    const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
    if (draft.name.empty() || !std::all_of(draft.name.begin(), draft.name.end(), allowed))
      wrong(draft, document_.key_place(pointer), "a stage's name is made of letters, digits, '_' and '-'");
    if (draft.name == "run" || draft.name == "report" || draft.name == "trace")
      wrong(draft, document_.key_place(pointer),
            fmt::format("'{}' is the name of a file every run writes", draft.name));
    if (!draft.given.is_object())
      return wrong(draft, place_of(pointer), "expected an object: { \"type\": \"...\", ... }");
    if (!draft.given.contains("type")) return wrong(draft, place_of(pointer), "\"type\" is missing");
    if (unresolved_.contains(pointer + "/type")) return;
    const Json& type = draft.given["type"];
    if (!type.is_string())
      return wrong(draft, place_of(pointer + "/type"),
                   "expected the name of a stage type, got " + shown(type));
    draft.type = registry_.find(type.get<std::string>());
    if (draft.type == nullptr) {
      std::vector<std::string> names;
      for (const StageType* known : registry_.all()) names.push_back(known->name);
      return wrong(draft, place_of(pointer + "/type"),
                   fmt::format("unknown stage type '{}'{}", type.get<std::string>(),
                               suggestion(type.get<std::string>(), names)));
    }
    draft.stage = draft.type->create();
    for (const auto& [key, value] : draft.given.items())
      if (key != "type" && draft.type->find_input(key) == nullptr) set_param(draft, key, value);
    for (const ParamInfo& param : draft.type->params)
      if (param.required && !draft.given.contains(param.name))
        wrong(draft, place_of(pointer), fmt::format("'{}' is missing: {}", param.name, param.doc));
  }

  void set_param(Draft& draft, const std::string& key, const Json& value) {
    const std::string pointer = pointer_of(draft) + "/" + pointer_step(key);
    const ParamInfo* param = draft.type->find_param(key);
    if (param == nullptr) {
      std::vector<std::string> names;
      for (const ParamInfo& known : draft.type->params) names.push_back(known.name);
      for (const PortInfo& known : draft.type->inputs) names.push_back(known.name);
      const Place place = overridden_.contains(pointer) ? place_of(pointer) : document_.key_place(pointer);
      return wrong(draft, place,
                   fmt::format("{} has no parameter '{}'{}", draft.type->name, key, suggestion(key, names)));
    }
    if (unresolved_.contains(pointer)) return;  // reported already
    auto expected = param->set(draft.stage.get(), value);
    // On a command line a folder called 2024 is a text although it looks like a number.
    if (expected && override_text_.contains(pointer) && !value.is_string())
      if (!param->set(draft.stage.get(), override_text_[pointer])) expected.reset();
    if (!expected) return;
    std::string hint;
    if (!param->choices.empty() && value.is_string())
      if (const std::string near = nearest_name(value.get<std::string>(), param->choices); !near.empty())
        hint = fmt::format(" (did you mean '{}'?)", near);
    wrong(draft, place_of(pointer), fmt::format("expected {}, got {}{}", *expected, shown(value), hint));
  }

  void connect_nodes() {
    for (Draft& draft : drafts_) {
      if (draft.type == nullptr) continue;
      for (const PortInfo& port : draft.type->inputs) draft.inputs.push_back(connect(draft, port));
    }
  }

  std::optional<std::pair<std::size_t, std::size_t>> connect(Draft& draft, const PortInfo& port) {
    const std::string pointer = pointer_of(draft) + "/" + pointer_step(port.name);
    if (!draft.given.contains(port.name)) {
      if (!port.optional)
        wrong(draft, place_of(pointer_of(draft)),
              fmt::format("input '{}' ({}) is not connected{}", port.name, port.artifact->name,
                          who_makes(*port.artifact)));
      return std::nullopt;
    }
    const Json& value = draft.given[port.name];
    if (unresolved_.contains(pointer)) return std::nullopt;  // reported already
    if (!value.is_string()) {
      wrong(draft, place_of(pointer),
            fmt::format("expected the name of a stage, or STAGE.OUTPUT, got {}", shown(value)));
      return std::nullopt;
    }
    const std::string text = value.get<std::string>();
    const auto dot = text.find('.');
    const std::string name = text.substr(0, dot);
    const auto found = index_.find(name);
    if (found == index_.end()) {
      std::vector<std::string> names;
      for (const Draft& other : drafts_) names.push_back(other.name);
      wrong(draft, place_of(pointer), fmt::format("there is no stage '{}'{}", name, suggestion(name, names)));
      return std::nullopt;
    }
    const StageType* source = drafts_[found->second].type;
    if (source == nullptr) return std::nullopt;  // reported already
    const auto output = dot == std::string::npos
                            ? matching_output(draft, port, name, *source, pointer)
                            : named_output(draft, port, name, text.substr(dot + 1), *source, pointer);
    if (!output) return std::nullopt;
    return std::pair(found->second, *output);
  }

  // `node` alone: its only output, or its only one of the right type.
  std::optional<std::size_t> matching_output(Draft& draft, const PortInfo& port, const std::string& name,
                                             const StageType& source, const std::string& pointer) {
    std::vector<std::size_t> fitting;
    std::vector<std::string> outputs;
    for (std::size_t i = 0; i < source.outputs.size(); ++i) {
      if (source.outputs[i].artifact == port.artifact) fitting.push_back(i);
      outputs.push_back(
          fmt::format("{}.{} ({})", name, source.outputs[i].name, source.outputs[i].artifact->name));
    }
    if (fitting.size() == 1) return fitting[0];
    if (fitting.size() > 1)
      wrong(draft, place_of(pointer),
            fmt::format("'{}' has several outputs that fit; say which: {}", name, fmt::join(outputs, ", ")));
    else if (outputs.empty())
      wrong(draft, place_of(pointer),
            fmt::format("input '{}' takes {}, but '{}' ({}) only writes files", port.name,
                        port.artifact->name, name, source.name));
    else
      wrong(draft, place_of(pointer),
            fmt::format("input '{}' takes {}, but '{}' ({}) gives {}", port.name, port.artifact->name, name,
                        source.name, fmt::join(outputs, ", ")));
    return std::nullopt;
  }

  std::optional<std::size_t> named_output(Draft& draft, const PortInfo& port, const std::string& name,
                                          const std::string& output, const StageType& source,
                                          const std::string& pointer) {
    std::vector<std::string> outputs;
    for (std::size_t i = 0; i < source.outputs.size(); ++i) {
      outputs.push_back(source.outputs[i].name);
      if (source.outputs[i].name != output) continue;
      if (source.outputs[i].artifact == port.artifact) return i;
      wrong(draft, place_of(pointer),
            fmt::format("input '{}' takes {}, but {}.{} is {}", port.name, port.artifact->name, name, output,
                        source.outputs[i].artifact->name));
      return std::nullopt;
    }
    wrong(draft, place_of(pointer),
          fmt::format("'{}' ({}) has no output '{}'{}", name, source.name, output,
                      suggestion(output, outputs)));
    return std::nullopt;
  }

  // ": connect one of a, b.c" for an input that was left open.
  std::string who_makes(const ArtifactType& artifact) const {
    std::vector<std::string> makers;
    for (const Draft& draft : drafts_)
      if (draft.type != nullptr)
        for (const PortInfo& output : draft.type->outputs)
          if (output.artifact == &artifact)
            makers.push_back(draft.type->outputs.size() == 1 ? draft.name : draft.name + "." + output.name);
    return makers.empty() ? "; no stage here makes one"
                          : fmt::format("; it can be one of: {}", fmt::join(makers, ", "));
  }

  void find_cycles() {
    std::vector<int> state(drafts_.size(), 0);  // 0 new, 1 on the path, 2 done
    std::vector<std::size_t> path;
    const auto visit = [&](auto&& self, std::size_t node) -> void {
      if (state[node] == 2) return;
      if (state[node] == 1) {
        std::vector<std::string> names;
        for (auto at = std::find(path.begin(), path.end(), node); at != path.end(); ++at)
          names.push_back(drafts_[*at].name);
        names.push_back(drafts_[node].name);
        std::reverse(names.begin(), names.end());  // in the direction the data would flow
        wrong(drafts_[node], document_.key_place(pointer_of(drafts_[node])),
              fmt::format("the stages go round in a circle: {}", fmt::join(names, " -> ")));
        return;
      }
      state[node] = 1;
      path.push_back(node);
      for (const auto& input : drafts_[node].inputs)
        if (input) self(self, input->first);
      path.pop_back();
      state[node] = 2;
    };
    for (std::size_t i = 0; i < drafts_.size(); ++i) visit(visit, i);
  }

  void check_stage(Draft& draft) {
    if (draft.type == nullptr || !draft.sound || !draft.type->check) return;
    StageCheck check(
        [&](const std::string& param, const std::string& message) {
          wrong(draft, place_of(pointer_of(draft) + (param.empty() ? "" : "/" + pointer_step(param))),
                message);
        },
        [&](const std::string& port) { return draft.given.contains(port); });
    draft.type->check(draft.stage.get(), check);
  }

  void order_nodes() {
    std::vector<std::size_t> position(drafts_.size(), drafts_.size());
    while (plan_.nodes.size() < drafts_.size())
      for (std::size_t i = 0; i < drafts_.size(); ++i) {
        Draft& draft = drafts_[i];
        const auto placed = [&](const auto& input) {
          return !input || position[input->first] < drafts_.size();
        };
        if (position[i] < drafts_.size() || !std::all_of(draft.inputs.begin(), draft.inputs.end(), placed))
          continue;
        position[i] = plan_.nodes.size();
        PlanNode node{draft.name, draft.type, draft.stage, Json::object(), {}};
        for (const ParamInfo& param : draft.type->params)
          node.params[param.name] = param.get(draft.stage.get());
        for (const auto& input : draft.inputs)
          node.inputs.push_back(input ? PlanInput{position[input->first], input->second, true} : PlanInput{});
        plan_.nodes.push_back(std::move(node));
        break;  // begin again, so that nodes stay in the file's order where they can
      }
  }

  void write_resolved() {
    plan_.resolved = {{"contexton", 1},
                      {"seed", plan_.seed},
                      {"on_error", plan_.on_error == OnError::fail ? "fail" : "skip"},
                      {"max_failed_fraction", plan_.max_failed_fraction},
                      {"stages", Json::object()}};
    for (const PlanNode& node : plan_.nodes) {
      Json& stage = plan_.resolved["stages"][node.name];
      stage["type"] = node.type->name;
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i].connected) {
          const PlanNode& source = plan_.nodes[node.inputs[i].node];
          stage[node.type->inputs[i].name] =
              source.name + "." + source.type->outputs[node.inputs[i].output].name;
        }
      for (const auto& [key, value] : node.params.items()) stage[key] = value;
    }
  }

  void wrong(Draft& draft, Place place, std::string message) {
    draft.sound = false;
    error(std::move(place), std::move(message));
  }
  static std::string pointer_of(const Draft& draft) { return "/stages/" + pointer_step(draft.name); }

  const Registry& registry_;
  JsonDocument document_;
  std::vector<Diagnostic> errors_;
  std::map<std::string, std::string> overridden_;     // JSON pointer -> "--set words=abc"
  std::map<std::string, std::string> override_text_;  // JSON pointer -> the value as typed
  std::set<std::string> unresolved_;                  // JSON pointers of values whose variable is unknown
  std::vector<Draft> drafts_;
  std::map<std::string, std::size_t> index_;
  Plan plan_;
};

}  // namespace

Override parse_override(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError(fmt::format("--set {}: expected NAME=VALUE, for instance --set words=100", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Plan make_plan(const std::string& text, const std::string& file, const std::vector<Override>& overrides,
               const Registry& registry) {
  return Planner(text, file, registry).make(overrides);
}

GraphDrawing Plan::drawing() const {
  GraphDrawing graph;
  for (const PlanNode& node : nodes) {
    graph.nodes.push_back({node.name, node.type->name, node.type->per_item});
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!node.inputs[i].connected) continue;
      const PlanNode& source = nodes[node.inputs[i].node];
      graph.edges.push_back({source.name, source.type->outputs[node.inputs[i].output].name, node.name,
                             node.type->inputs[i].name, node.type->inputs[i].artifact->name});
    }
  }
  return graph;
}

Json Plan::recipe(std::size_t node, std::size_t output) const {
  std::set<std::size_t> needed;
  const auto collect = [&](auto&& self, std::size_t at) -> bool {
    if (!nodes[at].type->per_item && !nodes[at].type->source) return false;
    needed.insert(at);
    for (const PlanInput& input : nodes[at].inputs)
      if (input.connected && !self(self, input.node)) return false;
    return true;
  };
  if (!collect(collect, node)) return nullptr;
  Json fragment{{"output", nodes[node].name + "." + nodes[node].type->outputs[output].name},
                {"stages", Json::object()}};
  for (const std::size_t at : needed) {
    Json stage = resolved.at("stages").at(nodes[at].name);
    for (const ParamInfo& param : nodes[at].type->params)
      if (param.says_where) stage.erase(param.name);
    fragment["stages"][nodes[at].name] = std::move(stage);
  }
  return fragment;
}

std::vector<Estimate> estimate_plan(const Plan& plan) {
  std::vector<Estimate> estimates;
  for (const PlanNode& node : plan.nodes) {
    std::vector<Estimate> inputs;
    for (const PlanInput& input : node.inputs)
      inputs.push_back(input.connected ? estimates[input.node] : Estimate{});
    Estimate estimate;
    if (node.type->estimate)
      estimate = node.type->estimate(node.stage.get(), inputs);
    else if (!inputs.empty())
      estimate = {inputs[0].items, 0, 0, inputs[0].pixels, inputs[0].largest_item_pixels, 0, ""};
    estimates.push_back(estimate);
  }
  return estimates;
}

}  // namespace contexton
