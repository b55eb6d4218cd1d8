// input.descriptors: mapped rows, positions, offsets, and what is wrong with them.
#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <cmath>
#include <limits>

#include "pipeline/errors.hpp"
#include "pipeline/npy.hpp"
#include "stages/types/primitives.hpp"
#include "tests/stages/one_stage.hpp"

namespace contexton {
namespace {

using testing::OneStage;
using testing::TemporaryFolder;
using Json = nlohmann::ordered_json;

class InputDescriptors : public ::testing::Test {
 protected:
  template <class T>
  std::string npy(const std::string& name, const std::vector<T>& values, std::int64_t rows,
                  std::int64_t cols) const {
    write_file(folder.path() / name, npy_bytes(std::span<const T>(values), rows, cols));
    return (folder.path() / name).string();
  }
  // rows x dims bytes that count up.
  std::string bytes(const std::string& name, std::int64_t rows, std::int64_t dims) const {
    std::vector<std::uint8_t> values(static_cast<std::size_t>(rows * dims));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i);
    return npy(name, values, rows, dims);
  }
  std::string offsets(const std::vector<std::int64_t>& values) const {
    return npy("offsets.npy", values, static_cast<std::int64_t>(values.size()), -1);
  }
  static Primitives run(const Json& params) {
    return OneStage("input.descriptors", params).run<Primitives>();
  }
  // What run throws, or "". The check before the run must say the same of everything but the numbers.
  static std::string failure(const Json& params) {
    try {
      run(params);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  static std::string check(const Json& params) {
    const auto messages = OneStage("input.descriptors", params).check();
    return messages.empty() ? "" : messages[0];
  }

  TemporaryFolder folder;
};

TEST_F(InputDescriptors, rows_are_used_where_the_file_is_mapped) {
  const auto primitives = run({{"path", bytes("d.npy", 6, 4)}, {"offsets", offsets({0, 2, 2, 6})}});
  ASSERT_EQ(primitives.size(), 6);
  EXPECT_EQ(primitives.table->names, (std::vector<std::string>{"image_0000", "image_0001", "image_0002"}));
  EXPECT_EQ(primitives.item(0).size(), 2U);
  EXPECT_EQ(primitives.item(1).size(), 0U);
  const ImagePrimitives last = primitives.item(2);
  EXPECT_EQ(last.first_row, 2);
  EXPECT_EQ(last.descriptors.row<std::uint8_t>(0)[0], 8);
  // 128 bytes of header before the numbers, at the beginning of a page: a map, not a copy.
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(primitives.descriptors.data) % 4096, kNpyHeaderSize);
}

TEST_F(InputDescriptors, without_offsets_all_rows_are_one_image) {
  const auto primitives = run({{"path", npy<float>("d.npy", {1, 2, 3, 4, 5, 6}, 3, 2)}});
  EXPECT_EQ(primitives.offsets, (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(primitives.descriptors.type, Rows::Type::float32);
  EXPECT_EQ(primitives.sizes[0], std::pair(0, 0));
  EXPECT_EQ(primitives.keypoints.size(), 3U);
}

TEST_F(InputDescriptors, positions_of_two_to_four_columns_become_keypoints) {
  const std::string path = bytes("d.npy", 2, 3);
  const auto xy = run({{"path", path}, {"positions", npy<std::int32_t>("p.npy", {10, 20, 30, 5}, 2, 2)}});
  EXPECT_EQ(xy.keypoints[1].x, 30);
  EXPECT_EQ(xy.keypoints[1].scale, 1);
  EXPECT_EQ(xy.sizes[0], std::pair(31, 21));
  const auto all =
      run({{"path", path}, {"positions", npy<double>("p.npy", {1, 2, 3, 0.5, 4, 5, 6, -0.5}, 2, 4)}});
  EXPECT_EQ(all.keypoints[0].scale, 3);
  EXPECT_EQ(all.keypoints[1].angle, -0.5F);
}

TEST_F(InputDescriptors, offsets_that_do_not_cut_the_rows_into_images_are_refused) {
  const std::string path = bytes("d.npy", 6, 4);
  const auto both = [&](const std::vector<std::int64_t>& values) {
    const Json params{{"path", path}, {"offsets", offsets(values)}};
    EXPECT_EQ("offsets: " + failure(params), check(params));
    return failure(params);
  };
  EXPECT_NE(both({0, 4, 3, 6}).find("goes down from 4 to 3 at element 2"), std::string::npos);
  EXPECT_NE(both({1, 6}).find("the first offset is 0"), std::string::npos);
  EXPECT_NE(both({0, 5}).find("the last offset is the number of descriptors, 6"), std::string::npos);
  EXPECT_NE(both({0, 7}).find("not a row between 0 and 6"), std::string::npos);
  EXPECT_NE(both({0, -2, 6}).find("offset -2"), std::string::npos);
  EXPECT_NE(both({0}).find("at least two"), std::string::npos);
  EXPECT_NE(failure({{"path", path}, {"offsets", npy<float>("o.npy", {0, 6}, 2, -1)}}).find("are integers"),
            std::string::npos);
}

TEST_F(InputDescriptors, files_of_the_wrong_kind_or_shape_are_refused) {
  const std::string path = bytes("d.npy", 6, 4);
  EXPECT_NE(check({{"path", npy<double>("f8.npy", {1, 2}, 1, 2)}})
                .find("float64; descriptors are uint8 or float32"),
            std::string::npos);
  EXPECT_NE(check({{"path", npy<float>("one.npy", {1, 2}, 2, -1)}}).find("one dimension"), std::string::npos);
  EXPECT_NE(check({{"path", npy<float>("none.npy", {}, 0, 4)}}).find("is empty: 0 x 4"), std::string::npos);
  EXPECT_NE(check({{"path", (folder.path() / "missing.npy").string()}}).find("missing.npy"),
            std::string::npos);
  EXPECT_NE(
      check({{"path", path}, {"positions", npy<float>("p.npy", {1, 2, 3, 4}, 2, 2)}}).find("2 rows for 6"),
      std::string::npos);
  EXPECT_NE(check({{"path", path}, {"positions", npy<float>("q.npy", std::vector<float>(6), 6, 1)}})
                .find("1 columns"),
            std::string::npos);
}

TEST_F(InputDescriptors, numbers_that_are_not_finite_are_named) {
  std::vector<float> values(30, 1.0F);
  values[17] = std::numeric_limits<float>::quiet_NaN();
  values[25] = -std::numeric_limits<float>::infinity();
  EXPECT_NE(failure({{"path", npy("d.npy", values, 10, 3)}}).find("element [5, 2] is nan"),
            std::string::npos);
  values[17] = 0;
  EXPECT_NE(failure({{"path", npy("d.npy", values, 10, 3)}}).find("element [8, 1] is -inf"),
            std::string::npos);
  const std::string positions = npy<float>("p.npy", {1, 2, 3, std::nanf("")}, 2, 2);
  EXPECT_NE(failure({{"path", bytes("b.npy", 2, 3)}, {"positions", positions}}).find("row 1"),
            std::string::npos);
  const std::string flat = npy<float>("s.npy", {1, 2, 0, 1, 2, 1}, 2, 3);
  EXPECT_NE(failure({{"path", bytes("b.npy", 2, 3)}, {"positions", flat}}).find("row 0"), std::string::npos);
}

TEST_F(InputDescriptors, keys_follow_the_content_of_each_image) {
  std::vector<std::uint8_t> values(24, 1);
  const auto keys = [&](const Json& more) {
    Json params{{"path", npy("d.npy", values, 6, 4)}, {"offsets", offsets({0, 2, 6})}};
    params.update(more);
    return run(params).table->keys;
  };
  const auto before = keys(Json::object());
  values[20] = 2;
  const auto after = keys(Json::object());
  EXPECT_EQ(before[0], after[0]);
  EXPECT_NE(before[1], after[1]);
  const auto placed = keys({{"positions", npy<float>("p.npy", {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 6, 2)}});
  EXPECT_NE(placed[0], after[0]);
  EXPECT_EQ(placed[1], after[1]);
}

TEST_F(InputDescriptors, keys_do_not_depend_on_the_number_of_threads) {
  const Json params{{"path", bytes("d.npy", 100000, 8)}, {"offsets", offsets({0, 10, 70000, 100000})}};
  std::vector<std::vector<Key>> keys;
  for (const std::size_t threads : {1, 2, 8}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    keys.push_back(run(params).table->keys);
  }
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(keys[0], keys[2]);
}

}  // namespace
}  // namespace contexton
