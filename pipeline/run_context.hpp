// What the parts of the executor share while a plan runs.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/cache.hpp"
#include "pipeline/executor.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/trace.hpp"

namespace contexton {

// What stands on an output port once its node is done.
struct PortValue {
  Value value;
  Key key;      // content, as far as later keys are concerned
  Items items;  // sets: names, labels and a content key for each item
};

// One node while the plan runs.
struct NodeRun {
  const PlanNode* plan = nullptr;
  std::size_t index = 0;
  enum class Status { waiting, ready, running, done } status = Status::waiting;
  std::vector<PortValue> outputs;
  std::shared_ptr<const CacheEntry> entry;  // holds its files; null for sources and sets made on demand
  StageOutcome outcome;
  std::map<std::string, Json> recipes;  // of its inputs, by port

  std::size_t items = 0, cached_items = 0;
  bool cached = false;
  double start = 0, seconds = 0, cpu_seconds = 0, peak_mb = 0;

  [[nodiscard]] const std::string& name() const { return plan->name; }
  [[nodiscard]] const StageType& type() const { return *plan->type; }
  [[nodiscard]] std::string title() const { return plan->name + " (" + plan->type->name + ")"; }
};

struct RunContext {
  const Plan& plan;
  const RunOptions& options;
  Cache& cache;
  Progress& progress;
  Trace& trace;
  std::atomic<bool>& stop;
  std::vector<std::unique_ptr<NodeRun>> nodes;  // as in the plan

  [[nodiscard]] const PortValue& input(const NodeRun& node, std::size_t port) const {
    const PlanInput& input = node.plan->inputs[port];
    return nodes[input.node]->outputs[input.output];
  }
  // Everything but the inputs that a node sees item by item: stage, version, parameters, seed, whole inputs.
  [[nodiscard]] Key stage_key(const NodeRun& node) const;
  // What StageRun needs, for the whole set or for one item.
  [[nodiscard]] StageRun::Services services(const NodeRun& node, const Key& seed_key,
                                            const fs::path& files) const;
};

// Artifacts of an entry, as `save_port` left them.
PortValue load_port(const CacheEntry& entry, const PortInfo& port, const Key& key);

// Where an entry keeps a port's arrays, and its items where it is a set.
fs::path port_folder(const fs::path& entry, const PortInfo& port);
void save_items(const fs::path& folder, const ItemTable& items);

// The hashes an ArtifactWriter knows, under the paths they have in the entry.
void add_known_hashes(std::map<std::string, CacheFile>& known, const std::string& folder,
                      const ArtifactWriter& store);

// CPU seconds of the calling thread.
double thread_cpu_seconds();

}  // namespace contexton
