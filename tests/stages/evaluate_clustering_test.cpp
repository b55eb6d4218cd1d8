// Tests of evaluate.clustering: how items meet, what is scored, and the tables.
#include <gtest/gtest.h>

#include <cmath>

#include "stages/types/metrics.hpp"
#include "tests/stages/one_stage.hpp"
#include "tests/stages/small_sets.hpp"

namespace contexton::testing {
namespace {

Labels named(std::vector<std::int32_t> values, std::vector<std::string> items) {
  Labels labels = labels_with(std::move(values), {}, "images");
  labels.item_names = std::move(items);
  return labels;
}

Metrics score(const Labels& labels, const Labels& truth) {
  OneStage stage("evaluate.clustering", nlohmann::ordered_json::object());
  return stage.run<Metrics>(&labels, &truth);
}

std::string refusal(const Labels& labels, const Labels& truth) {
  try {
    score(labels, truth);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(EvaluateClustering, the_same_groups_under_other_numbers_are_perfect) {
  const Metrics metrics = score(labels_with({2, 2, 0, 0, 1, 1}), labels_with({0, 0, 1, 1, 2, 2}));
  ASSERT_EQ(metrics.values.size(), 10U);
  for (const auto& [name, value] : metrics.values) EXPECT_DOUBLE_EQ(value, 1) << name;
}

TEST(EvaluateClustering, scores_by_hand) {
  // Clusters {a a b} {b b b}: 5 of 6 right. Pairs: 6 in one cluster, of which 4 in one class; 7 in one class.
  const Metrics metrics = score(labels_with({0, 0, 0, 1, 1, 1}), labels_with({0, 0, 1, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(metrics.at("accuracy"), 5.0 / 6);
  EXPECT_DOUBLE_EQ(metrics.at("purity"), 5.0 / 6);
  EXPECT_DOUBLE_EQ(metrics.at("precision"), 4.0 / 6);
  EXPECT_DOUBLE_EQ(metrics.at("recall"), 4.0 / 7);
  EXPECT_DOUBLE_EQ(metrics.at("f_measure"), 8.0 / 13);
  const double expected_pairs = 6.0 * 7 / 15;
  EXPECT_DOUBLE_EQ(metrics.at("ari"), (4 - expected_pairs) / (6.5 - expected_pairs));
  const double truth_entropy = -(1.0 / 3 * std::log(1.0 / 3) + 2.0 / 3 * std::log(2.0 / 3));
  const double within = 0.5 * truth_entropy;  // of the classes, given the cluster
  EXPECT_NEAR(metrics.at("homogeneity"), 1 - within / truth_entropy, 1e-12);
  EXPECT_NEAR(metrics.at("nmi"), metrics.at("v_measure"), 1e-12);
  EXPECT_THROW(static_cast<void>(metrics.at("beauty")), std::out_of_range);
}

TEST(EvaluateClustering, items_meet_by_name_whatever_their_order) {
  const Labels labels = named({0, 0, 1, 1}, {"a", "b", "c", "d"});
  EXPECT_DOUBLE_EQ(score(labels, named({5, 5, 3, 3}, {"d", "c", "b", "a"})).at("accuracy"), 1);
  EXPECT_DOUBLE_EQ(score(labels, named({5, 3, 5, 3}, {"d", "c", "b", "a"})).at("accuracy"), 0.5);
}

TEST(EvaluateClustering, items_of_one_side_only_are_left_out_and_mentioned) {
  const Labels labels = named({0, 1, 0}, {"a", "b", "new"});
  const Labels truth = named({1, 0, 0, 1}, {"a", "b", "other", "another"});
  OneStage stage("evaluate.clustering", nlohmann::ordered_json::object());
  EXPECT_DOUBLE_EQ(stage.run<Metrics>(&labels, &truth).at("accuracy"), 1);
  const auto& text = std::get<ReportText>(stage.outcome.report.blocks.at(0)).text;
  EXPECT_NE(text.find("2 items scored"), std::string::npos);
  EXPECT_NE(text.find("1 labelled items are not in the truth"), std::string::npos);
  EXPECT_NE(text.find("2 items of the truth have no label"), std::string::npos);
}

TEST(EvaluateClustering, unlabelled_items_are_left_out) {
  EXPECT_DOUBLE_EQ(score(labels_with({0, 0, 1, -1, 1}), labels_with({1, 1, 0, 0, -1})).at("accuracy"), 1);
}

TEST(EvaluateClustering, what_cannot_be_compared_is_refused) {
  EXPECT_NE(refusal(labels_with({0, 1}), labels_with({0, 1, 1}, {}, "images"))
                .find("of 2 primitives, truth is of 3"),
            std::string::npos);
  EXPECT_NE(refusal(named({0}, {"a"}), named({0}, {"b"})).find("no item in common"), std::string::npos);
  EXPECT_NE(refusal(named({0, 1}, {"a", "a"}), named({0, 1}, {"a", "b"})).find("two items called a"),
            std::string::npos);
  EXPECT_NE(refusal(labels_with({-1, 0}), labels_with({0, -1})).find("no item has both"), std::string::npos);
  EXPECT_NE(refusal(labels_with({}), labels_with({})).find("no item has both"), std::string::npos);
}

TEST(EvaluateClustering, the_confusion_table_has_agreement_on_its_diagonal) {
  Labels labels = labels_with({1, 1, 1, 0, 0, 2});
  Labels truth = labels_with({0, 0, 1, 1, 1, 0});
  truth.names = {"brick", "weave"};
  OneStage stage("evaluate.clustering", nlohmann::ordered_json::object());
  stage.run<Metrics>(&labels, &truth);
  const auto& table = std::get<ReportTable>(stage.outcome.report.blocks.at(2));
  EXPECT_EQ(table.columns, (std::vector<std::string>{"cluster", "brick", "weave"}));
  const std::vector<std::vector<nlohmann::json>> expected{{"1", 2, 1}, {"0", 0, 2}, {"2", 1, 0}};
  EXPECT_EQ(table.rows, expected);
}

TEST(EvaluateClustering, a_large_confusion_table_is_left_out) {
  std::vector<std::int32_t> many(100);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int32_t>(i / 2);
  const Labels labels = labels_with(many);
  OneStage stage("evaluate.clustering", nlohmann::ordered_json::object());
  stage.run<Metrics>(&labels, &labels);
  EXPECT_EQ(stage.outcome.report.blocks.size(), 2U);
}

TEST(EvaluateClustering, every_score_becomes_a_metric_of_the_run) {
  const Labels labels = labels_with({0, 1, 1}), truth = labels_with({0, 0, 1});
  OneStage stage("evaluate.clustering", nlohmann::ordered_json::object());
  EXPECT_EQ(stage.run<Metrics>(&labels, &truth).values, stage.outcome.metrics);
}

TEST(Metrics, come_back_from_the_cache_bit_by_bit) {
  const TemporaryFolder folder;
  const Metrics metrics{{{"third", 1.0 / 3}, {"unknown", std::nan("")}, {"big", 1e300}}};
  ArtifactWriter writer(folder.path());
  metrics.save(writer);
  writer.finish();
  const Metrics loaded = Metrics::load(ArtifactReader(folder.path()));
  ASSERT_EQ(loaded.values.size(), 3U);
  EXPECT_EQ(loaded.values[0], metrics.values[0]);
  EXPECT_TRUE(std::isnan(loaded.at("unknown")));
  EXPECT_EQ(loaded.at("big"), 1e300);
}

}  // namespace
}  // namespace contexton::testing
