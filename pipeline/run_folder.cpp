// Writing the run folder. Everything appears by rename, run.json last.
#include "pipeline/run_folder.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <regex>

#include "pipeline/errors.hpp"
#include "pipeline/report_page.hpp"

namespace contexton {
namespace {

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json metrics_json(const NodeRun& node) {
  Json metrics = Json::object();
  for (const auto& [name, value] : mean_metrics(node)) metrics[name] = number_or_null(value);
  return metrics;
}

std::set<std::string> files_of_earlier_run(const fs::path& folder) {
  try {
    const Json json = Json::parse(read_text_file(folder / "run.json"));
    return json.at("files").get<std::set<std::string>>();
  } catch (const std::exception&) {
    return {};  // none, or not ours
  }
}

// What a run that was killed left half-written: ".<name>.<process>.<number>.part" and ".work.<process>".
void remove_leftovers(const fs::path& folder) {
  static const std::regex kLeftover(R"(\..*\.(\d+)\.\d+\.part|\.work\.(\d+))");
  std::vector<fs::path> leftovers;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::smatch match;
    if (name.empty() || name[0] != '.' || !std::regex_match(name, match, kLeftover)) continue;
    const auto process =
        static_cast<pid_t>(std::strtol((match[1].matched ? match[1] : match[2]).str().c_str(), nullptr, 10));
    if (::kill(process, 0) != 0 && errno == ESRCH) leftovers.push_back(it->path());
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, error);
}

// The file is there with these very bytes.
bool is_in_place(const fs::path& path, const CacheFile& file) {
  std::error_code error;
  if (fs::file_size(path, error) != file.size || error) return false;
  return hash_bytes(MappedFile(path).bytes()) == file.hash;
}

ReportPage make_report(const RunContext& run) {
  ReportPage page;
  page.title = run.plan.title;
  page.graph = run.plan.drawing();
  const Ledger ledger = make_ledger(run);
  for (const auto& [name, value] : run.options.versions.items())
    page.facts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  page.facts.emplace_back("seed", std::to_string(run.plan.seed));
  page.facts.emplace_back("inputs",
                          fmt::format("{} used, {} skipped", ledger.inputs - ledger.skipped, ledger.skipped));
  page.inputs = ledger.inputs;
  for (const auto& node : run.nodes)
    page.nodes.push_back({node->name(), node->type().name, node->type().summary, node->plan->params,
                          mean_metrics(*node), node->outcome.report});
  for (const Ledger::Row& row : ledger.rows) {
    if (row.status == "skipped") page.ledger.push_back({row.node, row.item, "skipped", row.reason});
    for (const std::string& note : row.notes) page.ledger.push_back({row.node, row.item, "noted", note});
  }
  return page;
}

}  // namespace

std::vector<std::pair<std::string, double>> mean_metrics(const NodeRun& node) {
  std::vector<std::pair<std::string, double>> means;
  std::vector<std::size_t> counts;
  for (const auto& [name, value] : node.outcome.metrics) {
    const auto found =
        std::find_if(means.begin(), means.end(), [&](const auto& mean) { return mean.first == name; });
    if (found == means.end()) {
      means.emplace_back(name, value);
      counts.push_back(1);
    } else {
      found->second += value;
      ++counts[static_cast<std::size_t>(found - means.begin())];
    }
  }
  for (std::size_t i = 0; i < means.size(); ++i) means[i].second /= static_cast<double>(counts[i]);
  return means;
}

Ledger make_ledger(const RunContext& run) {
  Ledger ledger;
  std::map<std::string, std::size_t> row_of;
  const auto row = [&](const std::string& item, const std::string& node) -> Ledger::Row& {
    const auto [found, fresh] = row_of.emplace(item, ledger.rows.size());
    if (fresh) ledger.rows.push_back({item, "used", node, "", {}});
    return ledger.rows[found->second];
  };
  for (const auto& node : run.nodes)
    if (node->type().source)
      for (std::size_t port = 0; port < node->outputs.size(); ++port)
        if (node->outputs[port].items != nullptr)
          for (const std::string& name : node->outputs[port].items->names) row(name, node->name());
  for (const auto& node : run.nodes)
    for (const LedgerRow& said : node->outcome.ledger) {
      Ledger::Row& entry = row(said.item, node->name());
      if (said.what != "skipped") {
        entry.notes.push_back(said.reason);
      } else if (entry.status != "skipped") {
        entry.status = "skipped";
        entry.node = node->name();
        entry.reason = said.reason;
      }
    }
  std::sort(ledger.rows.begin(), ledger.rows.end(),
            [](const auto& a, const auto& b) { return a.item < b.item; });
  ledger.inputs = ledger.rows.size();
  ledger.skipped = static_cast<std::size_t>(std::count_if(
      ledger.rows.begin(), ledger.rows.end(), [](const auto& entry) { return entry.status == "skipped"; }));
  return ledger;
}

RunFolder::RunFolder(fs::path folder) : folder_(std::move(folder)) {
  make_folders(folder_);
  remove_leftovers(folder_);
  earlier_files_ = files_of_earlier_run(folder_);
  write_file_atomically(folder_ / "run.json", dump({{"status", "running"}, {"files", earlier_files_}}));
}

void RunFolder::publish(const NodeRun& node) {
  if (node.entry == nullptr) return;
  std::map<std::string, const CacheFile*> known;
  for (const CacheFile& file : node.entry->files) known[file.path] = &file;
  const auto& suffixes = node.outcome.files;
  tbb::parallel_for(std::size_t{0}, suffixes.size(), [&](std::size_t i) {
    const fs::path target = folder_ / (node.name() + suffixes[i]);
    const std::string source = "files/@" + suffixes[i];
    if (is_in_place(target, *known.at(source))) return;
    const MappedFile mapped(node.entry->folder / source);
    write_file_atomically(target,
                          {reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()});
  });
  const std::scoped_lock lock(mutex_);
  for (const std::string& suffix : suffixes) files_.insert(node.name() + suffix);
}

Json RunFolder::run_json(const RunContext& run, const std::string& status, double seconds) const {
  Json json{
      {"status", status}, {"title", run.plan.title}, {"seconds", seconds}, {"threads", run.options.threads}};
  json["versions"] = run.options.versions;
  json["seed"] = run.plan.seed;
  json["metrics"] = Json::object();
  json["stages"] = Json::object();
  for (const auto& node : run.nodes) {
    for (const auto& [name, value] : mean_metrics(*node))
      json["metrics"][node->name() + "." + name] = number_or_null(value);
    json["stages"][node->name()] = {
        {"type", node->type().name},
        {"status", node->status == NodeRun::Status::done ? "done" : "not finished"},
        {"seconds", node->seconds},
        {"cpu_seconds", node->cpu_seconds},
        {"items", node->items},
        {"cached", node->cached},
        {"cached_items", node->cached_items},
        {"peak_mb", node->peak_mb},
        {"metrics", metrics_json(*node)}};
  }
  const Ledger ledger = make_ledger(run);
  json["inputs"] = {
      {"total", ledger.inputs}, {"used", ledger.inputs - ledger.skipped}, {"skipped", ledger.skipped}};
  json["ledger"] = Json::array();
  for (const Ledger::Row& entry : ledger.rows) {
    Json row{{"item", entry.item}, {"status", entry.status}};
    if (entry.status == "skipped") row.update(Json{{"node", entry.node}, {"reason", entry.reason}});
    if (!entry.notes.empty()) row["notes"] = entry.notes;
    json["ledger"].push_back(std::move(row));
  }
  json["config"] = run.plan.resolved;
  return json;
}

void RunFolder::remove_stale_files() {
  for (const std::string& file : earlier_files_) {
    const fs::path path = (folder_ / file).lexically_normal();
    if (files_.contains(file) ||
        path.lexically_relative(folder_.lexically_normal()).generic_string().starts_with(".."))
      continue;
    std::error_code ignored;
    fs::remove(path, ignored);
  }
}

void RunFolder::finish(const RunContext& run, double seconds) {
  remove_stale_files();
  write_file_atomically(folder_ / "report.html", render_report(make_report(run)));
  write_file_atomically(folder_ / "trace.json", run.trace.json());
  Json json = run_json(run, "done", seconds);
  json["files"] = files_;
  write_file_atomically(folder_ / "run.json", dump(json));
}

void RunFolder::finish_early(const RunContext& run, const std::string& status, const std::string& reason,
                             double seconds) {
  Json json = run_json(run, status, seconds);
  json["error"] = reason;
  std::set<std::string> all = earlier_files_;
  all.insert(files_.begin(), files_.end());
  json["files"] = all;
  write_file_atomically(folder_ / "run.json", dump(json));
}

}  // namespace contexton
