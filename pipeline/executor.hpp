// The second phase of a run: executes a plan in parallel, from the cache where it can, into a run folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "pipeline/plan.hpp"
#include "pipeline/progress.hpp"

namespace contexton {

struct RunOptions {
  fs::path out;                                // the run folder
  fs::path cache;                              // empty: a temporary cache inside `out`, removed at the end
  std::uint64_t cache_limit = 20'000'000'000;  // bytes the cache may keep after the run
  int threads = 0;                             // 0 = one per core
  std::size_t memory = 0;                      // bytes the run may hold; 0 = half of the machine's
  Verbosity verbosity = Verbosity::plain;
  std::string environment;            // what results depend on beside the plan: the CPU level in use
  Json versions = Json::object();     // for run.json
  std::atomic<bool>* stop = nullptr;  // set from a signal handler to stop; may be null
};

struct RunSummary {
  std::size_t inputs = 0, skipped = 0;
  double seconds = 0;
  fs::path report;
};

// Runs every node once. Throws RunError or InputError when it failed, Interrupted when it was stopped;
// run.json says so too.
RunSummary run_plan(const Plan& plan, const RunOptions& options);

}  // namespace contexton
