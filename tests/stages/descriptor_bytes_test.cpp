// Conversions of descriptors, against their definitions.
#include "stages/features/descriptor_bytes.hpp"

#include <cmath>
#include <numeric>

#include "models/random.hpp"
#include "tests/stages/feature_images.hpp"

namespace contexton {
namespace {

using testing::norm_of;

std::vector<float> random_rows(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(rows * kSiftDims);
  for (float& value : values) value = static_cast<float>(random.uniform());
  return values;
}

TEST(DescriptorBytes, a_byte_is_512_times_the_value_rounded_and_clipped) {
  std::vector<float> values(kSiftDims * 40);
  Random random(3);
  for (float& value : values) value = static_cast<float>(random.uniform(0, 0.6));
  // Ties, their neighbours and both ends.
  const float special[] = {
      0,   0.5F, 1.5F,   2.5F, std::nextafter(0.5F, 0.0F), std::nextafter(0.5F, 1.0F), 254.5F, 255, 255.4F,
      512, 1e6F, -1e-4F, -3};
  for (std::size_t i = 0; i < std::size(special); ++i) values[i] = special[i] / 512;
  std::vector<std::uint8_t> bytes(values.size(), 77);
  to_descriptor_bytes(values, bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exact = std::min(255.0, std::max(0.0, std::nearbyint(512.0 * values[i])));
    EXPECT_EQ(bytes[i], static_cast<int>(exact)) << values[i];
  }
}

TEST(DescriptorBytes, no_rows_are_no_bytes) {
  std::vector<std::uint8_t> bytes;
  to_descriptor_bytes({}, bytes);
  EXPECT_TRUE(bytes.empty());
}

TEST(DescriptorBytes, unit_norm_rows_keep_their_direction) {
  const auto before = random_rows(5, 1);
  auto after = before;
  make_unit_norm(after);
  for (std::size_t row = 0; row < 5; ++row) {
    const auto old = std::span(before).subspan(row * kSiftDims, kSiftDims);
    const auto now = std::span<const float>(after).subspan(row * kSiftDims, kSiftDims);
    EXPECT_NEAR(norm_of(now), 1, 1e-6);
    for (std::size_t i = 0; i < kSiftDims; ++i) EXPECT_NEAR(now[i], old[i] / norm_of(old), 1e-6);
  }
}

TEST(DescriptorBytes, root_sift_is_the_square_root_of_the_l1_normalised_row) {
  const auto before = random_rows(5, 2);
  auto after = before;
  make_root_sift(after);
  for (std::size_t row = 0; row < 5; ++row) {
    const auto old = std::span(before).subspan(row * kSiftDims, kSiftDims);
    const auto now = std::span<const float>(after).subspan(row * kSiftDims, kSiftDims);
    const double sum = std::accumulate(old.begin(), old.end(), 0.0);
    EXPECT_NEAR(norm_of(now), 1, 1e-6);
    for (std::size_t i = 0; i < kSiftDims; ++i) EXPECT_NEAR(now[i], std::sqrt(old[i] / sum), 1e-6);
  }
}

TEST(DescriptorBytes, rows_of_zeros_stay_zero_and_negative_values_count_as_zero) {
  std::vector<float> zeros(2 * kSiftDims, 0);
  make_unit_norm(zeros);
  make_root_sift(zeros);
  EXPECT_EQ(zeros, std::vector<float>(2 * kSiftDims, 0));

  std::vector<float> row(kSiftDims, -0.25F);
  row[3] = 4;
  make_root_sift(row);
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(row[i], i == 3 ? 1.0F : 0.0F);
}

}  // namespace
}  // namespace contexton
