// Toy stages: a source, an on-demand stage, a kept per-item stage, a whole-set stage, and a writer of files.
#include "tests/pipeline/toy_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace contexton::toy {

Numbers Numbers::load(const ArtifactReader& reader, Items items) {
  Numbers numbers{std::move(items), {}};
  if (!reader.has("values")) return numbers;
  const NpyArray array = reader.array("values");
  numbers.values.assign(array.values<double>().begin(), array.values<double>().end());
  return numbers;
}

Counts& counts() {
  static Counts counts;
  return counts;
}

namespace {

struct Source {
  int count = 10;
  std::vector<int> bad, missing;
  static void describe(Description<Source>& stage) {
    stage.named("toy.source", "Gives the numbers 0, 1, 2, ...");
    stage.source();
    stage.param("count", &Source::count).range(0, 100000).doc("how many").unit("numbers");
    stage.param("bad", &Source::bad).doc("numbers that cannot be fetched").says_where();
    stage.param("missing", &Source::missing).doc("numbers that are left out").says_where();
    stage.output<Recipes>("numbers");
  }
  Recipes run(StageRun&) const {
    auto table = std::make_shared<ItemTable>();
    std::vector<int> values;
    for (int i = 0; i < count; ++i) {
      if (std::find(missing.begin(), missing.end(), i) != missing.end()) continue;
      values.push_back(i);
      table->names.push_back(fmt::format("n{:05}", i));
      table->labels.push_back(kNoLabel);
      table->keys.push_back(KeyBuilder().add(static_cast<std::uint64_t>(i)).key());
    }
    return {table, [values, bad = bad](std::size_t i) {
              ++counts().fetches;
              if (std::find(bad.begin(), bad.end(), values[i]) != bad.end())
                throw std::runtime_error("cannot be fetched");
              return static_cast<double>(values[i]);
            }};
  }
};
REGISTER_STAGE(Source);

struct Doubled {
  static void describe(Description<Doubled>& stage) {
    stage.named("toy.double", "Doubles numbers when they are asked for.");
    stage.each<Recipes>("numbers");
    stage.output_each<Recipes>("numbers_out");
  }
  double run(const double& number, StageRun&) const {
    ++counts().doubled;
    return 2 * number;
  }
};
REGISTER_STAGE(Doubled);

struct Square {
  double plus = 0;
  static void describe(Description<Square>& stage) {
    stage.named("toy.square", "Squares every number.");
    stage.param("plus", &Square::plus).range(-10, 10).doc("is added");
    stage.each<Recipes>("numbers");
    stage.output_each<Numbers>("squares");
  }
  double run(const double& number, StageRun& run) const {
    if (counts().die_after >= 0 && counts().squares >= counts().die_after) throw RunError("no space left");
    ++counts().squares;
    run.metric("mean", number);
    return number * number + plus;
  }
};
REGISTER_STAGE(Square);

struct Root {
  static void describe(Description<Root>& stage) {
    stage.named("toy.root", "Takes the square root of every number.");
    stage.each<Numbers>("squares");
    stage.output_each<Numbers>("roots");
  }
  double run(const double& number, StageRun&) const {
    if (number < 0) throw std::runtime_error("negative");
    return std::sqrt(number);
  }
};
REGISTER_STAGE(Root);

struct Sum {
  static void describe(Description<Sum>& stage) {
    stage.named("toy.sum", "Adds all numbers up.");
    stage.random();
    stage.input<Numbers>("squares");
    stage.input<Numbers>("more").optional();
    stage.output<Total>("total");
  }
  Total run(const Numbers& squares, const Numbers* more, StageRun& run) const {
    ++counts().sums;
    Total total;
    for (const double value : squares.values) total.value += value;
    if (more != nullptr)
      for (const double value : more->values) total.value += value;
    run.metric("total", total.value);
    run.metric("seed", static_cast<double>(run.seed() % 1000));
    run.report().add(ReportText{fmt::format("the total is {}", total.value)});
    return total;
  }
};
REGISTER_STAGE(Sum);

struct WriteEach {
  static void describe(Description<WriteEach>& stage) {
    stage.named("toy.write", "Writes a file for every number.");
    stage.each<Numbers>("squares");
    stage.input<Total>("total").optional();
  }
  void run(const double& number, const Total*, StageRun& run) const {
    ++counts().written;
    run.write_file("/" + run.item().stem + ".txt", fmt::format("{}", number));
  }
};
REGISTER_STAGE(WriteEach);

struct WriteTotal {
  static void describe(Description<WriteTotal>& stage) {
    stage.named("toy.write_total", "Writes the total.");
    stage.input<Total>("total");
  }
  void run(const Total& total, StageRun& run) const {
    run.write_file(".txt", fmt::format("{}", total.value));
  }
};
REGISTER_STAGE(WriteTotal);

}  // namespace

const char* const kToyPipeline = R"({
  "contexton": 1,
  "vars": { "count": 100, "plus": 0 },
  "seed": 3,
  "stages": {
    "numbers": { "type": "toy.source", "count": "${count}" },
    "doubled": { "type": "toy.double", "numbers": "numbers" },
    "squares": { "type": "toy.square", "numbers": "doubled", "plus": "${plus}" },
    "sum":     { "type": "toy.sum", "squares": "squares" },
    "files":   { "type": "toy.write", "squares": "squares" },
    "total":   { "type": "toy.write_total", "total": "sum" }
  }
})";

Bench::Bench() {
  std::string pattern = (fs::temp_directory_path() / "contexton-toy-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  folder = pattern;
  out = folder / "out";
  cache = folder / "cache";
  counts().reset();
}

Bench::~Bench() {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

RunSummary Bench::run(const std::string& config, const std::vector<Override>& overrides, int threads) {
  RunOptions options;
  options.out = out;
  options.cache = cache;
  options.threads = threads;
  options.verbosity = Verbosity::quiet;
  return run_plan(make_plan(config, "toy.json", overrides), options);
}

Json Bench::run_json() const {
  return Json::parse(read_text_file(out / "run.json"));
}
std::string Bench::file(const std::string& name) const {
  return read_text_file(out / name);
}

}  // namespace contexton::toy
