// What a running stage can ask of the engine and tell its user.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/files.hpp"
#include "pipeline/hash.hpp"
#include "pipeline/report_section.hpp"

namespace contexton {

// One line of the ledger: what became of an input.
struct LedgerRow {
  std::string item, what, reason;  // what: "skipped" | "noted"
};

// Everything a stage said while it ran, for one item or for the whole set. Kept with its results in the
// cache.
struct StageOutcome {
  std::vector<std::pair<std::string, double>> metrics;
  std::vector<LedgerRow> ledger;
  ReportSection report;
  std::vector<std::string> files;  // suffixes given to write_file
};

nlohmann::json to_json(const StageOutcome& outcome);
StageOutcome outcome_from_json(const nlohmann::json& json);
// Adds what the next item said: rows and files in order, pictures and tables of one title into one block.
void merge_outcome(StageOutcome& into, StageOutcome from);

// Handed to `run`. Whole-set stages may use it from several threads only where said.
class StageRun {
 public:
  struct Item {
    std::string name;   // empty in a whole-set stage
    std::string stem;   // unique file name for the item's pictures, no extension
    std::string label;  // class, or empty
  };
  // The engine's side; tests may fill it by hand.
  struct Services {
    std::uint64_t seed = 0;
    std::size_t memory = std::size_t{1} << 30;
    const std::atomic<bool>* stop = nullptr;
    std::function<void(double done, double total)> progress;
    fs::path files_folder;  // where write_file puts files
    const std::map<std::string, nlohmann::ordered_json>* recipes = nullptr;
    std::function<std::string(const Key&, const std::function<std::string()>&)> remember;
  };

  StageRun(const Services& services, StageOutcome& outcome, Item item = {})
      : services_(services), outcome_(outcome), item_(std::move(item)) {}

  // Fixed by the run's seed, the stage and (in a per-item stage) the item's content.
  [[nodiscard]] std::uint64_t seed() const { return services_.seed; }
  // Bytes this stage may hold at once.
  [[nodiscard]] std::size_t memory() const { return services_.memory; }
  [[nodiscard]] const Item& item() const { return item_; }

  // Throws Interrupted after Ctrl-C. Call at least once per iteration or few hundred milliseconds.
  // Thread-safe.
  void check_interrupt() const;
  // Thread-safe; also checks for Ctrl-C.
  void progress(double done, double total) const;

  // A number for run.json and the report. In a per-item stage the mean over items is reported.
  void metric(const std::string& name, double value) { outcome_.metrics.emplace_back(name, value); }
  void skip(const std::string& item, const std::string& reason) {
    outcome_.ledger.push_back({item, "skipped", reason});
  }
  void note(const std::string& item, const std::string& text) {
    outcome_.ledger.push_back({item, "noted", text});
  }
  ReportSection& report() { return outcome_.report; }

  // Writes OUT/<node><suffix>: ".npy" gives OUT/codebook.npy, "/a/b.png" gives OUT/codebook/a/b.png.
  void write_file(const std::string& suffix, std::string_view bytes);

  // The bytes `make` gives, kept under a content key from run to run: for thumbnails and other small derived
  // things.
  [[nodiscard]] std::string remember(const Key& key, const std::function<std::string()>& make) const {
    return services_.remember ? services_.remember(key, make) : make();
  }

  // How the artifact on an input port was made: a pipeline fragment that makes it again from other inputs.
  [[nodiscard]] nlohmann::ordered_json recipe(const std::string& port) const;

 private:
  const Services& services_;
  StageOutcome& outcome_;
  Item item_;
};

}  // namespace contexton
