// input.vectors: .npy and text tables, names, labels, and numbers that are missing.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pipeline/errors.hpp"
#include "pipeline/npy.hpp"
#include "stages/types/labels.hpp"
#include "stages/types/vectors.hpp"
#include "tests/stages/one_stage.hpp"

namespace contexton {
namespace {

using testing::OneStage;
using testing::TemporaryFolder;
using Json = nlohmann::ordered_json;

class InputVectors : public ::testing::Test {
 protected:
  std::string file(const std::string& name, std::string_view bytes) const {
    write_file(folder.path() / name, bytes);
    return (folder.path() / name).string();
  }
  template <class T>
  std::string npy(const std::string& name, std::vector<T> values, std::int64_t rows,
                  std::int64_t cols) const {
    return file(name, npy_bytes(std::span<const T>(values), rows, cols));
  }
  // What run throws, or "".
  static std::string failure(const Json& params) {
    try {
      OneStage("input.vectors", params).run<Vectors>();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder;
};

std::vector<float> row(const Vectors& vectors, std::size_t i) {
  return vectors.item(i).values;
}

TEST_F(InputVectors, a_table_with_header_gives_rows_names_and_labels) {
  OneStage stage("input.vectors",
                 {{"path", file("t.csv", "id,a,class,b\nx,1,cat,2.5\ny,-3e2,dog,+4\nz,0,cat,0\n")},
                  {"labels", "class"},
                  {"name_column", "id"}});
  EXPECT_TRUE(stage.check().empty());
  const auto vectors = stage.run<Vectors>();
  EXPECT_EQ(vectors.table->names, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(row(vectors, 0), (std::vector<float>{1, 2.5F}));
  EXPECT_EQ(row(vectors, 1), (std::vector<float>{-300, 4}));
  const auto labels = stage.output<Labels>(1);
  EXPECT_EQ(labels.values, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(labels.names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(labels.of, "vectors");
  EXPECT_EQ(labels.item_names, vectors.table->names);
}

TEST_F(InputVectors, a_table_of_numbers_alone_has_no_header) {
  const auto vectors = OneStage("input.vectors", {{"path", file("t.csv", "1;2\n3;4\n")}}).run<Vectors>();
  ASSERT_EQ(vectors.rows.count, 2);
  EXPECT_EQ(row(vectors, 0), (std::vector<float>{1, 2}));
  EXPECT_EQ(vectors.table->names[1], "row_0001");
  EXPECT_FALSE(vectors.table->has_labels());
}

TEST_F(InputVectors, a_header_of_numbers_can_be_declared) {
  const std::string path = file("t.csv", "0,1\n5,6\n");
  EXPECT_EQ(OneStage("input.vectors", {{"path", path}, {"header", "yes"}}).run<Vectors>().rows.count, 1);
  EXPECT_EQ(OneStage("input.vectors", {{"path", path}}).run<Vectors>().rows.count, 2);
}

TEST_F(InputVectors, without_header_a_column_goes_by_its_number) {
  const Json params{
      {"path", file("iris.csv", "5.1,3.5,setosa\n4.9,3.0,virginica\n")}, {"header", "no"}, {"labels", "3"}};
  OneStage stage("input.vectors", params);
  EXPECT_EQ(stage.run<Vectors>().rows.count, 2);
  EXPECT_EQ(stage.output<Labels>(1).names, (std::vector<std::string>{"setosa", "virginica"}));
}

TEST_F(InputVectors, text_where_a_number_should_be_is_an_error_with_line_and_column) {
  const std::string reason = failure({{"path", file("t.csv", "a,b\n1,2\n\n3,four\n")}});
  EXPECT_NE(reason.find("line 4, column 'b': 'four' is not a number"), std::string::npos) << reason;
  EXPECT_NE(failure({{"path", file("u.csv", "a,b\n1,2\n3\n")}}).find("line 3 has 1 cells"),
            std::string::npos);
  EXPECT_NE(failure({{"path", file("v.csv", "a,b\n")}}).find("no rows"), std::string::npos);
}

TEST_F(InputVectors, every_number_type_of_npy_is_read) {
  const auto check = [&]<class T>(T) {
    const std::string path = npy<T>("v.npy", {1, 2, 3, 4, 5, 6}, 3, 2);
    const auto vectors = OneStage("input.vectors", {{"path", path}}).run<Vectors>();
    ASSERT_EQ(vectors.rows.count, 3);
    EXPECT_EQ(row(vectors, 2), (std::vector<float>{5, 6}));
  };
  check(std::uint8_t{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(float{});
  check(double{});
}

TEST_F(InputVectors, float32_npy_is_used_in_place) {
  const std::string path = npy<float>("v.npy", {1, 2, 3, 4}, 2, 2);
  const auto vectors = OneStage("input.vectors", {{"path", path}}).run<Vectors>();
  const auto* mapped = static_cast<const NpyArray*>(vectors.owner.get());
  EXPECT_EQ(vectors.rows.data, mapped->data());
}

TEST_F(InputVectors, labels_come_from_a_second_file) {
  const std::string path = npy<float>("v.npy", {1, 2, 3, 4}, 4, 1);
  OneStage by_number("input.vectors",
                     {{"path", path}, {"labels", npy<std::int64_t>("l.npy", {7, 10, -1, 7}, 4, -1)}});
  by_number.run<Vectors>();
  EXPECT_EQ(by_number.output<Labels>(1).names, (std::vector<std::string>{"10", "7"}));
  EXPECT_EQ(by_number.output<Labels>(1).values, (std::vector<std::int32_t>{1, 0, -1, 1}));
  OneStage by_line("input.vectors",
                   {{"path", path}, {"labels", file("l.txt", "big cat\r\nsmall\n\nbig cat")}});
  by_line.run<Vectors>();
  EXPECT_EQ(by_line.output<Labels>(1).values, (std::vector<std::int32_t>{0, 1, -1, 0}));
  EXPECT_EQ(by_line.output<Labels>(1).names[0], "big cat");
}

TEST_F(InputVectors, a_wrong_number_of_labels_is_an_error) {
  const std::string reason =
      failure({{"path", npy<float>("v.npy", {1, 2, 3, 4}, 4, 1)}, {"labels", file("l.txt", "a\nb\nc\n")}});
  EXPECT_NE(reason.find("has 3 labels for the 4 rows"), std::string::npos) << reason;
}

TEST_F(InputVectors, missing_numbers_stop_the_run_and_are_named) {
  const std::string csv = file("t.csv", "a,b\n1,2\n3,\n5,nan\n");
  const std::string reason = failure({{"path", csv}});
  EXPECT_NE(reason.find("line 3, column 'b' is missing or not finite (2 of 3 rows)"), std::string::npos)
      << reason;
  const float infinite = std::numeric_limits<float>::infinity();
  const std::string in_npy = failure({{"path", npy<float>("v.npy", {1, 2, 3, infinite}, 2, 2)}});
  EXPECT_NE(in_npy.find("element [1, 1]"), std::string::npos) << in_npy;
  EXPECT_NE(failure({{"path", npy<double>("d.npy", {1, 1e300}, 2, 1)}}).find("element [1, 0]"),
            std::string::npos);
}

TEST_F(InputVectors, rows_with_missing_numbers_are_dropped_on_request) {
  OneStage stage("input.vectors", {{"path", file("t.csv", "n,a,b,c\np,1,2,x\nq,,4,y\nr,5,6,y\n")},
                                   {"labels", "c"},
                                   {"name_column", "n"},
                                   {"missing", "drop"}});
  const auto vectors = stage.run<Vectors>();
  EXPECT_EQ(vectors.table->names, (std::vector<std::string>{"p", "r"}));
  EXPECT_EQ(row(vectors, 1), (std::vector<float>{5, 6}));
  EXPECT_EQ(stage.output<Labels>(1).values, (std::vector<std::int32_t>{0, 1}));
  ASSERT_EQ(stage.outcome.ledger.size(), 1U);
  EXPECT_EQ(stage.outcome.ledger[0].item, "q");
  EXPECT_EQ(stage.outcome.ledger[0].what, "skipped");
  EXPECT_NE(stage.outcome.ledger[0].reason.find("line 3, column 'a'"), std::string::npos);
}

TEST_F(InputVectors, nothing_left_is_an_error) {
  EXPECT_NE(failure({{"path", file("t.csv", "a,b\nnan,1\n")}, {"missing", "drop"}}).find("no row is left"),
            std::string::npos);
}

TEST_F(InputVectors, names_must_be_unique) {
  const std::string reason = failure({{"path", file("t.csv", "n,a\nx,1\ny,2\nx,3\n")}, {"name_column", "n"}});
  EXPECT_NE(reason.find("lines 2 and 4 have the same name 'x'"), std::string::npos) << reason;
}

TEST_F(InputVectors, keys_follow_the_numbers) {
  const auto keys = [&](const std::string& text) {
    return OneStage("input.vectors", {{"path", file("t.csv", text)}}).run<Vectors>().table->keys;
  };
  const auto first = keys("1,2\n3,4\n"), other = keys("1,2\n3,5\n"), again = keys("1.0;2\n3;4\n");
  EXPECT_EQ(first, again);
  EXPECT_EQ(first[0], other[0]);
  EXPECT_NE(first[1], other[1]);
}

TEST_F(InputVectors, check_names_what_is_wrong_before_anything_runs) {
  const auto check = [](const Json& params) -> std::string {
    const auto messages = OneStage("input.vectors", params).check();
    return messages.empty() ? "" : messages[0];
  };
  const std::string csv = file("t.csv", "height,width\n1,2\n");
  EXPECT_NE(check({{"path", (folder.path() / "none.csv").string()}}).find("none.csv does not exist"),
            std::string::npos);
  EXPECT_NE(check({{"path", csv}, {"labels", "hieght"}}).find("did you mean 'height'?"), std::string::npos);
  EXPECT_NE(check({{"path", csv}, {"name_column", "id"}}).find("name_column: "), std::string::npos);
  EXPECT_NE(check({{"path", file("x.dat", "1")}}).find("none of .npy, .csv"), std::string::npos);
  EXPECT_NE(check({{"path", file("x.npy", "text")}}).find("not a NumPy"), std::string::npos);
  EXPECT_NE(check({{"path", npy<float>("one.npy", {1, 2}, 2, -1)}}).find("one dimension"), std::string::npos);
  EXPECT_NE(check({{"path", npy<float>("v.npy", {1, 2}, 2, 1)}, {"labels", "class"}}).find("must be a file"),
            std::string::npos);
}

TEST_F(InputVectors, text_of_another_encoding_can_still_be_written_as_json) {
  OneStage stage("input.vectors", {{"path", file("t.csv", "a,c\n1,caf\xE9\n")}, {"labels", "c"}});
  const auto vectors = stage.run<Vectors>();
  EXPECT_EQ(vectors.table->label_names, (std::vector<std::string>{"caf%E9"}));
  EXPECT_NO_THROW(static_cast<void>(to_json(*vectors.table).dump()));
}

}  // namespace
}  // namespace contexton
