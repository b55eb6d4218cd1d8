// The executor: every node once, the cache, resuming, failures, and independence of the number of threads.
#include "pipeline/executor.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <thread>

#include "tests/pipeline/toy_stages.hpp"

namespace contexton::toy {
namespace {

double sum_of_doubled_squares(int count, double plus = 0) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += 4.0 * i * i + plus;
  return sum;
}

// Everything a run left, but for what may differ from run to run.
std::map<std::string, std::string> contents(const Bench& bench) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(bench.out)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().lexically_relative(bench.out).generic_string();
    if (name != "run.json" && name != "trace.json") files[name] = read_text_file(entry.path());
  }
  return files;
}

TEST(Executor, runs_every_node_once_and_leaves_a_whole_run_folder) {
  Bench bench;
  const RunSummary summary = bench.run(kToyPipeline);
  EXPECT_EQ(summary.inputs, 100u);
  EXPECT_EQ(summary.skipped, 0u);
  EXPECT_EQ(counts().squares, 100);
  EXPECT_EQ(counts().sums, 1);
  EXPECT_EQ(counts().written, 100);
  EXPECT_EQ(bench.file("total.txt"), fmt::format("{}", sum_of_doubled_squares(100)));
  EXPECT_EQ(bench.file("files/n00007.txt"), "196");
  const Json run = bench.run_json();
  EXPECT_EQ(run.at("status"), "done");
  EXPECT_EQ(run.at("metrics").at("sum.total").get<double>(), sum_of_doubled_squares(100));
  EXPECT_DOUBLE_EQ(run.at("metrics").at("squares.mean").get<double>(), 99);  // mean over items
  EXPECT_EQ(run.at("stages").at("squares").at("items"), 100);
  EXPECT_EQ(run.at("ledger").size(), 100u);
  EXPECT_NE(bench.file("report.html").find("the total is"), std::string::npos);
  EXPECT_FALSE(Json::parse(bench.file("trace.json")).at("traceEvents").empty());
}

TEST(Executor, a_second_run_takes_everything_from_the_cache_with_the_same_bytes) {
  Bench bench;
  bench.run(kToyPipeline);
  const auto first = contents(bench);
  counts().reset();
  bench.run(kToyPipeline);
  EXPECT_EQ(counts().squares + counts().sums + counts().written + counts().fetches, 0);
  EXPECT_EQ(contents(bench), first);
  for (const char* node : {"squares", "sum", "files", "total"})
    EXPECT_TRUE(bench.run_json().at("stages").at(node).at("cached").get<bool>()) << node;
}

TEST(Executor, only_what_changed_runs_again) {
  Bench bench;
  bench.run(kToyPipeline);
  counts().reset();
  bench.run(kToyPipeline, {{"seed", "4"}});  // only `sum` uses the seed
  EXPECT_EQ(counts().squares, 0);
  EXPECT_EQ(counts().sums, 1);
  EXPECT_EQ(counts().written, 0);
  bench.run(kToyPipeline, {{"plus", "1"}});
  EXPECT_EQ(counts().squares, 100);
}

TEST(Executor, an_added_item_costs_only_its_shard) {
  Bench bench;
  bench.run(kToyPipeline, {{"numbers.missing", "[50]"}});
  counts().reset();
  bench.run(kToyPipeline);
  EXPECT_GT(counts().squares, 0);
  EXPECT_LT(counts().squares, 40);
  EXPECT_EQ(bench.file("total.txt"), fmt::format("{}", sum_of_doubled_squares(100)));
  EXPECT_TRUE(bench.exists("files/n00050.txt"));
  EXPECT_GT(bench.run_json().at("stages").at("squares").at("cached_items").get<int>(), 60);
}

TEST(Executor, files_of_items_that_are_gone_are_deleted) {
  Bench bench;
  bench.run(kToyPipeline);
  std::ofstream(bench.out / "files" / "mine.txt") << "a user's own file";
  bench.run(kToyPipeline, {{"count", "50"}});
  EXPECT_FALSE(bench.exists("files/n00070.txt"));
  EXPECT_TRUE(bench.exists("files/n00010.txt"));
  EXPECT_TRUE(bench.exists("files/mine.txt"));
}

TEST(Executor, goes_on_from_the_checkpoint_of_a_run_that_died) {
  Bench reference;
  reference.run(kToyPipeline);
  for (const int die_after : {1, 20, 57, 99}) {
    Bench bench;
    counts().die_after = die_after;
    EXPECT_THROW(bench.run(kToyPipeline), RunError);
    EXPECT_EQ(bench.run_json().at("status"), "failed");
    counts().reset();
    bench.run(kToyPipeline);
    EXPECT_GE(counts().squares, 100 - die_after);
    EXPECT_LT(counts().squares, 100 - die_after + 40);  // at most the shard in work is lost
    EXPECT_EQ(contents(bench), contents(reference));
  }
}

TEST(Executor, gives_the_same_bytes_for_every_number_of_threads) {
  Bench reference;
  reference.run(kToyPipeline, {}, 1);
  for (const int threads : {2, 3, 8}) {
    Bench bench;
    bench.run(kToyPipeline, {}, threads);
    EXPECT_EQ(contents(bench), contents(reference)) << threads << " threads";
  }
}

TEST(Executor, notices_damaged_cache_entries_and_makes_them_again) {
  Bench reference;
  reference.run(kToyPipeline);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(reference.cache / "entries"))
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(reference.cache));
  ASSERT_GT(files.size(), 8u);
  const auto expected = contents(reference);
  for (std::size_t i = 0; i < files.size();
       i += files[i].string().find("files") == std::string::npos ? 1 : 25) {
    const fs::path& victim = files[i];
    const std::string bytes = read_text_file(reference.cache / victim);
    if (bytes.empty()) continue;
    std::string damaged = bytes;
    damaged[damaged.size() - 1] = static_cast<char>(damaged[damaged.size() - 1] ^ 0x20);
    std::ofstream(reference.cache / victim, std::ios::binary) << damaged;
    fs::remove_all(reference.out);
    reference.run(kToyPipeline);
    EXPECT_EQ(contents(reference), expected) << victim;
  }
}

TEST(Executor, two_runs_may_share_a_cache_at_the_same_time) {
  Bench bench;
  std::vector<std::thread> runs;
  std::vector<std::string> totals(4);
  for (std::size_t i = 0; i < totals.size(); ++i)
    runs.emplace_back([&, i] {
      RunOptions options;
      options.out = bench.folder / fmt::format("out{}", i);
      options.cache = bench.cache;
      options.threads = 2;
      options.verbosity = Verbosity::quiet;
      run_plan(make_plan(kToyPipeline, "toy.json", {{"count", "300"}}), options);
      totals[i] = read_text_file(options.out / "total.txt");
    });
  for (std::thread& run : runs) run.join();
  for (const std::string& total : totals) EXPECT_EQ(total, fmt::format("{}", sum_of_doubled_squares(300)));
}

TEST(Executor, skips_bad_items_and_says_so_in_the_ledger) {
  Bench bench;
  const RunSummary summary = bench.run(kToyPipeline, {{"numbers.bad", "[5, 6]"}});
  EXPECT_EQ(summary.skipped, 2u);
  EXPECT_FALSE(bench.exists("files/n00005.txt"));
  EXPECT_TRUE(bench.exists("files/n00007.txt"));
  int skipped = 0;
  const Json run = bench.run_json();
  for (const Json& row : run.at("ledger"))
    if (row.at("status") == "skipped") {
      ++skipped;
      EXPECT_NE(row.at("reason").get<std::string>().find("cannot be fetched"), std::string::npos);
    }
  EXPECT_EQ(skipped, 2);
  EXPECT_EQ(run.at("metrics").at("sum.total").get<double>(), sum_of_doubled_squares(100) - 4 * 25 - 4 * 36);
}

TEST(Executor, fails_on_a_bad_item_when_asked_and_names_node_type_and_item) {
  Bench bench;
  try {
    bench.run(kToyPipeline, {{"numbers.bad", "[5]"}, {"on_error", "fail"}});
    FAIL() << "must throw";
  } catch (const RunError& problem) {
    const std::string text = problem.what();
    for (const char* part : {"squares", "toy.square", "n00005", "cannot be fetched"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(Executor, fails_when_too_many_or_all_items_are_bad) {
  Bench bench;
  EXPECT_THROW(bench.run(kToyPipeline,
                         {{"count", "10"}, {"numbers.bad", "[1, 2, 3]"}, {"max_failed_fraction", "0.2"}}),
               RunError);
  EXPECT_NO_THROW(bench.run(kToyPipeline,
                            {{"count", "10"}, {"numbers.bad", "[1, 2, 3]"}, {"max_failed_fraction", "0.3"}}));
  EXPECT_THROW(bench.run(kToyPipeline, {{"count", "2"}, {"numbers.bad", "[0, 1]"}}), RunError);
  EXPECT_THROW(bench.run(kToyPipeline, {{"count", "0"}}), RunError);
}

TEST(Executor, fuses_per_item_stages_so_that_an_item_is_fetched_once) {
  Bench bench;
  bench.run(R"({ "contexton": 1, "stages": {
    "numbers": { "type": "toy.source", "count": 40 },
    "a": { "type": "toy.square", "numbers": "numbers" },
    "b": { "type": "toy.square", "numbers": "numbers", "plus": 1 },
    "root": { "type": "toy.root", "squares": "a" },
    "sum": { "type": "toy.sum", "squares": "root", "more": "b" } } })",
            {}, 1);
  EXPECT_EQ(counts().fetches, 40);
  double expected = 0;
  for (int i = 0; i < 40; ++i) expected += i + i * i + 1;
  EXPECT_DOUBLE_EQ(bench.run_json().at("metrics").at("sum.total").get<double>(), expected);
}

TEST(Executor, an_item_that_fails_in_one_stage_is_left_out_of_the_next_and_of_joins) {
  Bench bench;
  bench.run(R"({ "contexton": 1, "stages": {
    "numbers": { "type": "toy.source", "count": 6 },
    "a": { "type": "toy.square", "numbers": "numbers", "plus": -3 },
    "root": { "type": "toy.root", "squares": "a" },
    "sum": { "type": "toy.sum", "squares": "root" },
    "files": { "type": "toy.write", "squares": "root", "total": "sum" } } })");
  EXPECT_EQ(bench.run_json().at("inputs").at("skipped"), 2);  // 0 - 3 and 1 - 3 have no root
  EXPECT_FALSE(bench.exists("files/n00001.txt"));
  EXPECT_TRUE(bench.exists("files/n00002.txt"));
}

TEST(Executor, stops_when_asked_and_goes_on_later) {
  Bench bench;
  std::atomic<bool> stop{true};
  RunOptions options;
  options.out = bench.out;
  options.cache = bench.cache;
  options.verbosity = Verbosity::quiet;
  options.stop = &stop;
  EXPECT_THROW(run_plan(make_plan(kToyPipeline, "toy.json", {}), options), Interrupted);
  EXPECT_EQ(bench.run_json().at("status"), "stopped");
  bench.run(kToyPipeline);
  EXPECT_EQ(bench.run_json().at("status"), "done");
}

TEST(Executor, works_without_a_cache_and_leaves_none) {
  Bench bench;
  RunOptions options;
  options.out = bench.out;
  options.verbosity = Verbosity::quiet;
  run_plan(make_plan(kToyPipeline, "toy.json", {}), options);
  EXPECT_EQ(bench.file("total.txt"), fmt::format("{}", sum_of_doubled_squares(100)));
  for (const auto& entry : fs::directory_iterator(bench.out))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
}

TEST(Executor, says_why_when_the_folder_cannot_be_written) {
  Bench bench;
  RunOptions options;
  options.out = "/proc/contexton-cannot-be-here";
  options.verbosity = Verbosity::quiet;
  EXPECT_THROW(run_plan(make_plan(kToyPipeline, "toy.json", {}), options), RunError);
}

}  // namespace
}  // namespace contexton::toy
