// Tests of output.table and output.labels: what other programs read.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pipeline/npy.hpp"
#include "stages/input/delimited.hpp"
#include "stages/output/text_tables.hpp"
#include "tests/stages/one_stage.hpp"
#include "tests/stages/small_sets.hpp"

namespace contexton::testing {
namespace {

Vectors three_items() {
  Matrix values(3, 4);
  values << 0, 0.1F, 0, 1.0F / 3, 2, 0, 0, 0, 1e-30F, 0, -5.5F, 3e10F;
  return Vectors::own(
      items_called({"brick/one.png", "odd, \"name\"\n.png", "plain.png"}, {"brick", "weave, fine", ""}),
      values);
}

TEST(OutputTable, writes_the_formats_asked_for) {
  const Vectors vectors = three_items();
  OneStage all("output.table", nlohmann::ordered_json::object());
  all.run_for_files(&vectors);
  EXPECT_EQ(all.outcome.files, (std::vector<std::string>{".npy", ".csv", ".svmlight"}));
  OneStage one("output.table", {{"formats", {"csv"}}});
  one.run_for_files(&vectors);
  EXPECT_EQ(one.outcome.files, (std::vector<std::string>{".csv"}));
  EXPECT_EQ(OneStage("output.table", {{"formats", nlohmann::ordered_json::array()}}).check().size(), 1U);
  EXPECT_THROW(OneStage("output.table", {{"formats", {"xls"}}}), std::invalid_argument);
}

TEST(OutputTable, npy_holds_the_numbers) {
  const Vectors vectors = three_items();
  OneStage stage("output.table", nlohmann::ordered_json::object());
  stage.run_for_files(&vectors);
  const NpyArray array(stage.file(".npy"));
  EXPECT_EQ(array.rows(), 3);
  EXPECT_EQ(array.cols(), 4);
  EXPECT_EQ(array.values<float>()[3], 1.0F / 3);
}

TEST(OutputTable, csv_quotes_what_needs_it_and_gives_every_number_back) {
  const Vectors vectors = three_items();
  const std::string text = vectors_csv(vectors);
  EXPECT_EQ(text,
            "name,label,0,1,2,3\n"
            "brick/one.png,brick,0,0.1,0,0.33333334\n"
            "\"odd, \"\"name\"\"\n.png\",\"weave, fine\",2,0,0,0\n"
            "plain.png,,1e-30,0,-5.5,30000000000\n");
  RecordReader reader(text, ',');
  std::vector<std::string> cells;
  ASSERT_TRUE(reader.next(cells));
  for (std::int64_t item = 0; item < 3; ++item) {
    ASSERT_TRUE(reader.next(cells));
    ASSERT_EQ(cells.size(), 6U);
    EXPECT_EQ(cells[0], vectors.table->names[static_cast<std::size_t>(item)]);
    for (std::size_t column = 0; column < 4; ++column)
      EXPECT_EQ(std::stof(cells[column + 2]), vectors.rows.row<float>(item)[column]);
  }
  EXPECT_FALSE(reader.next(cells));
}

TEST(OutputTable, csv_cells_are_quoted_only_where_needed) {
  EXPECT_EQ(csv_cell("plain name"), "plain name");
  EXPECT_EQ(csv_cell(""), "");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_cell("two\r\nlines"), "\"two\r\nlines\"");
}

TEST(OutputTable, svmlight_counts_classes_and_columns_from_one) {
  EXPECT_EQ(vectors_svmlight(three_items()),
            "1 2:0.1 4:0.33333334 # brick/one.png\n"
            "2 1:2 # odd, \"name\" .png\n"
            "0 1:1e-30 3:-5.5 4:30000000000 # plain.png\n");
}

TEST(OutputLabels, csv_has_the_columns_that_are_known) {
  EXPECT_EQ(labels_csv(labels_with({2, -1})), "item,label\n0,2\n1,-1\n");
  EXPECT_EQ(labels_csv(labels_with({2, 0}, {0.5F, 0.1F})), "item,label,distance\n0,2,0.5\n1,0,0.1\n");
  Labels labels = labels_with({1, -1, 5}, {0, 1, 2}, "images");
  labels.names = {"brick", "weave, fine"};
  labels.item_names = {"a,b.png", "c.png", "d.png"};
  EXPECT_EQ(labels_csv(labels),
            "item,label,label_name,distance\n"
            "\"a,b.png\",1,\"weave, fine\",0\n"
            "c.png,-1,,1\n"
            "d.png,5,,2\n");
}

TEST(OutputLabels, npy_holds_int32) {
  const Labels labels = labels_with({3, -1, 4});
  OneStage stage("output.labels", nlohmann::ordered_json::object());
  stage.run_for_files(&labels);
  EXPECT_EQ(stage.outcome.files, (std::vector<std::string>{".npy", ".csv"}));
  const NpyArray array(stage.file(".npy"));
  EXPECT_TRUE(array.one_dimensional());
  const auto values = array.values<std::int32_t>();
  EXPECT_EQ(std::vector<std::int32_t>(values.begin(), values.end()), labels.values);
}

}  // namespace
}  // namespace contexton::testing
