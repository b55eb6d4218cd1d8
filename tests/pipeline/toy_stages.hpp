// Small artifacts and stages to drive the engine with: numbers instead of images.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/executor.hpp"
#include "pipeline/stage.hpp"

namespace contexton::toy {

// A kept set: one number per item.
struct Numbers {
  static constexpr const char* kName = "Numbers";
  using Item = double;
  Items table;
  std::vector<double> values;

  [[nodiscard]] Items items() const { return table; }
  [[nodiscard]] double item(std::size_t i) const { return values[i]; }
  class Writer {
   public:
    explicit Writer(ArtifactWriter& store) : store_(store) {}
    void add(const double& value) { store_.append<double>("values", -1, std::span(&value, 1)); }

   private:
    ArtifactWriter& store_;
  };
  static Numbers load(const ArtifactReader& reader, Items items);
};

// A set made on demand, as images are.
struct Recipes {
  static constexpr const char* kName = "Recipes";
  using Item = double;
  Items table;
  std::function<double(std::size_t)> make;
  [[nodiscard]] Items items() const { return table; }
  [[nodiscard]] double item(std::size_t i) const { return make(i); }
  static Recipes on_demand(Items items, std::function<double(std::size_t)> make, const Recipes&) {
    return {std::move(items), std::move(make)};
  }
};

struct Total {
  static constexpr const char* kName = "Total";
  double value = 0;
  void save(ArtifactWriter& writer) const { writer.document() = {{"value", value}}; }
  static Total load(const ArtifactReader& reader) { return {reader.document().at("value").get<double>()}; }
};

// How often each stage ran since the last reset, and what the next run should do.
struct Counts {
  std::atomic<int> fetches{0}, doubled{0}, squares{0}, sums{0}, written{0};
  std::atomic<int> die_after{-1};  // `toy.square` throws RunError after so many items: the disk is "full"
  void reset() {
    fetches = doubled = squares = sums = written = 0;
    die_after = -1;
  }
};
Counts& counts();

// A folder that goes with the test, and runs in it.
class Bench {
 public:
  Bench();
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  RunSummary run(const std::string& config, const std::vector<Override>& overrides = {}, int threads = 2);
  [[nodiscard]] Json run_json() const;
  [[nodiscard]] std::string file(const std::string& name) const;
  [[nodiscard]] bool exists(const std::string& name) const { return fs::exists(out / name); }

  fs::path folder, out, cache;
};

// numbers -> doubled (on demand) -> squares (kept, per item) -> total, and a file per item.
extern const char* const kToyPipeline;

}  // namespace contexton::toy
