// Scheduling: every node once, as soon as its inputs are there, all in one arena. Per-item nodes that are
// ready at the same time over the same items share one pass, so an image is decoded once for all of them.
#include "pipeline/executor.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "pipeline/errors.hpp"
#include "pipeline/item_pass.hpp"
#include "pipeline/run_folder.hpp"

namespace contexton {
namespace {

double process_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

RunOptions with_defaults(RunOptions options) {
  if (options.threads <= 0)
    options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (options.memory == 0) {
    struct sysinfo info {};
    options.memory = ::sysinfo(&info) == 0 ? static_cast<std::size_t>(info.totalram) * info.mem_unit / 2
                                           : std::size_t{1} << 31;
  }
  return options;
}

// A cache that lives in the run folder and goes with the run.
class TemporaryCacheFolder {
 public:
  explicit TemporaryCacheFolder(const RunOptions& options) {
    if (options.cache.empty()) path_ = options.out / fmt::format(".work.{}", ::getpid());
  }
  ~TemporaryCacheFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryCacheFolder(const TemporaryCacheFolder&) = delete;
  TemporaryCacheFolder& operator=(const TemporaryCacheFolder&) = delete;
  [[nodiscard]] fs::path path_or(const fs::path& given) const { return path_.empty() ? given : path_; }

 private:
  fs::path path_;
};

class Executor {
 public:
  Executor(RunContext& run, RunFolder& folder) : run_(run), folder_(folder) {
    for (std::size_t i = 0; i < run.plan.nodes.size(); ++i) {
      auto node = std::make_unique<NodeRun>();
      node->plan = &run.plan.nodes[i];
      node->index = i;
      if (node->type().keeps_recipe)
        for (std::size_t port = 0; port < node->plan->inputs.size(); ++port)
          if (const PlanInput& input = node->plan->inputs[port]; input.connected)
            node->recipes[node->type().inputs[port].name] = run.plan.recipe(input.node, input.output);
      run.nodes.push_back(std::move(node));
    }
  }

  // Throws the first failure, or Interrupted.
  void execute() {
    {
      const std::scoped_lock lock(mutex_);
      start_ready_nodes();
    }
    tasks_.wait();
    if (failure_) std::rethrow_exception(failure_);
    if (run_.stop.load()) throw Interrupted();
  }

 private:
  using Status = NodeRun::Status;

  [[nodiscard]] bool inputs_done(const NodeRun& node) const {
    return std::all_of(node.plan->inputs.begin(), node.plan->inputs.end(), [&](const PlanInput& input) {
      return !input.connected || run_.nodes[input.node]->status == Status::done;
    });
  }

  // Call with the lock held.
  void start_ready_nodes() {
    if (run_.stop.load()) return;
    for (const auto& node : run_.nodes) {
      if (node->status != Status::waiting || !inputs_done(*node)) continue;
      node->status = Status::ready;
      tasks_.run([this, started = node.get()] { guarded([&] { start(*started); }); });
    }
  }

  // Runs a task; its failure stops the run, and the first one is what the user hears of.
  template <class Work>
  void guarded(const Work& work) {
    try {
      // Isolated: a stage that waits for its own parallel loop must not begin another stage meanwhile.
      tbb::this_task_arena::isolate(work);
    } catch (const Interrupted&) {
      run_.stop = true;
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      run_.stop = true;
    }
  }

  void start(NodeRun& node) {
    if (run_.stop.load()) return;
    if (!node.type().per_item) {
      {
        const std::scoped_lock lock(mutex_);
        begin(node);
      }
      run_whole(node);
      finish(node);
    } else {
      run_pass_with(node);
    }
  }

  void begin(NodeRun& node) {
    node.status = Status::running;
    node.start = run_.trace.seconds();
    run_.progress.start(node.name(), node.type().name);
    run_.progress.watch_memory(node.name());
  }

  // ---- whole-set stages

  void run_whole(NodeRun& node) {
    const StageType& type = node.type();
    const bool kept =
        !type.source && std::all_of(type.outputs.begin(), type.outputs.end(),
                                    [](const PortInfo& port) { return port.artifact->is_kept; });
    const Key key = run_.stage_key(node);
    if (kept && whole_from_cache(node, key)) return;

    std::unique_ptr<CacheWork> work = kept ? run_.cache.begin(key, false) : nullptr;
    StageRun::Services services = run_.services(node, {}, kept ? work->folder / "files" : fs::path());
    services.progress = [&](double done, double total) {
      run_.progress.update(node.name(), done, total, "");
    };
    StageRun stage_run(services, node.outcome);
    std::vector<const void*> inputs;
    for (std::size_t port = 0; port < type.inputs.size(); ++port)
      inputs.push_back(node.plan->inputs[port].connected ? run_.input(node, port).value.get() : nullptr);
    const double cpu_before = process_cpu_seconds();
    std::vector<Value> values;
    try {
      const Trace::Span span(run_.trace, node.name(), "");
      values = type.run(node.plan->stage.get(), inputs, stage_run);
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& problem) {
      throw RunError(fmt::format("stage {} failed: {}", node.title(), problem.what()));
    }
    node.cpu_seconds = process_cpu_seconds() - cpu_before;
    for (std::size_t port = 0; port < values.size(); ++port)
      node.outputs.push_back(port_value(node, key, type.outputs[port], values[port]));
    if (kept) keep_whole(node, std::move(work));
    node.items = item_count(node);
  }

  bool whole_from_cache(NodeRun& node, const Key& key) {
    const auto entry = run_.cache.find(key);
    if (entry == nullptr) return false;
    for (const PortInfo& port : node.type().outputs)
      node.outputs.push_back(load_port(*entry, port, KeyBuilder().add(key).add(port.name).key()));
    node.outcome = outcome_from_json(entry->meta.at("said"));
    node.entry = entry;
    node.cached = true;
    node.items = node.cached_items = item_count(node);
    return true;
  }

  void keep_whole(NodeRun& node, std::unique_ptr<CacheWork> work) {
    std::map<std::string, CacheFile> known;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const PortInfo& port = node.type().outputs[i];
      ArtifactWriter store(port_folder(work->folder, port));
      port.artifact->save(node.outputs[i].value.get(), store);
      store.finish();
      if (node.outputs[i].items) save_items(port_folder(work->folder, port), *node.outputs[i].items);
      add_known_hashes(known, "ports/" + port.name, store);
    }
    node.entry = run_.cache.commit(std::move(work), {{"said", to_json(node.outcome)}}, known);
  }

  PortValue port_value(const NodeRun& node, const Key& key, const PortInfo& port, const Value& value) {
    PortValue result{value, KeyBuilder().add(key).add(port.name).key(), nullptr};
    if (port.artifact->is_set) {
      auto items = std::make_shared<ItemTable>(*port.artifact->items(value.get()));
      if (node.type().source)
        result.key = KeyBuilder().add(node.type().name).add(port.name).add(content_key(*items)).key();
      else
        for (std::size_t i = 0; i < items->size(); ++i)
          items->keys[i] = KeyBuilder().add(result.key).add(items->names[i]).key();
      result.items = std::move(items);
    } else if (node.type().source) {
      result.key = content_of(node, port, value);
    }
    return result;
  }

  // A source's result is known only by looking at it.
  Key content_of(const NodeRun& node, const PortInfo& port, const Value& value) {
    const auto scratch = run_.cache.begin(KeyBuilder().add(node.name()).add(port.name).key(), false);
    ArtifactWriter store(scratch->folder);
    port.artifact->save(value.get(), store);
    KeyBuilder builder;
    for (const auto& array : store.array_hashes()) builder.add(array.file).add(array.hash);
    return builder.add(store.document().dump()).key();
  }

  [[nodiscard]] std::size_t item_count(const NodeRun& node) const {
    for (const PortValue& output : node.outputs)
      if (output.items) return output.items->size();
    for (std::size_t port = 0; port < node.plan->inputs.size(); ++port)
      if (node.plan->inputs[port].connected && run_.input(node, port).items)
        return run_.input(node, port).items->size();
    return 0;
  }

  // ---- per-item stages

  static bool made_on_demand(const StageType& type) {
    return std::any_of(type.outputs.begin(), type.outputs.end(),
                       [](const PortInfo& port) { return !port.artifact->is_kept; });
  }

  void run_pass_with(NodeRun& first) {
    std::vector<NodeRun*> candidates;
    {
      const std::scoped_lock lock(mutex_);
      if (first.status != Status::ready) return;  // another pass has taken it along
      begin(first);
      if (!made_on_demand(first.type()))
        for (const auto& node : run_.nodes)
          if (node->status == Status::ready && node->type().per_item && !made_on_demand(node->type()))
            candidates.push_back(node.get());
    }
    ItemJob job = make_item_job(run_, first);
    if (made_on_demand(first.type())) {
      finish_on_demand(run_, job);
      return finish(first);
    }
    require_items(job);
    if (finish_from_cache(run_, job)) return finish(first);
    std::vector<ItemJob> jobs;
    jobs.push_back(std::move(job));
    take_along(candidates, jobs);
    take_up(jobs);
    std::vector<NodeRun*> members;
    for (const ItemJob& member : jobs) members.push_back(member.node);
    run_item_pass(run_, std::move(jobs));
    for (NodeRun* member : members) finish(*member);
  }

  // Other nodes that are ready over the same items.
  void take_along(const std::vector<NodeRun*>& candidates, std::vector<ItemJob>& jobs) {
    for (NodeRun* candidate : candidates) {
      ItemJob job = make_item_job(run_, *candidate);
      if (job.domain->names != jobs.front().domain->names) continue;
      {
        const std::scoped_lock lock(mutex_);
        if (candidate->status != Status::ready) continue;
        begin(*candidate);
      }
      if (finish_from_cache(run_, job))
        finish(*candidate);
      else
        jobs.push_back(std::move(job));
    }
  }

  // Nodes that only wait for what this pass makes, item by item.
  void take_up(std::vector<ItemJob>& jobs) {
    const std::scoped_lock lock(mutex_);
    for (const auto& node : run_.nodes) {
      if (node->status != Status::waiting || !node->type().per_item || made_on_demand(node->type())) continue;
      auto job = make_joining_job(run_, *node, jobs);
      if (job == nullptr) continue;
      begin(*node);
      jobs.push_back(std::move(*job));
    }
  }

  static void require_items(const ItemJob& job) {
    if (job.domain->size() == 0)
      throw RunError(
          fmt::format("stage {} has no items to work on: its inputs have none in common", job.node->title()));
  }

  // ---- after a node

  void finish(NodeRun& node) {
    check_failures(node);
    folder_.publish(node);
    node.seconds = run_.trace.seconds() - node.start;
    node.peak_mb = run_.progress.peak_mb(node.name());
    run_.progress.finish(node.name(), outcome_text(node));
    const std::scoped_lock lock(mutex_);
    node.status = Status::done;
    release_inputs(node);
    start_ready_nodes();
  }

  // Large sets are let go as soon as nobody needs them.
  void release_inputs(const NodeRun& node) {
    for (const PlanInput& input : node.plan->inputs) {
      if (!input.connected) continue;
      const bool needed = std::any_of(run_.nodes.begin(), run_.nodes.end(), [&](const auto& other) {
        return other->status != Status::done &&
               std::any_of(
                   other->plan->inputs.begin(), other->plan->inputs.end(), [&](const PlanInput& theirs) {
                     return theirs.connected && theirs.node == input.node && theirs.output == input.output;
                   });
      });
      if (!needed) run_.nodes[input.node]->outputs[input.output].value.reset();
    }
  }

  void check_failures(const NodeRun& node) {
    std::size_t failed = 0;
    std::string first_reason;
    for (const LedgerRow& row : node.outcome.ledger) {
      if (row.what != "skipped") continue;
      if (failed++ == 0) first_reason = row.item + ": " + row.reason;
    }
    if (failed == 0) return;
    if (run_.plan.on_error == OnError::fail)
      throw RunError(fmt::format("stage {} failed on {}", node.title(), first_reason));
    const std::size_t made = node.items;
    if (made == 0)
      throw RunError(
          fmt::format("stage {} failed on all {} items; the first: {}", node.title(), failed, first_reason));
    const double fraction = static_cast<double>(failed) / static_cast<double>(failed + made);
    if (fraction > run_.plan.max_failed_fraction)
      throw RunError(fmt::format(
          "stage {} failed on {} of {} items, more than max_failed_fraction {} allows; the first: {}",
          node.title(), failed, failed + made, run_.plan.max_failed_fraction, first_reason));
    if (!node.cached)
      run_.progress.warning(fmt::format("{}: {} of {} items skipped; the first: {}", node.name(), failed,
                                        failed + made, first_reason));
  }

  static std::string outcome_text(const NodeRun& node) {
    std::string text =
        fmt::format("{:8.2f} s  {} item{}", node.seconds, node.items, node.items == 1 ? "" : "s");
    if (node.cached)
      text += "  from the cache";
    else if (node.cached_items > 0)
      text += fmt::format("  {} of them from the cache", node.cached_items);
    return text;
  }

  RunContext& run_;
  RunFolder& folder_;
  std::mutex mutex_;
  tbb::task_group tasks_;
  std::exception_ptr failure_;
};

std::string reason_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& problem) {
    return problem.what();
  } catch (...) {
    return "unknown";
  }
}

}  // namespace

RunSummary run_plan(const Plan& plan, const RunOptions& given) {
  const RunOptions options = with_defaults(given);
  std::atomic<bool> own_stop{false};
  RunFolder folder(options.out);
  const TemporaryCacheFolder temporary(options);
  Progress progress(options.verbosity);
  Trace trace;
  Cache cache(temporary.path_or(options.cache), [&](const std::string& text) { progress.warning(text); });
  RunContext run{plan, options, cache, progress, trace, options.stop != nullptr ? *options.stop : own_stop,
                 {}};
  Executor executor(run, folder);
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(options.threads));
  tbb::task_arena arena(options.threads);
  try {
    arena.execute([&] { executor.execute(); });
    folder.finish(run, trace.seconds());
  } catch (const Interrupted&) {
    folder.finish_early(run, "stopped", "stopped by the user", trace.seconds());
    throw;
  } catch (const std::exception&) {
    try {
      folder.finish_early(run, "failed", reason_of(std::current_exception()), trace.seconds());
    } catch (const std::exception&) {
      // The disk may be full: the first failure is what the user must hear.
    }
    throw;
  }
  if (!options.cache.empty()) cache.prune(options.cache_limit);
  const Ledger ledger = make_ledger(run);
  return {ledger.inputs, ledger.skipped, trace.seconds(), options.out / "report.html"};
}

}  // namespace contexton
