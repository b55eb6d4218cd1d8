// The folder a run leaves behind: stages' files, run.json, report.html, trace.json.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "pipeline/run_context.hpp"

namespace contexton {

class RunFolder {
 public:
  // Marks the folder's run.json as running; remembers what an earlier run left there. Throws RunError when it
  // cannot be written.
  explicit RunFolder(fs::path folder);

  [[nodiscard]] const fs::path& path() const { return folder_; }

  // Puts a finished node's files into place; those that are there already, unchanged, are left alone.
  // Thread-safe.
  void publish(const NodeRun& node);

  // report.html, trace.json, and last of all run.json. Files of an earlier run that this one did not write
  // are deleted.
  void finish(const RunContext& run, double seconds);

  // run.json of a run that ended early: status "failed" or "stopped".
  void finish_early(const RunContext& run, const std::string& status, const std::string& reason,
                    double seconds);

 private:
  [[nodiscard]] Json run_json(const RunContext& run, const std::string& status, double seconds) const;
  void remove_stale_files();

  fs::path folder_;
  std::mutex mutex_;
  std::set<std::string> files_, earlier_files_;  // relative to the folder
};

// One row per input of the sources: used or skipped, why, and what was noted. `skipped` counts distinct
// items.
struct Ledger {
  struct Row {
    std::string item, status, node, reason;
    std::vector<std::string> notes;
  };
  std::vector<Row> rows;
  std::size_t inputs = 0, skipped = 0;
};
Ledger make_ledger(const RunContext& run);

// Metrics as reported: the mean over items where a per-item stage gave one for each.
std::vector<std::pair<std::string, double>> mean_metrics(const NodeRun& node);

}  // namespace contexton
