// Tests of output.overlay: where pixels change, colours, legend, sizes and thumbnails.
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "pipeline/files.hpp"
#include "stages/output/overlay_picture.hpp"
#include "tests/stages/feature_images.hpp"
#include "tests/stages/one_stage.hpp"
#include "tests/stages/small_sets.hpp"

namespace contexton::testing {
namespace {

ImagePrimitives primitives_at(std::vector<Keypoint> keypoints, int width, int height) {
  std::vector<std::uint8_t> values(keypoints.size() * 2, 0);
  return ImagePrimitives::own(width, height, std::move(keypoints), std::move(values), 2);
}

cv::Mat read_picture(const fs::path& path) {
  return cv::imread(path.string(), cv::IMREAD_UNCHANGED);
}

cv::Mat draw(const Image& image, const ImagePrimitives& primitives, const Labels* labels,
             const nlohmann::ordered_json& params = nlohmann::ordered_json::object()) {
  OneStage stage("output.overlay", params);
  stage.item = {"a.png", "a", ""};
  stage.run_for_files(&image, &primitives, labels);
  return read_picture(stage.file("/a.png"));
}

Colour colour_at(const cv::Mat& picture, int x, int y) {
  const auto pixel = picture.at<cv::Vec3b>(y, x);
  return static_cast<Colour>(pixel[2]) << 16 | static_cast<Colour>(pixel[1]) << 8 | pixel[0];
}

TEST(Overlay, pixels_change_only_near_primitives) {
  const Image image = image_of(blobs(600, 520, 1));
  const std::vector<Keypoint> keypoints{{100, 80, 4, 0}, {300.5F, 200.25F, 10, 1}, {598, 2, 6, 2}};
  for (const char* style : {"disc", "square"}) {
    const nlohmann::ordered_json params{{"style", style}, {"size", 4}, {"max_side", 600}};
    const cv::Mat bare = draw(image, primitives_at({}, 600, 520), nullptr, params);
    const cv::Mat drawn = draw(image, primitives_at(keypoints, 600, 520), nullptr, params);
    ASSERT_EQ(drawn.size(), bare.size());
    std::vector<int> changed_near(keypoints.size(), 0);
    for (int y = 0; y < drawn.rows; ++y)
      for (int x = 0; x < drawn.cols; ++x) {
        if (drawn.at<cv::Vec3b>(y, x) == bare.at<cv::Vec3b>(y, x)) continue;
        bool near = false;
        for (std::size_t k = 0; k < keypoints.size(); ++k) {
          const double distance =
              std::hypot(x - static_cast<double>(keypoints[k].x), y - static_cast<double>(keypoints[k].y));
          if (distance > 2 * std::sqrt(2.0) * static_cast<double>(keypoints[k].scale) + 2) continue;
          near = true;
          ++changed_near[k];
        }
        EXPECT_TRUE(near) << style << " " << x << "," << y;
      }
    EXPECT_GT(changed_near[0], 150);
    EXPECT_GT(changed_near[1], 1000);
    EXPECT_GT(changed_near[2], 50);
  }
}

TEST(Overlay, without_primitives_it_is_the_dim_gray_image) {
  const Image image = image_of(cv::Mat(50, 1000, CV_8UC3, cv::Scalar(0, 0, 255)));
  const cv::Mat picture = draw(image, primitives_at({}, 1000, 50), nullptr, {{"max_side", 1000}});
  const auto pixel = picture.at<cv::Vec3b>(10, 10);
  EXPECT_EQ(pixel[0], pixel[1]);
  EXPECT_EQ(pixel[1], pixel[2]);
  EXPECT_LT(pixel[0], 80);
}

TEST(Overlay, labels_of_this_image_decide_the_colours) {
  const Image image = image_of(cv::Mat(100, 600, CV_8U, cv::Scalar(0)));
  ImagePrimitives primitives =
      primitives_at({{100, 50, 10, 0}, {300, 50, 10, 0}, {500, 50, 10, 0}}, 600, 100);
  primitives.first_row = 2;
  const Labels labels = labels_with({0, 0, 1, 0, -1, 1});
  const cv::Mat picture =
      draw(image, primitives, &labels, {{"opacity", 1}, {"size", 1.5}, {"max_side", 600}});
  EXPECT_EQ(colour_at(picture, 100, 50), palette_colour(1));
  EXPECT_EQ(colour_at(picture, 300, 50), palette_colour(0));
  EXPECT_EQ(colour_at(picture, 500, 50), 0x0C0C0CU) << "an unlabelled mark has no inside";
  EXPECT_GT(picture.at<cv::Vec3b>(50, 507)[0], 100) << "an unlabelled mark has a rim";
}

TEST(Overlay, the_hand_points_along_the_angle) {
  const Image image = image_of(cv::Mat(200, 600, CV_8U, cv::Scalar(0)));
  const double angle = 1.1;  // clockwise on screen: to the right and down
  const cv::Mat picture = draw(image, primitives_at({{300, 100, 20, static_cast<float>(angle)}}, 600, 200),
                               nullptr, {{"opacity", 0}, {"size", 4}, {"max_side", 600}});
  const auto brightness = [&](double direction) {
    const int x = static_cast<int>(std::lround(300 + 20 * std::cos(direction)));
    const int y = static_cast<int>(std::lround(100 + 20 * std::sin(direction)));
    return cv::sum(cv::Scalar(picture.at<cv::Vec3b>(y, x)))[0];
  };
  EXPECT_GT(brightness(angle), 200);
  for (const double other : {angle + 1, angle + 2, angle + 3.14159, angle - 1})
    EXPECT_LT(brightness(other), 60);
}

TEST(Overlay, large_images_shrink_and_small_ones_grow_by_a_whole_number) {
  const auto size_of = [](int width, int height, int max_side) {
    return draw(image_of(cv::Mat(height, width, CV_8U, cv::Scalar(9))), primitives_at({}, width, height),
                nullptr, {{"max_side", max_side}})
        .size();
  };
  EXPECT_EQ(size_of(2000, 1000, 500), cv::Size(500, 250));
  EXPECT_EQ(size_of(400, 100, 1024), cv::Size(800, 200));
  EXPECT_EQ(size_of(20, 30, 1024), cv::Size(80, 120));
  EXPECT_EQ(size_of(600, 100, 1024), cv::Size(600, 100));
  EXPECT_EQ(size_of(4000, 1, 500), cv::Size(500, 1));
}

TEST(Overlay, marks_follow_when_image_and_primitives_have_different_sizes) {
  const ImagePrimitives primitives = primitives_at({{20, 10, 4, 0}}, 40, 20);
  const Image image = image_of(cv::Mat(300, 600, CV_8U, cv::Scalar(0)));
  const cv::Mat picture =
      draw(image, primitives, nullptr, {{"opacity", 1}, {"size", 0.5}, {"max_side", 600}});
  EXPECT_GT(cv::sum(cv::Scalar(picture.at<cv::Vec3b>(157, 307)))[0], 100);  // 20.5 * 15 - 0.5 = 307
  EXPECT_LT(cv::sum(cv::Scalar(picture.at<cv::Vec3b>(10, 20)))[0], 60);
}

TEST(Overlay, impossible_keypoints_do_no_harm) {
  const float nan = std::nanf(""), huge = 1e30F;
  const Image image = image_of(blobs(600, 400, 4));
  const cv::Mat bare = draw(image, primitives_at({}, 600, 400), nullptr);
  const cv::Mat drawn = draw(image,
                             primitives_at({{nan, 5, 1, 0},
                                            {5, 5, nan, 0},
                                            {5, 5, 1, nan},
                                            {huge, -huge, 3, 1},
                                            {-100, 5, 1, 0},
                                            {5, 9000, 1, 0}},
                                           600, 400),
                             nullptr);
  EXPECT_EQ(cv::norm(bare, drawn, cv::NORM_INF), 0);
}

TEST(Overlay, few_labels_have_a_legend_in_picture_and_report) {
  const Image image = image_of(blobs(600, 400, 2));
  const ImagePrimitives primitives = primitives_at({{100, 80, 4, 0}, {300, 200, 10, 0}}, 600, 400);
  Labels few = labels_with({0, 1});
  few.names = {"brick", "weave"};
  OneStage stage("output.overlay", {{"max_side", 600}});
  stage.item = {"x/a.png", "x/a", ""};
  stage.run_for_files(&image, &primitives, &few);
  const cv::Mat picture = read_picture(stage.file("/x/a.png"));
  EXPECT_GT(picture.rows, 410);
  EXPECT_EQ(colour_at(picture, 15, 400 + 18), palette_colour(0));
  const auto& legend = std::get<ReportLegend>(stage.outcome.report.blocks.at(1));
  ASSERT_EQ(legend.entries.size(), 2U);
  EXPECT_EQ(legend.entries[1], (std::pair<std::uint32_t, std::string>(palette_colour(1), "weave")));

  const Labels many = labels_with({0, 200});
  EXPECT_EQ(draw(image, primitives, &many, {{"max_side", 600}}).rows, 400);
}

TEST(Overlay, the_report_gets_a_small_jpeg_that_links_to_the_file) {
  const Image image = image_of(blobs(1000, 700, 3));
  const ImagePrimitives primitives = primitives_at({{100, 80, 4, 0}}, 1000, 700);
  OneStage stage("output.overlay", nlohmann::ordered_json::object());
  stage.item = {"x/a.png", "x/a", ""};
  stage.run_for_files<Image, ImagePrimitives, Labels>(&image, &primitives, nullptr);
  const auto& pictures = std::get<ReportPictures>(stage.outcome.report.blocks.at(0)).pictures;
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0].file, "/x/a.png");
  EXPECT_LT(pictures[0].thumbnail.size(), 60000U);
  const std::vector<std::uint8_t> bytes(pictures[0].thumbnail.begin(), pictures[0].thumbnail.end());
  EXPECT_EQ(bytes.at(0), 0xFF);
  EXPECT_EQ(cv::imdecode(bytes, cv::IMREAD_COLOR).size(), cv::Size(320, 224));
}

TEST(Overlay, labels_of_something_else_are_refused) {
  const Image image = image_of(cv::Mat(50, 50, CV_8U, cv::Scalar(0)));
  const ImagePrimitives primitives = primitives_at({{10, 10, 2, 0}, {20, 20, 2, 0}}, 50, 50);
  const Labels labels = labels_with({0}, {}, "images");
  EXPECT_THROW(draw(image, primitives, &labels), std::runtime_error);
}

TEST(Drawing, text_is_as_wide_as_said_and_stays_in_the_picture) {
  cv::Mat picture(40, 300, CV_8UC3, cv::Scalar(0, 0, 0));
  draw_text(picture, "Word 12, (34%)", {10, 25}, 11, 0xFFFFFF);
  cv::Mat gray, columns;
  cv::cvtColor(picture, gray, cv::COLOR_BGR2GRAY);
  cv::reduce(gray, columns, 0, cv::REDUCE_MAX);
  int last = 0;
  for (int x = 0; x < columns.cols; ++x)
    if (columns.at<std::uint8_t>(0, x) > 0) last = x;
  EXPECT_LE(last, 10 + text_width("Word 12, (34%)", 11) + 2);
  EXPECT_GE(last, 10 + text_width("Word 12, (34%)", 11) - 4);
  draw_text(picture, "beyond every edge", {-30, 2}, 20, 0xFFFFFF);
  draw_text(picture, "beyond every edge", {290, 45}, 20, 0xFFFFFF);
}

TEST(Drawing, long_and_foreign_text_is_made_to_fit) {
  EXPECT_EQ(fitted_text("short", 11, 200), "short");
  const std::string cut = fitted_text("a name that is much too long for its place", 11, 120);
  EXPECT_TRUE(cut.ends_with("..."));
  EXPECT_LE(text_width(cut, 11), 120);
  EXPECT_EQ(text_width("\xC3\xA9t\xC3\xA9", 11), text_width("?t?", 11));
}

}  // namespace
}  // namespace contexton::testing
