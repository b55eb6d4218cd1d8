// Tests of the views of rows.
#include "models/rows.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/models/rows_for_tests.hpp"

namespace contexton {
namespace {

TEST(Rows, views_bytes_floats_and_matrices_without_copying) {
  const std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5, 6};
  const Rows of_bytes(bytes, 3);
  EXPECT_EQ(of_bytes.count, 2);
  EXPECT_EQ(of_bytes.type, Rows::Type::uint8);
  EXPECT_EQ(of_bytes.row<std::uint8_t>(1).data(), bytes.data() + 3);

  const std::vector<float> floats{1, 2, 3, 4};
  const Rows of_floats(floats, 1);
  EXPECT_EQ(of_floats.count, 4);
  EXPECT_EQ(of_floats.row<float>(3)[0], 4);

  const Matrix matrix = random_matrix(5, 4, 1);
  const Rows of_matrix = matrix;
  EXPECT_EQ(of_matrix.count, 5);
  EXPECT_EQ(of_matrix.dims, 4);
  EXPECT_EQ(of_matrix.row<float>(2)[3], matrix(2, 3));
}

TEST(Rows, a_slice_starts_at_its_first_row) {
  const std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5, 6};
  const Rows slice = Rows(bytes, 2).slice(1, 3);
  EXPECT_EQ(slice.count, 2);
  EXPECT_EQ(slice.row<std::uint8_t>(1)[1], 6);
  const Matrix matrix = random_matrix(5, 4, 1);
  EXPECT_EQ(Rows(matrix).slice(3, 5).row<float>(0).data(), matrix.row(3).data());
  EXPECT_EQ(Rows(matrix).slice(5, 5).count, 0);
}

TEST(Rows, refuses_a_broken_number_of_values) {
  const std::vector<float> floats(7);
  const std::string message = refusal([&] { return Rows(floats, 2); });
  EXPECT_NE(message.find("7 values"), std::string::npos) << message;
  EXPECT_NE(refusal([&] { return Rows(floats, 0); }), "");
}

}  // namespace
}  // namespace contexton
