// features.sift against OpenCV itself, its options, and images without anything to find.
#include <algorithm>
#include <map>
#include <numbers>
#include <opencv2/features2d.hpp>
#include <set>

#include "stages/features/descriptor_bytes.hpp"
#include "tests/stages/feature_images.hpp"
#include "tests/stages/one_stage.hpp"

namespace contexton {
namespace {

using namespace testing;
using Json = nlohmann::ordered_json;

ImagePrimitives sift(const Image& image, const Json& params = Json::object()) {
  OneStage stage("features.sift", params);
  return stage.run<ImagePrimitives>(&image);
}

ImagePrimitives sift(const cv::Mat& pixels, const Json& params = Json::object()) {
  return sift(image_of(pixels), params);
}

struct Found {
  cv::KeyPoint keypoint;
  std::vector<float> descriptor;  // as OpenCV gives it: 0 .. 255
};

bool in_result_order(const Found& a, const Found& b) {
  return std::tie(a.keypoint.pt.y, a.keypoint.pt.x, a.keypoint.size, a.keypoint.angle) <
         std::tie(b.keypoint.pt.y, b.keypoint.pt.x, b.keypoint.size, b.keypoint.angle);
}

std::vector<Found> opencv_sift(const cv::Mat& gray) {
  std::vector<cv::KeyPoint> keypoints;
  cv::Mat descriptors;
  cv::SIFT::create()->detectAndCompute(gray, {}, keypoints, descriptors);
  std::vector<Found> found;
  for (int i = 0; i < descriptors.rows; ++i)
    found.push_back({keypoints[static_cast<std::size_t>(i)], descriptors.row(i)});
  std::sort(found.begin(), found.end(), in_result_order);
  return found;
}

void expect_equal(const ImagePrimitives& ours, const std::vector<Found>& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  ASSERT_EQ(ours.descriptors.dims, kSiftDims);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const cv::KeyPoint& keypoint = theirs[i].keypoint;
    EXPECT_EQ(ours.keypoints[i].x, keypoint.pt.x);
    EXPECT_EQ(ours.keypoints[i].y, keypoint.pt.y);
    EXPECT_FLOAT_EQ(2 * ours.keypoints[i].scale, keypoint.size);
    EXPECT_NEAR(ours.keypoints[i].angle, keypoint.angle / 180 * std::numbers::pi, 1e-5);
    const auto row = ours.descriptors.row<std::uint8_t>(static_cast<std::int64_t>(i));
    EXPECT_TRUE(std::equal(row.begin(), row.end(), theirs[i].descriptor.begin(), theirs[i].descriptor.end()));
  }
}

TEST(Sift, finds_and_describes_what_opencv_does) {
  const cv::Mat gray = blobs(320, 240, 1);
  const auto theirs = opencv_sift(gray);
  ASSERT_GT(theirs.size(), 100U);
  expect_equal(sift(gray), theirs);
}

TEST(Sift, a_colour_image_is_described_as_its_gray_version) {
  const cv::Mat gray = blobs(160, 120, 2);
  cv::Mat colour;
  cv::cvtColor(gray, colour, cv::COLOR_GRAY2BGR);
  EXPECT_TRUE(same_primitives(sift(colour), sift(gray)));
}

TEST(Sift, thresholds_and_layers_reach_opencv) {
  const cv::Mat gray = blobs(200, 200, 3);
  const std::size_t usual = sift(gray).size();
  EXPECT_LT(sift(gray, {{"contrast_threshold", 0.1}}).size(), usual);
  EXPECT_LT(sift(gray, {{"edge_threshold", 1.5}}).size(), usual);
  EXPECT_NE(sift(gray, {{"octave_layers", 5}}).size(), usual);
  EXPECT_NE(sift(gray, {{"sigma", 2.5}}).size(), usual);
}

TEST(Sift, the_scale_range_is_in_pixels_of_gaussian_sigma) {
  // A Gaussian blob of sigma s is an extremum of the difference of Gaussians near sigma = s.
  for (const double sigma : {3.0, 6.0, 10.0}) {
    cv::Mat gray(200, 200, CV_8U);
    for (int y = 0; y < 200; ++y)
      for (int x = 0; x < 200; ++x)
        gray.at<std::uint8_t>(y, x) = cv::saturate_cast<std::uint8_t>(
            30 + 200 * std::exp(-((x - 100) * (x - 100) + (y - 100) * (y - 100)) / (2 * sigma * sigma)));
    const auto all = sift(gray);
    const auto at_blob = sift(gray, {{"scale", {0.8 * sigma, 1.3 * sigma}}});
    ASSERT_GE(at_blob.size(), 1U) << sigma;
    EXPECT_TRUE(is_subsequence(at_blob, all));
    EXPECT_NEAR(at_blob.keypoints[0].x, 100, 1);
    EXPECT_NEAR(at_blob.keypoints[0].y, 100, 1);
  }
}

TEST(Sift, the_scale_range_keeps_exactly_what_lies_in_it) {
  const cv::Mat gray = blobs(320, 240, 4);
  const auto all = sift(gray), some = sift(gray, {{"scale", {1, 2}}});
  const auto inside = std::count_if(all.keypoints.begin(), all.keypoints.end(),
                                    [](const Keypoint& k) { return k.scale >= 1 && k.scale <= 2; });
  EXPECT_GT(inside, 0);
  EXPECT_LT(inside, static_cast<std::ptrdiff_t>(all.size()));
  EXPECT_EQ(static_cast<std::ptrdiff_t>(some.size()), inside);
  EXPECT_TRUE(is_subsequence(some, all));
}

TEST(Sift, max_per_image_keeps_the_strongest_and_breaks_ties_by_place) {
  const cv::Mat tile = blobs(64, 64, 5);
  const cv::Mat repeated = cv::repeat(tile, 4, 4);  // the same responses again and again
  auto theirs = opencv_sift(repeated);
  std::set<float> responses;
  for (const Found& found : theirs) responses.insert(found.keypoint.response);
  ASSERT_LT(responses.size(), theirs.size() / 2) << "no ties to break";
  std::stable_sort(theirs.begin(), theirs.end(),
                   [](const Found& a, const Found& b) { return a.keypoint.response > b.keypoint.response; });
  for (const std::size_t most : {std::size_t{1}, std::size_t{37}, theirs.size() - 1, theirs.size() + 5}) {
    std::vector<Found> strongest(theirs.begin(),
                                 theirs.begin() + static_cast<std::ptrdiff_t>(std::min(most, theirs.size())));
    std::sort(strongest.begin(), strongest.end(), in_result_order);
    expect_equal(sift(repeated, {{"max_per_image", most}}), strongest);
  }
}

TEST(Sift, upright_describes_every_place_once_at_angle_zero) {
  const cv::Mat gray = blobs(240, 240, 6);
  const auto turned = sift(gray), upright = sift(gray, {{"upright", true}});
  std::set<std::array<float, 3>> places, upright_places;
  for (const Keypoint& k : turned.keypoints) places.insert({k.x, k.y, k.scale});
  for (const Keypoint& k : upright.keypoints) {
    EXPECT_EQ(k.angle, 0);
    EXPECT_TRUE(upright_places.insert({k.x, k.y, k.scale}).second) << "twice at one place";
  }
  ASSERT_LT(places.size(), turned.size()) << "no place with two orientations to merge";
  EXPECT_EQ(upright_places, places);

  std::map<std::array<float, 3>, cv::KeyPoint> found;
  for (const Found& f : opencv_sift(gray))
    found[{f.keypoint.pt.x, f.keypoint.pt.y, f.keypoint.size / 2}] = f.keypoint;
  std::vector<cv::KeyPoint> keypoints;
  for (const Keypoint& k : upright.keypoints) {
    keypoints.push_back(found.at({k.x, k.y, k.scale}));
    keypoints.back().angle = 0;
  }
  cv::Mat expected;
  cv::SIFT::create()->compute(gray, keypoints, expected);
  ASSERT_EQ(static_cast<std::size_t>(expected.rows), upright.size());
  for (int i = 0; i < expected.rows; ++i) {
    const auto row = upright.descriptors.row<std::uint8_t>(i);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), expected.ptr<float>(i)));
  }
}

TEST(Sift, float32_is_the_unit_norm_version_of_uint8) {
  const cv::Mat gray = blobs(160, 160, 7);
  const auto bytes = sift(gray), floats = sift(gray, {{"descriptor", "float32"}});
  ASSERT_EQ(floats.size(), bytes.size());
  ASSERT_GT(floats.size(), 0U);
  for (std::int64_t i = 0; i < floats.descriptors.count; ++i) {
    const auto row = floats.descriptors.row<float>(i);
    EXPECT_NEAR(norm_of(row), 1, 1e-5);
    const auto whole = bytes.descriptors.row<std::uint8_t>(i);
    const std::vector<float> values(whole.begin(), whole.end());
    for (std::size_t d = 0; d < kSiftDims; ++d) EXPECT_NEAR(row[d], values[d] / norm_of(values), 1e-6);
  }
}

TEST(Sift, root_sift_follows_its_definition_in_both_types) {
  const cv::Mat gray = blobs(160, 160, 8);
  const auto plain = sift(gray), root = sift(gray, {{"root_sift", true}, {"descriptor", "float32"}}),
             bytes = sift(gray, {{"root_sift", true}});
  ASSERT_EQ(root.size(), plain.size());
  ASSERT_EQ(bytes.size(), plain.size());
  for (std::int64_t i = 0; i < root.descriptors.count; ++i) {
    const auto row = root.descriptors.row<float>(i);
    const auto whole = plain.descriptors.row<std::uint8_t>(i);
    double sum = 0;
    for (const int value : whole) sum += value;
    EXPECT_NEAR(norm_of(row), 1, 1e-5);
    for (std::size_t d = 0; d < kSiftDims; ++d) {
      EXPECT_NEAR(row[d], std::sqrt(whole[d] / sum), 1e-6);
      EXPECT_NEAR(bytes.descriptors.row<std::uint8_t>(i)[d], std::min(255.0F, 512 * row[d]), 0.501);
    }
  }
}

TEST(Sift, nothing_is_found_where_the_mask_is_zero) {
  Image image = image_of(blobs(200, 160, 9));
  const auto everywhere = sift(image);
  image.mask = cv::Mat::zeros(image.pixels.size(), CV_8U);
  image.mask.colRange(60, 140).setTo(1);
  const auto masked = sift(image);
  ASSERT_GT(masked.size(), 0U);
  EXPECT_LT(masked.size(), everywhere.size());
  EXPECT_TRUE(is_subsequence(masked, everywhere));
  std::size_t inside = 0;
  for (const Keypoint& k : everywhere.keypoints) {
    const int column = static_cast<int>(k.x + 0.5F);
    inside += column >= 60 && column < 140 ? 1 : 0;
  }
  EXPECT_EQ(masked.size(), inside);
}

TEST(Sift, an_image_masked_out_altogether_has_no_primitives) {
  Image image = image_of(blobs(100, 100, 9));
  image.mask = cv::Mat::zeros(image.pixels.size(), CV_8U);
  for (const bool upright : {false, true}) EXPECT_EQ(sift(image, {{"upright", upright}}).size(), 0U);
}

TEST(Sift, images_too_small_or_constant_have_no_primitives_and_say_so) {
  for (const bool upright : {false, true})
    for (const cv::Size size : odd_sizes()) {
      const cv::Mat constant(size, CV_8U, cv::Scalar(130));
      const Image image = image_of(constant);
      OneStage stage("features.sift", {{"upright", upright}});
      stage.item.name = "plain.png";
      const auto found = stage.run<ImagePrimitives>(&image);
      EXPECT_EQ(found.size(), 0U) << size;
      EXPECT_EQ(found.descriptors.count, 0);
      EXPECT_EQ(found.descriptors.dims, kSiftDims);
      EXPECT_EQ(found.width, size.width);
      ASSERT_EQ(stage.outcome.ledger.size(), 1U);
      EXPECT_EQ(stage.outcome.ledger[0].item, "plain.png");
    }
}

TEST(Sift, odd_shapes_and_checkerboards_stay_inside_the_image) {
  std::vector<cv::Mat> images{checkerboard(128, 96, 8), checkerboard(64, 64, 1), blobs(2000, 12, 1),
                              blobs(12, 2000, 1), blobs(7, 7, 1)};
  for (const cv::Size size : odd_sizes()) images.push_back(checkerboard(size.width, size.height, 1));
  for (const cv::Mat& image : images)
    for (const bool upright : {false, true})
      EXPECT_TRUE(lies_inside(sift(image, {{"upright", upright}, {"contrast_threshold", 0}})))
          << image.size();
  EXPECT_GT(sift(images[0]).size(), 0U);
}

TEST(Sift, the_same_primitives_whatever_the_number_of_threads) {
  const tbb::global_control eight(tbb::global_control::max_allowed_parallelism,
                                  8);  // even on a small machine
  const int threads = cv::getNumThreads();
  const cv::Mat gray = blobs(400, 300, 10);
  cv::setNumThreads(1);
  const auto expected = sift(gray);
  for (const int other : {2, 3, 8}) {
    cv::setNumThreads(other);
    EXPECT_TRUE(same_primitives(sift(gray), expected)) << other;
  }
  for (const int opencv_threads : {1, 4}) {
    cv::setNumThreads(opencv_threads);
    expect_the_same_on_many_threads([](const cv::Mat& image) {
      return sift(image, {{"max_per_image", 20}, {"root_sift", true}});
    });
  }
  cv::setNumThreads(threads);
}

TEST(Sift, the_plan_expects_rows_of_the_right_size) {
  const StageType* const type = Registry::global().find("features.sift");
  const auto stage = type->create();
  Estimate images;
  images.items = 10;
  images.pixels = 250000;
  EXPECT_EQ(type->estimate(stage.get(), std::span(&images, 1)).rows, 1000);
  EXPECT_EQ(type->estimate(stage.get(), std::span(&images, 1)).row_bytes, 128 + 16);
  type->find_param("max_per_image")->set(stage.get(), 7);
  type->find_param("descriptor")->set(stage.get(), "float32");
  EXPECT_EQ(type->estimate(stage.get(), std::span(&images, 1)).rows, 70);
  EXPECT_EQ(type->estimate(stage.get(), std::span(&images, 1)).row_bytes, 512 + 16);
}

}  // namespace
}  // namespace contexton
