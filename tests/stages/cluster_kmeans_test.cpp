// Tests of cluster.kmeans: groups of vectors, their order, names and report.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/stages/one_stage.hpp"
#include "tests/stages/small_sets.hpp"

namespace contexton::testing {
namespace {

// 12 items near (0, 0), 7 near (10, 0), 4 near (0, 10), shuffled by index.
Vectors three_groups() {
  Random random(1);
  Matrix values(23, 2);
  for (Eigen::Index i = 0; i < 23; ++i) {
    const Eigen::Index place = i * 5 % 23;
    const int group = place < 12 ? 0 : place < 19 ? 1 : 2;
    values(i, 0) = static_cast<float>((group == 1 ? 10 : 0) + random.uniform(-1, 1));
    values(i, 1) = static_cast<float>((group == 2 ? 10 : 0) + random.uniform(-1, 1));
  }
  return Vectors::own(numbered_items(23), values);
}

TEST(ClusterKMeans, finds_the_groups_largest_first) {
  const Vectors vectors = three_groups();
  OneStage stage("cluster.kmeans", {{"clusters", 3}});
  const auto labels = stage.run<Labels>(&vectors);
  for (std::int64_t i = 0; i < 23; ++i) {
    const auto row = vectors.rows.row<float>(i);
    EXPECT_EQ(labels.values[static_cast<std::size_t>(i)], row[0] > 5 ? 1 : row[1] > 5 ? 2 : 0);
    EXPECT_LT(labels.distances[static_cast<std::size_t>(i)], std::sqrt(8.0F));
  }
  EXPECT_EQ(labels.of, "vectors");
  EXPECT_EQ(labels.item_names, vectors.table->names);
  EXPECT_EQ(labels.names, (std::vector<std::string>{"cluster 0", "cluster 1", "cluster 2"}));
}

TEST(ClusterKMeans, reports_the_sizes) {
  const Vectors vectors = three_groups();
  OneStage stage("cluster.kmeans", {{"clusters", 3}});
  stage.run<Labels>(&vectors);
  bool found = false;
  for (const ReportBlock& block : stage.outcome.report.blocks)
    if (const auto* table = std::get_if<ReportTable>(&block)) {
      found = true;
      ASSERT_EQ(table->rows.size(), 3U);
      EXPECT_EQ(table->rows[0][1], 12);
      EXPECT_EQ(table->rows[1][1], 7);
      EXPECT_EQ(table->rows[2][1], 4);
    }
  EXPECT_TRUE(found);
}

TEST(ClusterKMeans, more_clusters_than_vectors_are_refused) {
  const Vectors vectors = three_groups();
  OneStage stage("cluster.kmeans", {{"clusters", 24}});
  try {
    stage.run<Labels>(&vectors);
    FAIL() << "24 clusters of 23 vectors";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("24 clusters cannot be made from 23 vectors"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace contexton::testing
