// Tests of encode.codebook: words, their order and statistics, sampling, and refusals.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <cmath>
#include <numeric>

#include "pipeline/errors.hpp"
#include "tests/stages/one_stage.hpp"
#include "tests/stages/small_sets.hpp"

namespace contexton::testing {
namespace {

using Json = nlohmann::ordered_json;

// Three tight groups of 2-dimensional descriptors: 30 around (20, 20), 20 around (200, 20), 10 around (20,
// 200). The first image has no descriptor of the last group.
Primitives three_groups() {
  Random random(1);
  const auto around = [&](std::vector<std::uint8_t>& values, int count, double x, double y) {
    for (int i = 0; i < count; ++i) {
      values.push_back(static_cast<std::uint8_t>(x + random.uniform(-5, 5)));
      values.push_back(static_cast<std::uint8_t>(y + random.uniform(-5, 5)));
    }
  };
  std::vector<std::uint8_t> first, second;
  around(first, 10, 200, 20);
  around(first, 15, 20, 20);
  around(second, 15, 20, 20);
  around(second, 10, 20, 200);
  around(second, 10, 200, 20);
  return primitives_of<std::uint8_t>(
      {image_with(first, 2), image_with(std::vector<std::uint8_t>{}, 2), image_with(second, 2)});
}

Primitives noise(std::int64_t rows, int dims, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint8_t> values;
  for (std::int64_t i = 0; i < rows * dims; ++i)
    values.push_back(static_cast<std::uint8_t>(random.below(256)));
  return primitives_of<std::uint8_t>({image_with(std::move(values), dims)});
}

double metric(const OneStage& stage, const std::string& name) {
  for (const auto& [known, value] : stage.outcome.metrics)
    if (known == name) return value;
  throw std::out_of_range(name);
}

template <class Block>
std::vector<Block> blocks_of(const OneStage& stage) {
  std::vector<Block> found;
  for (const ReportBlock& block : stage.outcome.report.blocks)
    if (const Block* match = std::get_if<Block>(&block)) found.push_back(*match);
  return found;
}

TEST(EncodeCodebook, words_are_the_means_of_their_groups_and_the_commonest_comes_first) {
  const Primitives primitives = three_groups();
  OneStage stage("encode.codebook", {{"words", 3}, {"restarts", 5}});
  const auto codebook = stage.run<Codebook>(&primitives);
  const auto words = stage.output<Labels>(1);

  EXPECT_EQ(codebook.counts, (std::vector<std::int64_t>{30, 20, 10}));
  for (std::size_t word = 0; word < 3; ++word) {
    double sum[2] = {0, 0};
    for (std::size_t i = 0; i < words.values.size(); ++i)
      if (words.values[i] == static_cast<std::int32_t>(word))
        for (std::size_t d = 0; d < 2; ++d)
          sum[d] += primitives.descriptors.row<std::uint8_t>(static_cast<std::int64_t>(i))[d];
    for (std::size_t d = 0; d < 2; ++d)
      EXPECT_NEAR(codebook.words(static_cast<Eigen::Index>(word), static_cast<Eigen::Index>(d)),
                  sum[d] / static_cast<double>(codebook.counts[word]), 1e-4);
  }
}

TEST(EncodeCodebook, statistics_tell_about_the_images_learnt_from) {
  const Primitives primitives = three_groups();
  OneStage stage("encode.codebook", {{"words", 3}, {"restarts", 5}});
  stage.services.seed = 42;
  const std::map<std::string, Json> recipes{{"primitives", {{"made", "by sift"}}}};
  stage.services.recipes = &recipes;
  const auto codebook = stage.run<Codebook>(&primitives);

  EXPECT_EQ(codebook.documents, (std::vector<std::int64_t>{2, 2, 1}));
  EXPECT_EQ(codebook.images, 3);
  EXPECT_EQ(codebook.descriptors, 60);
  EXPECT_EQ(codebook.learnt_from, 60);
  EXPECT_EQ(codebook.seed, 42U);
  EXPECT_EQ(codebook.descriptor_type, Rows::Type::uint8);
  EXPECT_EQ(codebook.recipe, (Json{{"made", "by sift"}}));
}

TEST(EncodeCodebook, labels_and_distances_are_those_of_the_nearest_word) {
  const Primitives primitives = noise(500, 8, 2);
  OneStage stage("encode.codebook", {{"words", 20}});
  const auto codebook = stage.run<Codebook>(&primitives);
  const auto words = stage.output<Labels>(1);
  ASSERT_EQ(words.values.size(), 500U);
  ASSERT_EQ(words.distances.size(), 500U);
  EXPECT_EQ(words.of, "primitives");
  double objective = 0;
  for (std::int64_t i = 0; i < 500; ++i) {
    std::vector<double> distances;
    for (Eigen::Index word = 0; word < 20; ++word) {
      double sum = 0;
      for (int d = 0; d < 8; ++d)
        sum += std::pow(primitives.descriptors.row<std::uint8_t>(i)[static_cast<std::size_t>(d)] -
                            static_cast<double>(codebook.words(word, d)),
                        2);
      distances.push_back(std::sqrt(sum));
    }
    const double nearest = *std::min_element(distances.begin(), distances.end());
    EXPECT_NEAR(distances[static_cast<std::size_t>(words.values[static_cast<std::size_t>(i)])], nearest,
                1e-3);
    EXPECT_NEAR(words.distances[static_cast<std::size_t>(i)], nearest, 1e-3);
    objective += nearest * nearest / 500;
  }
  EXPECT_NEAR(codebook.objective, objective, 1e-6 * objective);
}

TEST(EncodeCodebook, metrics_and_report_say_how_the_fit_went) {
  const Primitives primitives = noise(400, 8, 3);
  OneStage stage("encode.codebook", {{"words", 16}});
  const auto codebook = stage.run<Codebook>(&primitives);
  double entropy = 0;
  for (const std::int64_t count : codebook.counts) {
    const double share = static_cast<double>(count) / 400;
    entropy -= share * std::log2(share);
  }
  EXPECT_NEAR(metric(stage, "entropy"), entropy, 1e-12);
  EXPECT_DOUBLE_EQ(metric(stage, "objective"), codebook.objective);
  EXPECT_EQ(metric(stage, "empty_words"), 0);
  EXPECT_GT(metric(stage, "iterations"), 0);

  const auto plots = blocks_of<ReportPlot>(stage);
  ASSERT_EQ(plots.size(), 2U);
  const std::vector<double>& objectives = plots[0].series.at(0).y;
  EXPECT_EQ(static_cast<double>(objectives.size()), metric(stage, "iterations") + 1);
  EXPECT_TRUE(std::is_sorted(objectives.rbegin(), objectives.rend()));
  EXPECT_NEAR(objectives.back(), codebook.objective, 1e-9 * codebook.objective);
  EXPECT_TRUE(plots[1].log_x && plots[1].log_y);
  EXPECT_TRUE(std::is_sorted(plots[1].series.at(0).y.rbegin(), plots[1].series.at(0).y.rend()));
  const auto tables = blocks_of<ReportTable>(stage);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].rows.size(), 16U);
  EXPECT_EQ(tables[0].rows[0].size(), tables[0].columns.size());
  EXPECT_EQ(blocks_of<ReportText>(stage).size(), 1U);
}

TEST(EncodeCodebook, a_sample_fits_the_words_but_everything_is_labelled) {
  const Primitives primitives = noise(2000, 4, 4);
  OneStage stage("encode.codebook", {{"words", 10}, {"sample", 300}});
  const auto codebook = stage.run<Codebook>(&primitives);
  EXPECT_EQ(codebook.learnt_from, 300);
  EXPECT_EQ(codebook.descriptors, 2000);
  EXPECT_EQ(std::accumulate(codebook.counts.begin(), codebook.counts.end(), std::int64_t{0}), 2000);
  EXPECT_TRUE(std::is_sorted(codebook.counts.rbegin(), codebook.counts.rend()));
  EXPECT_EQ(stage.output<Labels>(1).values.size(), 2000U);

  OneStage larger("encode.codebook", {{"words", 10}, {"sample", 5000}});
  EXPECT_EQ(larger.run<Codebook>(&primitives).learnt_from, 2000);
}

TEST(EncodeCodebook, the_seed_decides_and_the_number_of_threads_does_not) {
  const Primitives primitives = noise(3000, 16, 5);
  const auto words_with = [&](std::uint64_t seed, std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    OneStage stage("encode.codebook", {{"words", 30}, {"sample", 1000}});
    stage.services.seed = seed;
    return stage.run<Codebook>(&primitives).words;
  };
  EXPECT_EQ(words_with(1, 1), words_with(1, 3));
  EXPECT_NE(words_with(1, 1), words_with(2, 1));
}

TEST(EncodeCodebook, too_few_primitives_are_refused_with_advice) {
  const auto message = [](const Primitives& primitives) -> std::string {
    OneStage stage("encode.codebook", {{"words", 100}});
    try {
      stage.run<Codebook>(&primitives);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(noise(99, 4, 6)).find("100 words cannot be learnt from 99 primitives: lower words"),
            std::string::npos);
  const Primitives none = primitives_of<std::uint8_t>({image_with(std::vector<std::uint8_t>{}, 4)});
  EXPECT_NE(message(none).find("no primitives"), std::string::npos);
}

TEST(EncodeCodebook, a_sample_smaller_than_the_words_is_found_before_running) {
  EXPECT_EQ(OneStage("encode.codebook", {{"words", 100}, {"sample", 50}}).check().size(), 1U);
  EXPECT_TRUE(OneStage("encode.codebook", {{"words", 100}, {"sample", 100}}).check().empty());
  EXPECT_TRUE(OneStage("encode.codebook", {{"words", 100}, {"sample", 0}}).check().empty());
  EXPECT_THROW(OneStage("encode.codebook", {{"words", 0}}), std::invalid_argument);
  EXPECT_THROW(OneStage("encode.codebook", {{"method", "magic"}}), std::invalid_argument);
}

TEST(EncodeCodebook, progress_rises_to_its_total_and_ctrl_c_stops_the_fit) {
  const Primitives primitives = noise(2000, 16, 7);
  OneStage stage("encode.codebook", {{"words", 50}, {"restarts", 2}});
  std::vector<double> fractions;
  stage.services.progress = [&](double done, double total) { fractions.push_back(done / total); };
  stage.run<Codebook>(&primitives);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1);

  std::atomic<bool> stop = false;
  OneStage stopped("encode.codebook", {{"words", 50}});
  stopped.services.stop = &stop;
  stopped.services.progress = [&](double done, double) { stop = done > 1; };
  EXPECT_THROW(stopped.run<Codebook>(&primitives), Interrupted);
}

TEST(EncodeCodebook, float_descriptors_make_a_codebook_for_float_descriptors) {
  Random random(8);
  std::vector<float> values;
  for (int i = 0; i < 400; ++i) values.push_back(static_cast<float>(random.normal()));
  const Primitives primitives = primitives_of<float>({image_with(values, 4)});
  OneStage stage("encode.codebook", {{"words", 5}, {"start", "random"}});
  EXPECT_EQ(stage.run<Codebook>(&primitives).descriptor_type, Rows::Type::float32);
}

}  // namespace
}  // namespace contexton::testing
