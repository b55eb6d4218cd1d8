// One pass over a set of items.
//
// Items run in parallel and are appended in order to arrays on disk, so memory does not grow with the set. At
// the end of every shard (a group of neighbouring items) a checkpoint is left: a killed run goes on from
// there. Finished shards are found again by their keys when the set changes, so that only new items are
// computed.
#include "pipeline/item_pass.hpp"

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "pipeline/errors.hpp"

namespace contexton {
namespace {

constexpr std::size_t kLargestShard = 32;

// Shards end where an item's name hashes to 0 mod 16: adding or removing an image changes only the shard it
// falls into.
std::vector<std::size_t> shard_ends(const ItemTable& domain) {
  std::vector<std::size_t> ends;
  std::size_t first = 0;
  for (std::size_t i = 0; i < domain.size(); ++i)
    if (i + 1 == domain.size() || hash_bytes(domain.names[i]).low % 16 == 0 ||
        i + 1 - first == kLargestShard) {
      ends.push_back(i + 1);
      first = i + 1;
    }
  return ends;
}

Key port_key(const Key& key, const PortInfo& port) {
  return KeyBuilder().add(key).add(port.name).key();
}

// What became of one item in one stage.
struct ItemResult {
  bool made = false;  // false: it failed, here or in an earlier stage
  std::vector<Value> outputs;
  StageOutcome outcome;
};

nlohmann::json to_log_line(const ItemResult& result) {
  nlohmann::json line{{"made", result.made}};
  const StageOutcome& said = result.outcome;
  if (!said.metrics.empty() || !said.ledger.empty() || !said.report.empty() || !said.files.empty())
    line["said"] = to_json(said);
  return line;
}

ItemResult from_log_line(const nlohmann::json& line) {
  ItemResult result;
  result.made = line.at("made").get<bool>();
  if (line.contains("said")) result.outcome = outcome_from_json(line["said"]);
  return result;
}

// The log of an entry: one line per item of its domain.
std::vector<ItemResult> read_log(const fs::path& entry) {
  std::vector<ItemResult> results;
  const NpyArray array = ArtifactReader(entry / "log").array("lines");
  const auto bytes = array.values<std::uint8_t>();
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    results.push_back(from_log_line(nlohmann::json::parse(text.substr(0, end))));
    text.remove_prefix(end + 1);
  }
  return results;
}

// An earlier entry of the same stage from which shards can be taken.
class EarlierEntry {
 public:
  EarlierEntry(std::shared_ptr<const CacheEntry> entry, const StageType& type)
      : entry_(std::move(entry)), type_(type), log_(read_log(entry_->folder)) {
    for (const PortInfo& port : type.outputs) ports_.push_back(load_port(*entry_, port, {}));
    std::size_t kept = 0;
    for (const ItemResult& line : log_) position_.push_back(line.made ? kept++ : 0);
  }

  [[nodiscard]] std::size_t size() const { return log_.size(); }
  [[nodiscard]] const fs::path& folder() const { return entry_->folder; }

  [[nodiscard]] ItemResult item(std::size_t i) const {
    ItemResult result = log_[i];
    if (result.made)
      for (std::size_t port = 0; port < ports_.size(); ++port)
        result.outputs.push_back(type_.outputs[port].artifact->item(ports_[port].value.get(), position_[i]));
    return result;
  }

 private:
  std::shared_ptr<const CacheEntry> entry_;
  const StageType& type_;
  std::vector<ItemResult> log_;
  std::vector<PortValue> ports_;
  std::vector<std::size_t> position_;
};

struct Reuse {
  std::shared_ptr<const EarlierEntry> from;  // null: the shard must be computed
  std::size_t first = 0;
};

std::map<std::string, std::size_t> positions_in(const ItemTable& table) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < table.size(); ++i) index[table.names[i]] = i;
  return index;
}

void finish_keys(const RunContext& run, ItemJob& job, const std::vector<std::vector<Key>>& input_keys) {
  auto domain = std::make_shared<ItemTable>(*job.domain);
  job.stage_key = run.stage_key(*job.node);
  job.stems = file_stems(*domain);
  for (std::size_t i = 0; i < domain->size(); ++i) {
    KeyBuilder builder;
    builder.add(job.stage_key);
    for (const auto& keys : input_keys) builder.add(keys[i]);
    builder.add(domain->names[i]);  // it may stand in the ledger
    // Stages that only write files name them after the item.
    if (job.node->type().outputs.empty()) builder.add(job.stems[i]).add(domain->label_of(i));
    domain->keys[i] = builder.key();
  }
  job.key = KeyBuilder().add(job.stage_key).add(content_key(*domain)).key();
  job.domain = std::move(domain);
}

// Builds and checkpoints one node's results.
class Member {
 public:
  Member(RunContext& run, ItemJob job, const std::vector<std::size_t>& ends)
      : run_(run), job_(std::move(job)) {
    work_ = run.cache.begin(job_.key, true);
    if (!resume()) start_afresh();
    find_reusable_shards(ends);
  }

  [[nodiscard]] const ItemJob& job() const { return job_; }
  [[nodiscard]] NodeRun& node() const { return *job_.node; }
  [[nodiscard]] bool in_checkpoint(std::size_t item) const { return item < resumed_; }
  [[nodiscard]] const Reuse& reuse(std::size_t shard) const { return reuse_[shard]; }
  [[nodiscard]] fs::path files_folder() const { return work_->folder / "files"; }

  void add(std::size_t item, std::size_t shard, ItemResult result) {
    if (in_checkpoint(item)) return;
    if (reuse_[shard].from != nullptr)
      for (const std::string& suffix : result.outcome.files)
        copy_file(reuse_[shard].from->folder() / ("files/@" + suffix), suffix);
    if (result.made)
      for (std::size_t port = 0; port < writers_.size(); ++port)
        writers_[port]->add(result.outputs[port].get());
    const std::string line =
        to_log_line(result).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    log_->append<std::uint8_t>("lines", -1,
                               {reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
    made_.push_back(result.made);
    merge_outcome(outcome_, std::move(result.outcome));
  }

  void checkpoint() {
    if (made_.size() <= resumed_) return;
    nlohmann::json ports = nlohmann::json::array();
    for (const auto& store : stores_) ports.push_back(store->checkpoint());
    const nlohmann::json json{{"items", made_.size()}, {"ports", ports}, {"log", log_->checkpoint()}};
    write_file(work_->folder / "checkpoint.new", json.dump());
    fs::rename(work_->folder / "checkpoint.new", work_->folder / "checkpoint.json");
  }

  void finish(const std::vector<std::size_t>& ends) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < made_.size(); ++i)
      if (made_[i]) kept.push_back(i);
    const ItemTable items = select_items(*job_.domain, kept);
    std::map<std::string, CacheFile> known;
    const StageType& type = node().type();
    for (std::size_t port = 0; port < stores_.size(); ++port) {
      stores_[port]->finish();
      add_known_hashes(known, "ports/" + type.outputs[port].name, *stores_[port]);
      ItemTable keyed = items;
      for (Key& key : keyed.keys) key = port_key(key, type.outputs[port]);
      save_items(port_folder(work_->folder, type.outputs[port]), keyed);
    }
    log_->finish();
    add_known_hashes(known, "log", *log_);
    writers_.clear();
    stores_.clear();
    log_.reset();
    fs::remove(work_->folder / "checkpoint.json");

    node().entry = run_.cache.commit(std::move(work_), nlohmann::json::object(), known);
    std::size_t first = 0;
    for (std::size_t shard = 0; shard < ends.size(); first = ends[shard++])
      run_.cache.put_shard(shard_key(first, ends[shard]), {job_.key, first});
    for (const PortInfo& port : type.outputs)
      node().outputs.push_back(load_port(*node().entry, port, port_key(job_.key, port)));
    node().outcome = std::move(outcome_);
    node().items = kept.size();
    node().cached_items = cached_items_;
  }

 private:
  void open_writers() {
    const auto& outputs = node().type().outputs;
    for (std::size_t port = 0; port < outputs.size(); ++port)
      writers_.push_back(outputs[port].artifact->item_writer(*stores_[port]));
  }

  void start_afresh() {
    stores_.clear();
    writers_.clear();
    log_.reset();
    made_.clear();
    outcome_ = {};
    resumed_ = cached_items_ = 0;
    for (const auto& old : fs::directory_iterator(work_->folder)) fs::remove_all(old.path());
    for (const PortInfo& port : node().type().outputs)
      stores_.push_back(std::make_unique<ArtifactWriter>(port_folder(work_->folder, port)));
    log_ = std::make_unique<ArtifactWriter>(work_->folder / "log");
    open_writers();
  }

  // Takes up the work of a run that was killed. Anything odd means: begin again.
  bool resume() {
    if (!fs::exists(work_->folder / "checkpoint.json")) return false;
    try {
      const auto json = nlohmann::json::parse(read_text_file(work_->folder / "checkpoint.json"));
      const auto& outputs = node().type().outputs;
      for (std::size_t port = 0; port < outputs.size(); ++port)
        stores_.push_back(std::make_unique<ArtifactWriter>(port_folder(work_->folder, outputs[port]),
                                                           json.at("ports").at(port)));
      log_ = std::make_unique<ArtifactWriter>(work_->folder / "log", json.at("log"));
      log_->finish();
      for (ItemResult& line : read_log(work_->folder)) {
        made_.push_back(line.made);
        for (const std::string& suffix : line.outcome.files)
          if (!fs::exists(work_->folder / ("files/@" + suffix))) return false;
        merge_outcome(outcome_, std::move(line.outcome));
      }
      resumed_ = cached_items_ = json.at("items").get<std::size_t>();
      if (made_.size() != resumed_ || resumed_ > job_.domain->size()) return false;
      open_writers();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  [[nodiscard]] Key shard_key(std::size_t first, std::size_t last) const {
    KeyBuilder builder;
    builder.add("shard");
    for (std::size_t i = first; i < last; ++i) builder.add(job_.domain->keys[i]);
    return builder.key();
  }

  void find_reusable_shards(const std::vector<std::size_t>& ends) {
    std::map<Key, std::shared_ptr<const EarlierEntry>> opened;
    std::size_t first = 0;
    for (std::size_t shard = 0; shard < ends.size(); first = ends[shard++]) {
      Reuse reuse;
      if (const auto place = run_.cache.find_shard(shard_key(first, ends[shard]))) {
        if (!opened.contains(place->entry)) opened[place->entry] = open_earlier(place->entry);
        const auto& earlier = opened[place->entry];
        if (earlier != nullptr && place->first + (ends[shard] - first) <= earlier->size())
          reuse = {earlier, place->first};
      }
      if (reuse.from != nullptr && first >= resumed_) cached_items_ += ends[shard] - first;
      reuse_.push_back(std::move(reuse));
    }
  }

  std::shared_ptr<const EarlierEntry> open_earlier(const Key& key) {
    const auto entry = run_.cache.find(key);
    if (entry == nullptr) return nullptr;
    try {
      return std::make_shared<const EarlierEntry>(entry, node().type());
    } catch (const std::exception&) {
      return nullptr;
    }
  }

  void copy_file(const fs::path& from, const std::string& suffix) {
    const fs::path to = files_folder().string() + "/@" + suffix;
    make_folders(to.parent_path());
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  }

  RunContext& run_;
  ItemJob job_;
  std::unique_ptr<CacheWork> work_;
  std::vector<std::unique_ptr<ArtifactWriter>> stores_;
  std::vector<std::unique_ptr<ItemWriter>> writers_;
  std::unique_ptr<ArtifactWriter> log_;
  std::vector<bool> made_;
  StageOutcome outcome_;
  std::size_t resumed_ = 0, cached_items_ = 0;
  std::vector<Reuse> reuse_;  // per shard
};

// Computes the results of one item in all members, each input fetched once.
class ItemEvaluation {
 public:
  ItemEvaluation(RunContext& run, const std::vector<std::unique_ptr<Member>>& members, std::size_t item,
                 std::size_t shard)
      : run_(run), members_(members), item_(item), shard_(shard), results_(members.size()) {}

  const ItemResult& result_of(std::size_t member) {
    auto& result = results_[member];
    if (!result) result = compute(member);
    return *result;
  }
  ItemResult take(std::size_t member) {
    return results_[member] ? std::move(*results_[member]) : ItemResult{};
  }

 private:
  ItemResult compute(std::size_t member) {
    const Member& self = *members_[member];
    const Reuse& reuse = self.reuse(shard_);
    if (reuse.from != nullptr) return reuse.from->item(reuse.first + offset_in_shard());
    ItemResult result;
    const std::string& name = self.job().domain->names[item_];
    try {
      const std::optional<std::vector<const void*>> inputs = gather(self);
      if (!inputs) return result;  // an earlier stage failed and has said so
      const Key& key = self.job().domain->keys[item_];
      const bool writes_files = self.node().type().outputs.empty();
      const StageRun::Services services =
          run_.services(self.node(), key, writes_files ? self.files_folder() : fs::path());
      StageRun stage_run(
          services, result.outcome,
          {name, self.job().stems[item_], writes_files ? self.job().domain->label_of(item_) : ""});
      const Trace::Span span(run_.trace, self.node().name(), name);
      result.outputs = self.node().type().run(self.node().plan->stage.get(), *inputs, stage_run);
      result.made = true;
    } catch (const Interrupted&) {
      throw;
    } catch (const RunError&) {
      throw;  // the disk is full or the like: not the item's fault
    } catch (const std::exception& problem) {
      if (run_.plan.on_error == OnError::fail)
        throw RunError(fmt::format("stage {} failed on {}: {}", self.node().title(), name, problem.what()));
      result.outcome = {};
      result.outcome.ledger.push_back({name, "skipped", problem.what()});
    }
    return result;
  }

  [[nodiscard]] std::size_t offset_in_shard() const { return item_ - shard_first; }

  // The stage's inputs for this item, or nothing when a member before it could not make one.
  std::optional<std::vector<const void*>> gather(const Member& self) {
    const NodeRun& node = self.node();
    std::vector<const void*> inputs;
    for (std::size_t port = 0; port < node.type().inputs.size(); ++port) {
      const PlanInput& input = node.plan->inputs[port];
      if (!input.connected) {
        inputs.push_back(nullptr);
      } else if (!node.type().inputs[port].each) {
        inputs.push_back(run_.input(node, port).value.get());
      } else if (const auto maker = member_of(input.node)) {
        const ItemResult& made = result_of(*maker);
        if (!made.made) return std::nullopt;
        inputs.push_back(made.outputs[input.output].get());
      } else {
        inputs.push_back(fetch(run_.input(node, port), *node.type().inputs[port].artifact,
                               self.job().positions[port][item_]));
      }
    }
    return inputs;
  }

  std::optional<std::size_t> member_of(std::size_t node) const {
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (members_[m]->node().index == node) return m;
    return std::nullopt;
  }

  const void* fetch(const PortValue& set, const ArtifactType& artifact, std::size_t position) {
    for (const auto& [from, value] : fetched_)
      if (from == set.value.get()) return value.get();
    fetched_.emplace_back(set.value.get(), artifact.item(set.value.get(), position));
    return fetched_.back().second.get();
  }

  RunContext& run_;
  const std::vector<std::unique_ptr<Member>>& members_;
  std::size_t item_, shard_;
  std::vector<std::optional<ItemResult>> results_;
  std::vector<std::pair<const void*, Value>> fetched_;

 public:
  std::size_t shard_first = 0;
};

// What was read of the sets on disk so far need not stay in memory.
void release_inputs(const RunContext& run, const Member& member) {
  const NodeRun& node = member.node();
  for (std::size_t port = 0; port < node.type().inputs.size(); ++port) {
    const PlanInput& input = node.plan->inputs[port];
    if (!node.type().inputs[port].each || !input.connected || run.nodes[input.node]->outputs.empty())
      continue;
    node.type().inputs[port].artifact->release_pages(run.input(node, port).value.get());
  }
}

// How many items may be worked on at once within the memory allowed.
std::size_t items_in_flight(const RunContext& run, const std::vector<std::unique_ptr<Member>>& members) {
  double bytes = 1;
  for (const auto& member : members) {
    const NodeRun& node = member->node();
    for (std::size_t port = 0; port < node.type().inputs.size(); ++port) {
      const PortInfo& info = node.type().inputs[port];
      const PlanInput& input = node.plan->inputs[port];
      if (!info.each || !input.connected || run.nodes[input.node]->outputs.empty())
        continue;  // empty: made in this pass
      const std::size_t largest = info.artifact->largest_item_bytes(run.input(node, port).value.get());
      bytes += static_cast<double>(largest) * (1 + node.type().working_memory);
    }
  }
  const double fitting = static_cast<double>(run.options.memory) / bytes;
  const auto most = static_cast<std::size_t>(run.options.threads) * 2;
  return std::max<std::size_t>(
      1, fitting < static_cast<double>(most) ? static_cast<std::size_t>(fitting) : most);
}

}  // namespace

ItemJob make_item_job(const RunContext& run, NodeRun& node) {
  ItemJob job;
  job.node = &node;
  const auto& ports = node.type().inputs;
  std::vector<std::size_t> sets;
  for (std::size_t port = 0; port < ports.size(); ++port)
    if (ports[port].each && node.plan->inputs[port].connected) sets.push_back(port);

  // The items that all inputs have, in the order of the first.
  const ItemTable& first = *run.input(node, sets.front()).items;
  std::vector<std::map<std::string, std::size_t>> index;
  for (const std::size_t port : sets) index.push_back(positions_in(*run.input(node, port).items));
  std::vector<std::size_t> common;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (std::all_of(index.begin(), index.end(),
                    [&](const auto& names) { return names.contains(first.names[i]); }))
      common.push_back(i);

  job.domain = std::make_shared<const ItemTable>(select_items(first, common));
  job.positions.resize(ports.size());
  std::vector<std::vector<Key>> keys;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    keys.emplace_back();
    for (const std::string& name : job.domain->names) {
      const std::size_t position = index[s].at(name);
      job.positions[sets[s]].push_back(position);
      keys.back().push_back(run.input(node, sets[s]).items->keys[position]);
    }
  }
  finish_keys(run, job, keys);
  return job;
}

std::unique_ptr<ItemJob> make_joining_job(const RunContext& run, NodeRun& node,
                                          const std::vector<ItemJob>& members) {
  auto job = std::make_unique<ItemJob>();
  job->node = &node;
  job->domain = members.front().domain;
  job->positions.resize(node.type().inputs.size());
  std::vector<std::vector<Key>> keys;
  bool takes_up_a_member = false;
  for (std::size_t port = 0; port < node.type().inputs.size(); ++port) {
    const PlanInput& input = node.plan->inputs[port];
    if (!input.connected) continue;
    const auto maker = std::find_if(members.begin(), members.end(),
                                    [&](const ItemJob& member) { return member.node->index == input.node; });
    if (maker != members.end()) {
      if (!node.type().inputs[port].each) return nullptr;  // needs the whole set first
      takes_up_a_member = true;
      const PortInfo& output = maker->node->type().outputs[input.output];
      keys.emplace_back();
      for (const Key& key : maker->domain->keys) keys.back().push_back(port_key(key, output));
      continue;
    }
    if (run.nodes[input.node]->status != NodeRun::Status::done) return nullptr;
    if (!node.type().inputs[port].each) continue;
    const PortValue& set = run.input(node, port);
    const auto index = positions_in(*set.items);
    keys.emplace_back();
    for (const std::string& name : job->domain->names) {
      const auto found = index.find(name);
      if (found == index.end()) return nullptr;
      job->positions[port].push_back(found->second);
      keys.back().push_back(set.items->keys[found->second]);
    }
  }
  if (!takes_up_a_member) return nullptr;
  finish_keys(run, *job, keys);
  return job;
}

void finish_on_demand(RunContext& run, const ItemJob& job) {
  NodeRun& node = *job.node;
  // Values are held here, not looked up later: the nodes before may have been released by then.
  std::vector<Value> held;
  for (std::size_t port = 0; port < node.type().inputs.size(); ++port)
    held.push_back(node.plan->inputs[port].connected ? run.input(node, port).value : nullptr);
  for (std::size_t output = 0; output < node.type().outputs.size(); ++output) {
    auto items = std::make_shared<ItemTable>(*job.domain);
    for (Key& key : items->keys) key = port_key(key, node.type().outputs[output]);
    const auto fetch = [&run, &node, held, positions = job.positions, domain = job.domain,
                        output](std::size_t i) -> Value {
      std::vector<Value> items_held;
      std::vector<const void*> inputs;
      for (std::size_t port = 0; port < held.size(); ++port) {
        const PortInfo& info = node.type().inputs[port];
        if (held[port] != nullptr && info.each) {
          items_held.push_back(info.artifact->item(held[port].get(), positions[port][i]));
          inputs.push_back(items_held.back().get());
        } else {
          inputs.push_back(held[port].get());
        }
      }
      StageOutcome unheard;
      const StageRun::Services services = run.services(node, domain->keys[i], {});
      StageRun stage_run(services, unheard, {domain->names[i], domain->names[i], domain->label_of(i)});
      const Trace::Span span(run.trace, node.name(), domain->names[i]);
      return node.type().run(node.plan->stage.get(), inputs, stage_run)[output];
    };
    const Items shared = items;
    node.outputs.push_back(
        {node.type().outputs[output].artifact->on_demand(shared, fetch, held.front().get()),
         port_key(job.key, node.type().outputs[output]), shared});
  }
  node.items = job.domain->size();
}

bool finish_from_cache(RunContext& run, const ItemJob& job) {
  NodeRun& node = *job.node;
  const auto entry = run.cache.find(job.key);
  if (entry == nullptr) return false;
  std::vector<PortValue> outputs;
  for (const PortInfo& port : node.type().outputs)
    outputs.push_back(load_port(*entry, port, port_key(job.key, port)));
  for (ItemResult& line : read_log(entry->folder)) {
    node.items += line.made ? 1 : 0;
    merge_outcome(node.outcome, std::move(line.outcome));
  }
  node.entry = entry;
  node.outputs = std::move(outputs);
  node.cached = true;
  node.cached_items = job.domain->size();
  return true;
}

void run_item_pass(RunContext& run, std::vector<ItemJob> jobs) {
  const std::shared_ptr<const ItemTable> domain = jobs.front().domain;
  const std::vector<std::size_t> ends = shard_ends(*domain);
  std::vector<std::unique_ptr<Member>> members;
  for (ItemJob& job : jobs) members.push_back(std::make_unique<Member>(run, std::move(job), ends));

  std::size_t next = 0, next_shard = 0, written = 0;
  std::vector<double> cpu(members.size(), 0);
  using Token = std::shared_ptr<ItemEvaluation>;
  struct Step {
    Token evaluation;
    std::size_t item = 0, shard = 0;
    std::vector<double> cpu;
  };

  const auto take_next = [&](tbb::flow_control& control) -> Step {
    if (next == domain->size() || run.stop.load(std::memory_order_relaxed)) {
      control.stop();
      return {};
    }
    if (next == ends[next_shard]) ++next_shard;
    Step step{std::make_shared<ItemEvaluation>(run, members, next, next_shard), next, next_shard, {}};
    step.evaluation->shard_first = next_shard == 0 ? 0 : ends[next_shard - 1];
    ++next;
    return step;
  };
  const auto evaluate = [&](Step step) -> Step {
    for (std::size_t m = 0; m < members.size(); ++m) {
      const double before = thread_cpu_seconds();
      if (!members[m]->in_checkpoint(step.item)) step.evaluation->result_of(m);
      step.cpu.push_back(thread_cpu_seconds() - before);
    }
    return step;
  };
  const auto write = [&](const Step& step) {
    for (std::size_t m = 0; m < members.size(); ++m) {
      const double before = thread_cpu_seconds();
      members[m]->add(step.item, step.shard, step.evaluation->take(m));
      if (step.item + 1 == ends[step.shard]) {
        members[m]->checkpoint();
        release_inputs(run, *members[m]);
      }
      cpu[m] += step.cpu[m] + thread_cpu_seconds() - before;
      run.progress.update(members[m]->node().name(), static_cast<double>(step.item + 1),
                          static_cast<double>(domain->size()), "items");
    }
    ++written;
  };

  tbb::parallel_pipeline(items_in_flight(run, members),
                         tbb::make_filter<void, Step>(tbb::filter_mode::serial_in_order, take_next) &
                             tbb::make_filter<Step, Step>(tbb::filter_mode::parallel, evaluate) &
                             tbb::make_filter<Step, void>(tbb::filter_mode::serial_in_order, write));
  if (written < domain->size()) throw Interrupted();
  for (std::size_t m = 0; m < members.size(); ++m) {
    members[m]->finish(ends);
    members[m]->node().cpu_seconds += cpu[m];
  }
}

}  // namespace contexton
