// A stage as the engine sees it: parameters, ports and how to run it, all made from the stage's one
// `describe`.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/artifact.hpp"
#include "pipeline/stage_run.hpp"

namespace contexton {

struct ParamInfo {
  std::string name, doc, unit;
  std::string type;  // for people: "integer", "number", "text", "list of integers", "one of: none, l1, l2"
  nlohmann::ordered_json schema;  // JSON Schema of the value
  nlohmann::ordered_json default_value;
  std::optional<double> least, most;  // inclusive; of each element in a list
  std::vector<std::string> choices;   // names of an enumeration
  bool required = false;              // no sensible default: the user must say
  bool says_where = false;            // names the data rather than how it is processed; left out of recipes
  // Puts a value into the stage; answers what was expected when it does not fit.
  std::function<std::optional<std::string>(void* stage, const nlohmann::ordered_json& value)> set;
  std::function<nlohmann::ordered_json(const void* stage)> get;
};

struct PortInfo {
  std::string name, doc;
  const ArtifactType* artifact = nullptr;
  bool each = false;      // the stage sees one item at a time
  bool optional = false;  // an input that may be left unconnected
};

// What a stage finds wrong with its own parameters before anything runs.
class StageCheck {
 public:
  using Report = std::function<void(const std::string& param, const std::string& message)>;
  using Connected = std::function<bool(const std::string& port)>;
  StageCheck(Report report, Connected connected)
      : report_(std::move(report)), connected_(std::move(connected)) {}
  void error(const std::string& param, const std::string& message) { report_(param, message); }
  [[nodiscard]] bool connected(const std::string& port) const { return connected_(port); }

 private:
  Report report_;
  Connected connected_;
};

// What `validate --plan` expects a node to make; rough on purpose, and said so.
struct Estimate {
  double items = 0;                // images or other items of the set
  double rows = 0;                 // descriptors, vectors, labels
  double row_bytes = 0;            // bytes of one row on disk
  double pixels = 0;               // of all items together
  double largest_item_pixels = 0;  // of the heaviest item
  double work_bytes = 0;           // memory while it runs, beyond its inputs
  std::string note;
};

struct StageType {
  std::string name, summary;
  int version = 1;  // raise when the same parameters give other results: old cache entries no longer match
  bool per_item = false;
  bool source = false;        // its result depends on files outside; always run, never taken from the cache
  bool random = false;        // uses the seed
  bool keeps_recipe = false;  // asks StageRun::recipe: how its inputs were made is part of its result
  double working_memory = 0;  // per-item stages: bytes held per byte of the input item
  std::vector<ParamInfo> params;
  std::vector<PortInfo> inputs, outputs;

  std::function<std::shared_ptr<void>()> create;
  std::function<void(const void* stage, StageCheck&)> check;
  std::function<Estimate(const void* stage, std::span<const Estimate> inputs)> estimate;
  // Artifacts for whole ports and items for `each` ports, in order; a null input is an unconnected optional
  // one.
  std::function<std::vector<Value>(const void* stage, std::span<const void* const> inputs, StageRun&)> run;

  [[nodiscard]] const ParamInfo* find_param(const std::string& param) const;
  [[nodiscard]] const PortInfo* find_input(const std::string& port) const;
};

// Every stage there is, by name. Stages add themselves before main.
class Registry {
 public:
  static Registry& global();
  void add(StageType type);  // a duplicate name or a broken description is a bug: throws std::logic_error
  [[nodiscard]] const StageType* find(const std::string& name) const;
  [[nodiscard]] std::vector<const StageType*> all() const;  // sorted by name

 private:
  std::vector<std::unique_ptr<StageType>> types_;
};

}  // namespace contexton
