// features.dense_sift against direct calls of vl_dsift, its grid, its options, and images too small for it.
#include "stages/features/dense_sift.hpp"

#include <vl/dsift.h>

#include <algorithm>
#include <map>

#include "stages/features/dense_sift_workspace.hpp"
#include "stages/features/descriptor_bytes.hpp"
#include "tests/stages/feature_images.hpp"
#include "tests/stages/one_stage.hpp"

namespace contexton {
namespace {

using namespace testing;
using Json = nlohmann::ordered_json;

ImagePrimitives dense(const Image& image, const Json& params = Json::object(), std::uint64_t seed = 0) {
  OneStage stage("features.dense_sift", params);
  stage.services.seed = seed;
  return stage.run<ImagePrimitives>(&image);
}

ImagePrimitives dense(const cv::Mat& pixels, const Json& params = Json::object(), std::uint64_t seed = 0) {
  return dense(image_of(pixels), params, seed);
}

struct Reference {
  std::vector<VlDsiftKeypoint> frames;
  std::vector<float> rows;
};

// A Gaussian cut off at 4 sigma over replicated borders, from its definition: vl_imsmooth of VLFeat's
// toolbox.
cv::Mat smoothed_slowly(const cv::Mat& values, double sigma) {
  const int reach = static_cast<int>(std::ceil(4 * sigma));
  cv::Mat result(values.size(), CV_32F);
  for (int y = 0; y < values.rows; ++y)
    for (int x = 0; x < values.cols; ++x) {
      double sum = 0, weights = 0;
      for (int dy = -reach; dy <= reach; ++dy)
        for (int dx = -reach; dx <= reach; ++dx) {
          const double weight = std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
          sum += weight * values.at<float>(std::clamp(y + dy, 0, values.rows - 1),
                                           std::clamp(x + dx, 0, values.cols - 1));
          weights += weight;
        }
      result.at<float>(y, x) = static_cast<float>(sum / weights);
    }
  return result;
}

// A fresh filter for every call, the way VLFeat's own programs use it.
Reference vlfeat(const cv::Mat& gray, int bin_size, int step, int offset, bool flat_window,
                 double sigma = 0) {
  cv::Mat values;
  gray.convertTo(values, CV_32F, 1 / 255.0);
  if (sigma > 0) values = smoothed_slowly(values, sigma);
  VlDsiftFilter* const filter = vl_dsift_new_basic(gray.cols, gray.rows, step, bin_size);
  vl_dsift_set_flat_window(filter, flat_window ? VL_TRUE : VL_FALSE);
  vl_dsift_set_bounds(filter, offset, offset, gray.cols - 1, gray.rows - 1);
  vl_dsift_process(filter, values.ptr<float>());
  const auto frames = static_cast<std::size_t>(vl_dsift_get_keypoint_num(filter));
  const VlDsiftKeypoint* const frame = vl_dsift_get_keypoints(filter);
  const float* const rows = vl_dsift_get_descriptors(filter);
  Reference reference{{frame, frame + frames}, {rows, rows + frames * kSiftDims}};
  vl_dsift_delete(filter);
  return reference;
}

void expect_rows(const ImagePrimitives& ours, std::size_t first, const Reference& theirs, double tolerance) {
  ASSERT_GE(ours.size(), first + theirs.frames.size());
  for (std::size_t i = 0; i < theirs.frames.size(); ++i) {
    ASSERT_EQ(ours.keypoints[first + i].x, static_cast<float>(theirs.frames[i].x));
    ASSERT_EQ(ours.keypoints[first + i].y, static_cast<float>(theirs.frames[i].y));
    const auto row = ours.descriptors.row<float>(static_cast<std::int64_t>(first + i));
    for (std::size_t d = 0; d < kSiftDims; ++d)
      ASSERT_NEAR(row[d], theirs.rows[i * kSiftDims + d], tolerance) << i << ' ' << d;
  }
}

TEST(DenseSift, gives_the_very_numbers_of_vl_dsift) {
  const cv::Mat gray = blobs(131, 97, 1);
  for (const bool flat : {true, false})
    for (const int bin : {1, 3, 4, 8}) {
      const auto ours = dense(gray, {{"bin_sizes", {bin}},
                                     {"step", 5},
                                     {"flat_window", flat},
                                     {"magnification", 0},
                                     {"descriptor", "float32"}});
      const auto theirs = vlfeat(gray, bin, 5, 0, flat);
      ASSERT_EQ(ours.size(), theirs.frames.size());
      expect_rows(ours, 0, theirs, 0);
    }
}

TEST(DenseSift, smooths_as_phow_does) {
  const cv::Mat gray = blobs(150, 110, 2);
  for (const int bin : {4, 8}) {
    const auto ours = dense(gray, {{"bin_sizes", {bin}}, {"descriptor", "float32"}});
    const auto theirs = vlfeat(gray, bin, 8, 0, true, bin / 6.0);
    ASSERT_EQ(ours.size(), theirs.frames.size());
    expect_rows(ours, 0, theirs, 1e-5);  // another order of summation
    const auto unsmoothed = vlfeat(gray, bin, 8, 0, true);
    EXPECT_GT(std::abs(unsmoothed.rows[5] - ours.descriptors.row<float>(0)[5]), 1e-3);
  }
}

TEST(DenseSift, grids_of_several_sizes_share_their_centres) {
  const cv::Mat gray = blobs(140, 120, 3);
  const auto ours = dense(gray, {{"bin_sizes", {8, 4, 6}}, {"magnification", 0}, {"descriptor", "float32"}});
  std::map<float, std::vector<std::pair<float, float>>> centres;
  for (const Keypoint& k : ours.keypoints) centres[k.scale].emplace_back(k.x, k.y);
  ASSERT_EQ(centres.size(), 3U);
  ASSERT_TRUE(centres.contains(4 / 3.0F) && centres.contains(6 / 3.0F) && centres.contains(8 / 3.0F));
  for (const auto& centre : centres[8 / 3.0F])
    for (const float scale : {4 / 3.0F, 6 / 3.0F})
      EXPECT_EQ(std::count(centres[scale].begin(), centres[scale].end(), centre), 1);
  EXPECT_EQ(centres[8 / 3.0F][0], std::pair(12.0F, 12.0F));

  std::size_t first = 0;
  for (const auto& [bin, offset] : {std::pair(4, 6), std::pair(6, 3), std::pair(8, 0)}) {
    const auto theirs = vlfeat(gray, bin, 8, offset, true);
    expect_rows(ours, first, theirs, 0);
    first += theirs.frames.size();
  }
  EXPECT_EQ(ours.size(), first);
}

TEST(DenseSift, odd_and_even_sizes_are_at_most_half_a_pixel_apart) {
  const auto ours = dense(blobs(80, 80, 3), {{"bin_sizes", {3, 8}}});
  EXPECT_EQ(ours.keypoints.front().x, 11.5F);  // 7 + 1.5 x 3
  EXPECT_EQ(std::find_if(ours.keypoints.begin(), ours.keypoints.end(),
                         [](const Keypoint& k) { return k.scale > 2; })
                ->x,
            12.0F);
}

TEST(DenseSift, buffers_kept_from_other_images_change_nothing) {
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    const int width = 14 + static_cast<int>(random.below(120)),
              height = 14 + static_cast<int>(random.below(120));
    const int step = 1 + static_cast<int>(random.below(12));
    const int bin = 2 + static_cast<int>(random.below(3));
    const bool flat = random.below(2) == 0;
    const cv::Mat gray = blobs(width, height, static_cast<std::uint64_t>(round));
    const auto ours = dense(gray, {{"bin_sizes", {bin}},
                                   {"step", step},
                                   {"magnification", 0},
                                   {"flat_window", flat},
                                   {"descriptor", "float32"}});
    const auto theirs = vlfeat(gray, bin, step, 0, flat);
    ASSERT_EQ(ours.size(), theirs.frames.size());
    expect_rows(ours, 0, theirs, 0);
  }
}

TEST(DenseSift, values_are_ordered_by_bin_row_bin_column_and_orientation) {
  // Brightness rises to the right in the left half, downwards in the right half, both of one slope.
  cv::Mat gray(25, 26, CV_8U);
  for (int y = 0; y < gray.rows; ++y)
    for (int x = 0; x < gray.cols; ++x)
      gray.at<std::uint8_t>(y, x) = cv::saturate_cast<std::uint8_t>(x < 13 ? 6 * x : 60 + 6 * y);
  const auto ours =
      dense(gray, {{"bin_sizes", {8}}, {"step", 1}, {"magnification", 0}, {"descriptor", "float32"}});
  ASSERT_GE(ours.size(), 1U);
  const auto row = ours.descriptors.row<float>(0);
  for (std::size_t bin_row = 0; bin_row < 4; ++bin_row) {
    const auto strongest = [&](std::size_t column) {
      const auto bin = row.subspan(8 * (4 * bin_row + column), 8);
      return std::max_element(bin.begin(), bin.end()) - bin.begin();
    };
    EXPECT_EQ(strongest(0), 0) << "to the right";
    EXPECT_EQ(strongest(3), 2) << "downwards";
  }
}

TEST(DenseSift, uint8_is_512_times_float32_rounded_and_clipped) {
  const cv::Mat gray = blobs(120, 90, 5);
  const auto floats = dense(gray, {{"descriptor", "float32"}}), bytes = dense(gray);
  ASSERT_EQ(bytes.size(), floats.size());
  ASSERT_EQ(bytes.descriptors.type, Rows::Type::uint8);
  for (std::int64_t i = 0; i < floats.descriptors.count; ++i) {
    EXPECT_NEAR(norm_of(floats.descriptors.row<float>(i)), 1, 1e-3);
    for (std::size_t d = 0; d < kSiftDims; ++d)
      EXPECT_EQ(bytes.descriptors.row<std::uint8_t>(i)[d],
                std::clamp(std::nearbyint(512 * floats.descriptors.row<float>(i)[d]), 0.0F, 255.0F));
  }
}

TEST(DenseSift, root_sift_has_unit_norm_and_follows_its_definition) {
  const cv::Mat gray = blobs(120, 90, 6);
  const auto plain = dense(gray, {{"descriptor", "float32"}});
  const auto root = dense(gray, {{"descriptor", "float32"}, {"root_sift", true}});
  ASSERT_EQ(root.size(), plain.size());
  for (std::int64_t i = 0; i < root.descriptors.count; ++i) {
    const auto before = plain.descriptors.row<float>(i), after = root.descriptors.row<float>(i);
    double sum = 0;
    for (const float value : before) sum += std::max(value, 0.0F);
    EXPECT_NEAR(norm_of(after), 1, 1e-5);
    for (std::size_t d = 0; d < kSiftDims; ++d)
      EXPECT_NEAR(after[d], std::sqrt(std::max(before[d], 0.0F) / sum), 1e-6);
  }
}

TEST(DenseSift, a_constant_image_has_rows_of_zeros) {
  const cv::Mat constant(70, 90, CV_8U, cv::Scalar(77));
  for (const bool root : {false, true}) {
    const auto ours = dense(constant, {{"root_sift", root}});
    ASSERT_GT(ours.size(), 0U);
    for (std::int64_t i = 0; i < ours.descriptors.count; ++i)
      for (const int value : ours.descriptors.row<std::uint8_t>(i)) EXPECT_EQ(value, 0);
  }
}

TEST(DenseSift, the_contrast_floor_drops_or_blanks_flat_places) {
  cv::Mat gray = blobs(160, 100, 7);
  gray.colRange(80, 160).setTo(100);
  const Json plain{{"bin_sizes", {4}}, {"magnification", 0}, {"descriptor", "float32"}};
  Json floor = plain, blank = plain;
  floor["contrast_floor"] = blank["contrast_floor"] = 0.005;
  blank["keep_flat"] = true;
  const auto all = dense(gray, plain), some = dense(gray, floor), blanked = dense(gray, blank);
  const auto theirs = vlfeat(gray, 4, 8, 0, true);
  const auto above = [](const VlDsiftKeypoint& frame) { return frame.norm >= 0.005; };
  const auto expected = std::count_if(theirs.frames.begin(), theirs.frames.end(), above);
  ASSERT_GT(expected, 0);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(some.size()), expected);
  EXPECT_LT(some.size(), all.size());
  EXPECT_TRUE(is_subsequence(some, all));
  ASSERT_EQ(blanked.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(same_keypoint(blanked.keypoints[i], all.keypoints[i]));
    if (above(theirs.frames[i]))
      EXPECT_TRUE(same_row(blanked, i, all, i));
    else
      EXPECT_EQ(norm_of(blanked.descriptors.row<float>(static_cast<std::int64_t>(i))), 0);
  }
}

TEST(DenseSift, nothing_is_described_where_the_mask_is_zero) {
  Image image = image_of(blobs(120, 100, 8));
  const auto everywhere = dense(image);
  image.mask = cv::Mat::zeros(image.pixels.size(), CV_8U);
  image.mask.rowRange(30, 60).setTo(255);
  const auto masked = dense(image);
  const auto inside =
      std::count_if(everywhere.keypoints.begin(), everywhere.keypoints.end(),
                    [](const Keypoint& k) { return std::lround(k.y) >= 30 && std::lround(k.y) < 60; });
  ASSERT_GT(inside, 0);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(masked.size()), inside);
  EXPECT_TRUE(is_subsequence(masked, everywhere));
}

TEST(DenseSift, max_per_image_is_a_seeded_subset_in_order) {
  const cv::Mat gray = blobs(150, 120, 9);
  const auto all = dense(gray, Json::object(), 1);
  const auto some = dense(gray, {{"max_per_image", 50}}, 1);
  ASSERT_GT(all.size(), 200U);
  EXPECT_EQ(some.size(), 50U);
  EXPECT_TRUE(is_subsequence(some, all));
  EXPECT_TRUE(same_primitives(dense(gray, {{"max_per_image", 50}}, 1), some));
  EXPECT_FALSE(same_primitives(dense(gray, {{"max_per_image", 50}}, 2), some));
  EXPECT_TRUE(same_primitives(dense(gray, {{"max_per_image", all.size()}}, 2), all));
}

TEST(DenseSift, max_per_image_prefers_no_place) {
  const cv::Mat gray = blobs(40, 40, 10);
  DenseSiftOptions options;
  options.bin_sizes = {4};
  options.max_per_image = 4;
  std::map<std::pair<float, float>, int> chosen;
  constexpr int kSeeds = 800;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    for (const Keypoint& k : dense_sift(gray, {}, options, seed).keypoints) ++chosen[{k.x, k.y}];
  ASSERT_EQ(chosen.size(), 16U);
  // 4 of 16 places: 200 times each, give or take five standard deviations.
  for (const auto& [place, times] : chosen) EXPECT_NEAR(times, kSeeds / 4, 5 * std::sqrt(kSeeds * 3 / 16.0));
}

TEST(DenseSift, images_smaller_than_a_descriptor_have_no_primitives_and_say_so) {
  for (const cv::Size size : odd_sizes()) {
    const Image image = image_of(checkerboard(size.width, size.height, 1));
    OneStage stage("features.dense_sift", Json::object());
    stage.item.name = "tiny.png";
    const auto ours = stage.run<ImagePrimitives>(&image);
    EXPECT_EQ(ours.size(), 0U) << size;
    EXPECT_EQ(ours.descriptors.dims, kSiftDims);
    ASSERT_EQ(stage.outcome.ledger.size(), 1U);
    EXPECT_EQ(stage.outcome.ledger[0].item, "tiny.png");
    EXPECT_NE(stage.outcome.ledger[0].reason.find("13 x 13"), std::string::npos);
  }
}

TEST(DenseSift, a_size_that_does_not_fit_leaves_the_others) {
  EXPECT_EQ(dense(blobs(13, 13, 1)).size(), 1U);
  const auto narrow = dense(blobs(20, 200, 1));
  ASSERT_GT(narrow.size(), 0U);
  for (const Keypoint& k : narrow.keypoints) EXPECT_EQ(k.scale, 4 / 3.0F);
  EXPECT_EQ(narrow.keypoints[0].x, 6.0F);
  EXPECT_EQ(dense(blobs(25, 25, 1)).size(), 2U);
}

TEST(DenseSift, odd_shapes_stay_inside_the_image) {
  for (const cv::Mat& image : {checkerboard(128, 96, 8), checkerboard(64, 64, 1), blobs(2000, 13, 1),
                               blobs(13, 2000, 1), blobs(26, 25, 1)})
    for (const int step : {1, 3, 1000}) {
      const auto ours = dense(image, {{"step", step}});
      EXPECT_GT(ours.size(), 0U);
      EXPECT_TRUE(lies_inside(ours));
    }
}

TEST(DenseSift, a_part_of_a_larger_image_is_described_like_its_copy) {
  const cv::Mat large = blobs(200, 200, 11);
  const cv::Mat view = large(cv::Rect(31, 17, 90, 70));
  EXPECT_TRUE(same_primitives(dense(view), dense(view.clone())));
}

TEST(DenseSift, the_same_primitives_whatever_the_number_of_threads) {
  expect_the_same_on_many_threads([](const cv::Mat& image) {
    return dense(image, {{"max_per_image", 60}, {"step", 5}}, 3);
  });
}

TEST(DenseSift, images_with_buffers_too_large_to_keep_come_out_right_too) {
  const cv::Mat large = checkerboard(2048, 2048, 8), small = blobs(60, 50, 12);
  const auto expected = dense(small);
  const auto first = dense(large, {{"step", 64}});
  EXPECT_TRUE(same_primitives(dense(small), expected));
  EXPECT_TRUE(same_primitives(dense(large, {{"step", 64}}), first));
}

TEST(DenseSiftWorkspace, holds_what_the_largest_image_needed_until_told_to_shrink) {
  DenseSiftWorkspace workspace;
  EXPECT_EQ(workspace.bytes(), 0U);
  workspace.set_image(blobs(100, 80, 1));
  (void)workspace.describe({4, 0, 4}, 1, true);
  const std::size_t held = workspace.bytes();
  EXPECT_GT(held, std::size_t{12} * 100 * 80 * sizeof(float));
  workspace.set_image(blobs(80, 100, 1));
  (void)workspace.describe({8, 0, 4}, 1, true);
  EXPECT_EQ(workspace.bytes(), held);
  workspace.shrink_to(held);
  EXPECT_EQ(workspace.bytes(), held);
  workspace.shrink_to(held - 1);
  EXPECT_EQ(workspace.bytes(), 0U);
}

TEST(DenseSift, its_own_check_finds_what_ranges_cannot_say) {
  EXPECT_TRUE(OneStage("features.dense_sift", Json::object()).check().empty());
  EXPECT_EQ(OneStage("features.dense_sift", {{"bin_sizes", Json::array()}}).check().size(), 1U);
  EXPECT_EQ(OneStage("features.dense_sift", {{"bin_sizes", {4, 8, 4}}}).check().size(), 1U);
  EXPECT_EQ(OneStage("features.dense_sift", {{"magnification", 0.001}}).check().size(), 1U);
  EXPECT_TRUE(OneStage("features.dense_sift", {{"magnification", 0}}).check().empty());
}

TEST(DenseSift, the_plan_is_close_to_what_is_made) {
  const StageType* const type = Registry::global().find("features.dense_sift");
  const auto stage = type->create();
  Estimate images;
  images.items = 1;
  images.pixels = images.largest_item_pixels = 1024 * 768;
  const Estimate expected = type->estimate(stage.get(), std::span(&images, 1));
  EXPECT_EQ(expected.row_bytes, 128 + 16);
  EXPECT_NEAR(expected.rows, static_cast<double>(dense(blobs(1024, 768, 1)).size()), 0.05 * expected.rows);
}

}  // namespace
}  // namespace contexton
