// Tests of output.gallery: which patches are picked, how they are cut, and images that fail.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <set>

#include "pipeline/errors.hpp"
#include "pipeline/files.hpp"
#include "stages/output/gallery_picks.hpp"
#include "stages/output/gallery_picture.hpp"
#include "stages/output/label_style.hpp"
#include "tests/stages/feature_images.hpp"
#include "tests/stages/one_stage.hpp"
#include "tests/stages/small_sets.hpp"

namespace contexton::testing {
namespace {

Primitives primitives_in(const std::vector<std::vector<Keypoint>>& images, int width = 100,
                         int height = 100) {
  std::vector<ImagePrimitives> all;
  for (const auto& keypoints : images)
    all.push_back(
        ImagePrimitives::own(width, height, keypoints, std::vector<std::uint8_t>(keypoints.size()), 1));
  return primitives_of<std::uint8_t>(all);
}

Primitives counted_primitives(const std::vector<std::size_t>& per_image) {
  std::vector<std::vector<Keypoint>> images;
  for (const std::size_t count : per_image) images.emplace_back(count);
  return primitives_in(images);
}

std::vector<std::int64_t> rows_of(const GalleryRow& row) {
  std::vector<std::int64_t> rows;
  for (const GalleryPick& pick : row.picks) rows.push_back(pick.row);
  return rows;
}

TEST(GalleryPicks, take_the_nearest_of_each_image_before_a_second_of_any) {
  const Primitives primitives = counted_primitives({3, 2, 1});
  const Labels labels = labels_with({0, 0, 0, 0, 0, 0}, {3, 1, 2, 9, 8, 0.5F});
  const auto rows = pick_typical(primitives, labels, std::vector<std::int64_t>{6}, 10, 5);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].count, 6);
  // Nearest of images 2, 0, 1; then the second of 0 and of 1.
  EXPECT_EQ(rows_of(rows[0]), (std::vector<std::int64_t>{5, 1, 4, 2, 3}));
  EXPECT_EQ(rows[0].picks[0].image, 2U);
}

TEST(GalleryPicks, show_the_commonest_labels_that_occur) {
  const Primitives primitives = counted_primitives({6});
  const Labels labels = labels_with({3, 1, 1, -1, 3, 1}, {0, 0, 0, 0, 0, 0});
  const std::vector<std::int64_t> counts{0, 3, 0, 2, 0};
  const auto rows = pick_typical(primitives, labels, counts, 10, 10);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].label, 1U);
  EXPECT_EQ(rows_of(rows[0]), (std::vector<std::int64_t>{1, 2, 5}));
  EXPECT_EQ(rows[1].label, 3U);
  EXPECT_EQ(pick_typical(primitives, labels, counts, 1, 10).size(), 1U);
}

TEST(GalleryPicks, agree_with_sorting_everything) {
  Random random(5);
  std::vector<std::size_t> per_image;
  for (int i = 0; i < 40; ++i) per_image.push_back(random.below(60));
  const Primitives primitives = counted_primitives(per_image);
  Labels labels = labels_with({});
  for (std::int64_t row = 0; row < primitives.size(); ++row) {
    labels.values.push_back(static_cast<std::int32_t>(random.below(5)) - 1);
    labels.distances.push_back(static_cast<float>(random.below(50)));  // with ties
  }
  const LabelStyle style = style_of(labels);
  for (const GalleryRow& row : pick_typical(primitives, labels, style.counts, 4, 7)) {
    std::vector<std::tuple<std::size_t, float, std::int64_t>> ranked;  // turn, distance, row
    for (std::size_t image = 0; image < 40; ++image) {
      std::vector<std::pair<float, std::int64_t>> own;
      for (std::int64_t r = primitives.offsets[image]; r < primitives.offsets[image + 1]; ++r)
        if (labels.values[static_cast<std::size_t>(r)] == static_cast<std::int32_t>(row.label))
          own.emplace_back(labels.distances[static_cast<std::size_t>(r)], r);
      std::sort(own.begin(), own.end());
      for (std::size_t turn = 0; turn < own.size(); ++turn)
        ranked.emplace_back(turn, own[turn].first, own[turn].second);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < std::min<std::size_t>(7, ranked.size()); ++i)
      expected.push_back(std::get<2>(ranked[i]));
    EXPECT_EQ(rows_of(row), expected);
  }
}

TEST(GalleryPatch, of_the_same_size_is_a_plain_cut) {
  const cv::Mat image = blobs(120, 100, 1);
  const cv::Mat patch = cut_patch(image, {50.5F, 40.5F, 1, 0}, 48, 48);
  cv::Mat expected;
  cv::cvtColor(image(cv::Rect(27, 17, 48, 48)), expected, cv::COLOR_GRAY2BGR);
  EXPECT_EQ(cv::norm(patch, expected, cv::NORM_INF), 0);
}

TEST(GalleryPatch, is_turned_so_that_the_angle_points_right) {
  cv::Mat image(200, 200, CV_8U, cv::Scalar(0));
  const double angle = 2.2;
  const cv::Point2d centre(100, 100), direction(std::cos(angle), std::sin(angle));
  cv::circle(image, centre + 20 * direction, 6, cv::Scalar(255), cv::FILLED);
  const cv::Mat patch = cut_patch(image, {100, 100, 1, static_cast<float>(angle)}, 60, 60);
  EXPECT_GT(patch.at<cv::Vec3b>(30, 50)[0], 200);
  EXPECT_EQ(patch.at<cv::Vec3b>(30, 10)[0], 0);
  EXPECT_EQ(patch.at<cv::Vec3b>(10, 30)[0], 0);
}

TEST(GalleryPatch, shrinks_without_aliasing_and_grows_smoothly) {
  const cv::Mat fine = checkerboard(800, 800, 1);
  const cv::Mat small = cut_patch(fine, {400, 400, 1, 0.3F}, 480, 48);
  cv::Scalar mean, deviation;
  cv::meanStdDev(small, mean, deviation);
  EXPECT_NEAR(mean[0], 127.5, 4);
  EXPECT_LT(deviation[0], 20);
  EXPECT_EQ(cut_patch(fine, {400, 400, 1, 0}, 5, 48).size(), cv::Size(48, 48));
}

TEST(GalleryPatch, beyond_the_image_repeats_its_edge) {
  const cv::Mat image(40, 40, CV_8UC3, cv::Scalar(10, 20, 30));
  const cv::Mat patch = cut_patch(image, {0, 0, 1, 0}, 100, 48);
  EXPECT_EQ(cv::norm(patch, cv::Mat(48, 48, CV_8UC3, cv::Scalar(10, 20, 30)), cv::NORM_INF), 0);
}

// Every image has its own flat colour, so that a patch shows where it comes from.
class Gallery : public ::testing::Test {
 protected:
  static cv::Scalar colour_of(int image) { return {10.0 + 20 * image, 200.0 - 20 * image, 77}; }
  static ImageSet images() {
    std::vector<cv::Mat> all;
    for (int i = 0; i < 4; ++i) all.emplace_back(100, 100, CV_8UC3, colour_of(i));
    return image_set_of(all);
  }
  static Primitives primitives() {
    return primitives_in(
        {{{50, 50, 2, 0}, {30, 30, 2, 0}}, {{50, 50, 2, 0}}, {{50, 50, 2, 0}}, {{50, 50, 2, 0}}});
  }
  // Word 0 has the rows of images 0, 2 and 3, nearest 3; word 1 that of image 1.
  static Labels labels() { return labels_with({0, 0, 1, 0, 0}, {5, 4, 1, 3, 2}); }

  // The colour in the middle of a patch, searched from the right edge: columns are 20 px wide with gaps of 4.
  static cv::Vec3b patch_colour(const cv::Mat& picture, int row, int column, int columns) {
    const int right = picture.cols - 12 - (columns - 1 - column) * 24 - 10;
    const int row_height = (picture.rows - 24 + 4) / 2;
    return picture.at<cv::Vec3b>(12 + row * row_height + (row_height - 4) / 2, right);
  }
  static cv::Vec3b as_pixel(const cv::Scalar& colour) {
    return {static_cast<std::uint8_t>(colour[0]), static_cast<std::uint8_t>(colour[1]),
            static_cast<std::uint8_t>(colour[2])};
  }
};

TEST_F(Gallery, shows_the_nearest_patches_first) {
  const ImageSet set = images();
  const Primitives found = primitives();
  const Labels words = labels();
  OneStage stage("output.gallery", {{"patch", 20}, {"patches", 4}});
  stage.run_for_files(&set, &found, &words);
  const cv::Mat picture = cv::imread(stage.file(".png").string());
  ASSERT_FALSE(picture.empty());
  EXPECT_EQ(patch_colour(picture, 0, 0, 4), as_pixel(colour_of(3)));
  EXPECT_EQ(patch_colour(picture, 0, 1, 4), as_pixel(colour_of(2)));
  EXPECT_EQ(patch_colour(picture, 0, 2, 4), as_pixel(colour_of(0)));
  EXPECT_EQ(patch_colour(picture, 0, 3, 4), as_pixel(colour_of(0)));  // the second of image 0
  EXPECT_EQ(patch_colour(picture, 1, 0, 4), as_pixel(colour_of(1)));
  EXPECT_NE(patch_colour(picture, 1, 1, 4), as_pixel(colour_of(1)));  // a free place
  EXPECT_TRUE(stage.outcome.ledger.empty());
}

TEST_F(Gallery, an_image_that_cannot_be_decoded_is_noted_and_left_out) {
  ImageSet set = images();
  set.fetch = [good = set.fetch](std::size_t i) {
    if (i == 3) throw InputError("3.png", "is cut");
    return good(i);
  };
  const Primitives found = primitives();
  const Labels words = labels();
  OneStage stage("output.gallery", {{"patch", 20}, {"patches", 4}});
  stage.run_for_files(&set, &found, &words);
  const cv::Mat picture = cv::imread(stage.file(".png").string());
  EXPECT_EQ(patch_colour(picture, 0, 1, 4), as_pixel(colour_of(2)));
  ASSERT_EQ(stage.outcome.ledger.size(), 1U);
  EXPECT_EQ(stage.outcome.ledger[0].item, "3.png");
  EXPECT_NE(stage.outcome.ledger[0].reason.find("is cut"), std::string::npos);
}

TEST_F(Gallery, an_image_that_is_not_in_the_set_is_noted) {
  ImageSet set = images();
  set.table = items_called({"0.png", "1.png", "2.png", "another.png"});
  const Primitives found = primitives();
  const Labels words = labels();
  OneStage stage("output.gallery", {{"patch", 20}});
  stage.run_for_files(&set, &found, &words);
  ASSERT_EQ(stage.outcome.ledger.size(), 1U);
  EXPECT_EQ(stage.outcome.ledger[0].item, "3.png");
}

TEST_F(Gallery, ctrl_c_while_decoding_stops_it) {
  ImageSet set = images();
  set.fetch = [](std::size_t) -> Image { throw Interrupted(); };
  const Primitives found = primitives();
  const Labels words = labels();
  OneStage stage("output.gallery", nlohmann::ordered_json::object());
  EXPECT_THROW(stage.run_for_files(&set, &found, &words), Interrupted);
}

TEST(GalleryStage, decodes_each_needed_image_once_within_its_memory_and_draws_the_same_for_all_threads) {
  std::vector<cv::Mat> pixels;
  std::vector<std::vector<Keypoint>> keypoints;
  Random random(9);
  for (std::uint64_t i = 0; i < 12; ++i) {
    pixels.push_back(blobs(200, 150, i));
    keypoints.emplace_back();
    for (int k = 0; k < 30; ++k)
      keypoints.back().push_back(
          {static_cast<float>(random.uniform(0, 199)), static_cast<float>(random.uniform(0, 149)),
           static_cast<float>(random.uniform(1, 8)), static_cast<float>(random.uniform(0, 6))});
  }
  const Primitives primitives = primitives_in(keypoints, 200, 150);
  Labels labels = labels_with({});
  for (std::int64_t row = 0; row < primitives.size(); ++row) {
    labels.values.push_back(static_cast<std::int32_t>(random.below(30)));
    labels.distances.push_back(static_cast<float>(random.uniform()));
  }
  std::atomic<int> decoded = 0, at_once = 0, most_at_once = 0;
  const auto draw = [&](std::size_t threads, std::size_t images_in_memory) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    ImageSet images = image_set_of(pixels);
    images.fetch = [&, good = images.fetch](std::size_t i) {
      ++decoded;
      const int now = ++at_once;
      for (int most = most_at_once; most < now && !most_at_once.compare_exchange_weak(most, now);) {
      }
      Image image = good(i);
      --at_once;
      return image;
    };
    OneStage stage("output.gallery", nlohmann::ordered_json::object());
    stage.services.memory = images_in_memory * 4 * images.largest_item_bytes();
    stage.run_for_files(&images, &primitives, &labels);
    const auto& pictures = std::get<ReportPictures>(stage.outcome.report.blocks.at(1)).pictures;
    EXPECT_EQ(pictures.size(), 2U) << "30 rows are two pictures of at most 20";
    return read_text_file(stage.file(".png")) + pictures[0].thumbnail + pictures[1].thumbnail;
  };
  const std::string alone = draw(1, 1);
  EXPECT_EQ(decoded, 12);
  EXPECT_EQ(most_at_once, 1);
  EXPECT_EQ(draw(4, 1), alone);
  EXPECT_EQ(most_at_once, 1);
  EXPECT_EQ(draw(4, 100), alone);
}

TEST(GalleryStage, refuses_what_does_not_belong_together_or_is_too_large) {
  const ImageSet images = image_set_of({cv::Mat(10, 10, CV_8U, cv::Scalar(0))});
  const Primitives primitives = counted_primitives({3});
  const Labels labels = labels_with({0, 1}, {}, "images");
  OneStage stage("output.gallery", nlohmann::ordered_json::object());
  EXPECT_THROW(stage.run_for_files(&images, &primitives, &labels), std::runtime_error);
  const Primitives none = counted_primitives({0});
  const Labels no_labels = labels_with({});
  EXPECT_THROW(stage.run_for_files(&images, &none, &no_labels), std::runtime_error);
  EXPECT_EQ(OneStage("output.gallery", {{"rows", 5000}, {"patches", 100}, {"patch", 256}}).check().size(),
            1U);
  EXPECT_TRUE(OneStage("output.gallery", nlohmann::ordered_json::object()).check().empty());
}

}  // namespace
}  // namespace contexton::testing
