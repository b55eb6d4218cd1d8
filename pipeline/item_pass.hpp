// Runs per-item stages over a set: several stages in one pass, items in parallel, results written in order as
// they come.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/run_context.hpp"

namespace contexton {

// What a per-item node is about to do: its items, by name common to all its inputs, and their keys.
struct ItemJob {
  NodeRun* node = nullptr;
  Key stage_key;
  std::shared_ptr<const ItemTable> domain;  // keys: content of each item's result
  std::vector<std::vector<std::size_t>>
      positions;                   // per input port: where the domain's item stands in that set
  std::vector<std::string> stems;  // file names for the items' pictures
  Key key;                         // of all results together
};

// The job of a node whose inputs are all done.
ItemJob make_item_job(const RunContext& run, NodeRun& node);

// The job of a node that takes up what `members` of a pass make; null when it cannot join them.
std::unique_ptr<ItemJob> make_joining_job(const RunContext& run, NodeRun& node,
                                          const std::vector<ItemJob>& members);

// Sets made on demand (decoded and resized pixels): nothing runs until an item is asked for.
void finish_on_demand(RunContext& run, const ItemJob& job);

// Takes all results from the cache if they are there.
bool finish_from_cache(RunContext& run, const ItemJob& job);

// Runs the jobs together (same domain, members before those that use them) and leaves their outputs in the
// nodes.
void run_item_pass(RunContext& run, std::vector<ItemJob> jobs);

}  // namespace contexton
