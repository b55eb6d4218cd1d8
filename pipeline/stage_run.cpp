// Stage outcomes: their form in the cache and how those of many items become one.
#include "pipeline/stage_run.hpp"

#include "pipeline/errors.hpp"

namespace contexton {
namespace {

// The block of `blocks` that carries on `block`, or null: pictures and tables by title.
template <class Block>
Block* same_title(std::vector<ReportBlock>& blocks, const Block& block) {
  for (ReportBlock& candidate : blocks)
    if (Block* found = std::get_if<Block>(&candidate); found != nullptr && found->title == block.title)
      return found;
  return nullptr;
}

void merge_block(std::vector<ReportBlock>& blocks, ReportBlock block) {
  if (auto* pictures = std::get_if<ReportPictures>(&block)) {
    if (auto* into = same_title(blocks, *pictures)) {
      std::move(pictures->pictures.begin(), pictures->pictures.end(), std::back_inserter(into->pictures));
      return;
    }
  } else if (auto* table = std::get_if<ReportTable>(&block)) {
    if (auto* into = same_title(blocks, *table); into != nullptr && into->columns == table->columns) {
      std::move(table->rows.begin(), table->rows.end(), std::back_inserter(into->rows));
      return;
    }
  } else if (auto* legend = std::get_if<ReportLegend>(&block)) {
    if (auto* into = same_title(blocks, *legend); into != nullptr && into->entries == legend->entries) return;
  }
  blocks.push_back(std::move(block));
}

}  // namespace

nlohmann::json to_json(const StageOutcome& outcome) {
  nlohmann::json ledger = nlohmann::json::array();
  for (const LedgerRow& row : outcome.ledger) ledger.push_back({row.item, row.what, row.reason});
  return {{"metrics", outcome.metrics},
          {"ledger", ledger},
          {"report", to_json(outcome.report)},
          {"files", outcome.files}};
}

StageOutcome outcome_from_json(const nlohmann::json& json) {
  StageOutcome outcome;
  for (const auto& metric : json.at("metrics"))
    outcome.metrics.emplace_back(
        metric.at(0).get<std::string>(),
        metric.at(1).is_null() ? std::numeric_limits<double>::quiet_NaN() : metric.at(1).get<double>());
  for (const auto& row : json.at("ledger")) outcome.ledger.push_back({row.at(0), row.at(1), row.at(2)});
  outcome.report = section_from_json(json.at("report"));
  json.at("files").get_to(outcome.files);
  return outcome;
}

void merge_outcome(StageOutcome& into, StageOutcome from) {
  std::move(from.metrics.begin(), from.metrics.end(), std::back_inserter(into.metrics));
  std::move(from.ledger.begin(), from.ledger.end(), std::back_inserter(into.ledger));
  std::move(from.files.begin(), from.files.end(), std::back_inserter(into.files));
  for (ReportBlock& block : from.report.blocks) merge_block(into.report.blocks, std::move(block));
}

void StageRun::check_interrupt() const {
  if (services_.stop != nullptr && services_.stop->load(std::memory_order_relaxed)) throw Interrupted();
}

void StageRun::progress(double done, double total) const {
  check_interrupt();
  if (services_.progress) services_.progress(done, total);
}

void StageRun::write_file(const std::string& suffix, std::string_view bytes) {
  if (services_.files_folder.empty())
    throw std::logic_error("a per-item stage that gives items writes no files");
  const fs::path path = services_.files_folder.string() + "/@" + suffix;
  make_folders(path.parent_path());
  contexton::write_file(path, bytes);
  outcome_.files.push_back(suffix);
}

nlohmann::ordered_json StageRun::recipe(const std::string& port) const {
  if (services_.recipes == nullptr) return nullptr;
  const auto found = services_.recipes->find(port);
  return found == services_.recipes->end() ? nlohmann::ordered_json(nullptr) : found->second;
}

}  // namespace contexton
