// Tests of random subsets.
#include "models/sampling.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/models/rows_for_tests.hpp"

namespace contexton {
namespace {

TEST(Sampling, every_subset_is_equally_likely) {
  std::map<std::vector<std::int64_t>, int> seen;
  const int draws = 20000;
  for (int seed = 0; seed < draws; ++seed)
    ++seen[sample_indices(5, 2, Random(static_cast<std::uint64_t>(seed)))];
  ASSERT_EQ(seen.size(), 10U);
  for (const auto& [subset, count] : seen) {
    EXPECT_LT(subset[0], subset[1]);
    EXPECT_NEAR(count, draws / 10, 5 * std::sqrt(draws / 10.0));  // five standard deviations
  }
}

TEST(Sampling, all_or_nothing_can_be_drawn_but_not_more_than_there_is) {
  EXPECT_EQ(sample_indices(3, 3, Random(1)), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_TRUE(sample_indices(3, 0, Random(1)).empty());
  EXPECT_TRUE(sample_indices(0, 0, Random(1)).empty());
  const std::string message = refusal([] { (void)sample_indices(3, 4, Random(1)); });
  EXPECT_NE(message.find("4 different items out of 3"), std::string::npos) << message;
}

TEST(Sampling, copies_hold_the_chosen_rows) {
  const auto bytes = random_bytes(10, 3, 1);
  const std::vector<std::int64_t> chosen{2, 7, 9};
  const OwnedRows copies(Rows(bytes, 3), chosen);
  ASSERT_EQ(copies.view().count, 3);
  EXPECT_EQ(copies.view().row<std::uint8_t>(1)[2], bytes[7 * 3 + 2]);
  const Matrix floats = random_matrix(10, 4, 1);
  EXPECT_EQ(OwnedRows(floats, chosen).view().row<float>(2)[0], floats(9, 0));
}

}  // namespace
}  // namespace contexton
