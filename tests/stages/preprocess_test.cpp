// input.preprocess: what each option does to pixels, and that masks and ground truth come along.
#include "tests/stages/feature_images.hpp"
#include "tests/stages/one_stage.hpp"

namespace contexton {
namespace {

using namespace testing;
using Json = nlohmann::ordered_json;

Image preprocess(const Image& image, const Json& params) {
  OneStage stage("input.preprocess", params);
  return stage.run<Image>(&image);
}

bool same_pixels(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

cv::Mat colourful(int width, int height) {
  cv::Mat colour;
  cv::merge(std::vector<cv::Mat>{blobs(width, height, 1), blobs(width, height, 2), blobs(width, height, 3)},
            colour);
  return colour;
}

double spread(const cv::Mat& gray) {
  cv::Scalar mean, deviation;
  cv::meanStdDev(gray, mean, deviation);
  return deviation[0];
}

TEST(Preprocess, changes_nothing_unless_asked) {
  const Image gray = image_of(blobs(50, 40, 1)), colour = image_of(colourful(50, 40));
  EXPECT_TRUE(same_pixels(preprocess(gray, Json::object()).pixels, gray.pixels));
  EXPECT_TRUE(same_pixels(preprocess(colour, Json::object()).pixels, colour.pixels));
}

TEST(Preprocess, gray_leaves_one_channel) {
  const Image colour = image_of(colourful(50, 40));
  EXPECT_TRUE(same_pixels(preprocess(colour, {{"gray", true}}).pixels, gray_of(colour)));
  const Image gray = image_of(blobs(50, 40, 1));
  EXPECT_TRUE(same_pixels(preprocess(gray, {{"gray", true}}).pixels, gray.pixels));
}

TEST(Preprocess, blur_spreads_a_dot_with_the_given_sigma) {
  Image dot = image_of(cv::Mat::zeros(61, 61, CV_8U));
  dot.pixels(cv::Rect(25, 25, 11, 11)).setTo(255);
  constexpr double kSigma = 4;
  const cv::Mat blurred = preprocess(dot, {{"blur", kSigma}}).pixels;
  double mass = 0, second = 0;
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 61; ++x) {
      mass += blurred.at<std::uint8_t>(y, x);
      second += blurred.at<std::uint8_t>(y, x) * (x - 30.0) * (x - 30.0);
    }
  EXPECT_NEAR(mass, 121 * 255, 0.02 * 121 * 255);
  EXPECT_NEAR(second / mass, 10 + kSigma * kSigma, 1);  // variances add; the square's own is (11^2 - 1) / 12
}

TEST(Preprocess, equalize_raises_faint_contrast_and_more_with_a_higher_limit) {
  Image faint;
  blobs(128, 128, 4).convertTo(faint.pixels, CV_8U, 0.08, 110);
  const double before = spread(faint.pixels), at_2 = spread(preprocess(faint, {{"equalize", 2}}).pixels),
               at_8 = spread(preprocess(faint, {{"equalize", 8}}).pixels);
  EXPECT_GT(at_2, 1.2 * before);
  EXPECT_GT(at_8, 1.2 * at_2);
}

TEST(Preprocess, equalize_keeps_a_neutral_image_neutral) {
  Image neutral;
  cv::cvtColor(blobs(96, 96, 5), neutral.pixels, cv::COLOR_GRAY2BGR);
  const cv::Mat result = preprocess(neutral, {{"equalize", 3}}).pixels;
  ASSERT_EQ(result.type(), CV_8UC3);
  EXPECT_GT(cv::norm(result, neutral.pixels, cv::NORM_INF), 10);
  std::vector<cv::Mat> channels;
  cv::split(result, channels);
  EXPECT_LE(cv::norm(channels[0], channels[1], cv::NORM_INF), 2);
  EXPECT_LE(cv::norm(channels[1], channels[2], cv::NORM_INF), 2);
}

TEST(Preprocess, steps_are_applied_in_the_order_gray_equalize_blur) {
  const Image colour = image_of(colourful(80, 64));
  Image expected = preprocess(colour, {{"gray", true}});
  expected = preprocess(expected, {{"equalize", 3}});
  expected = preprocess(expected, {{"blur", 1.5}});
  const Image at_once = preprocess(colour, {{"blur", 1.5}, {"equalize", 3}, {"gray", true}});
  EXPECT_TRUE(same_pixels(at_once.pixels, expected.pixels));
}

TEST(Preprocess, mask_truth_scale_and_notes_come_along_and_the_input_stays_as_it_was) {
  Image image = image_of(colourful(40, 30));
  image.mask = checkerboard(40, 30, 5);
  image.truth = blobs(40, 30, 6);
  image.scale = 0.5;
  image.notes = {"12-bit range mapped to 8 bits"};
  const cv::Mat before = image.pixels.clone();
  const Image result = preprocess(image, {{"gray", true}, {"equalize", 2}, {"blur", 2}});
  EXPECT_TRUE(same_pixels(image.pixels, before));
  EXPECT_TRUE(same_pixels(result.mask, image.mask));
  EXPECT_TRUE(same_pixels(result.truth, image.truth));
  EXPECT_EQ(result.scale, 0.5);
  EXPECT_EQ(result.notes, image.notes);
}

TEST(Preprocess, images_of_any_size_keep_it) {
  for (const cv::Size size : odd_sizes())
    for (const int type : {CV_8UC1, CV_8UC3}) {
      const Image image = image_of(cv::Mat(size, type, cv::Scalar::all(90)));
      const cv::Mat result = preprocess(image, {{"equalize", 2}, {"blur", 5}}).pixels;
      EXPECT_EQ(result.size(), size);
      EXPECT_EQ(result.type(), type);
    }
}

}  // namespace
}  // namespace contexton
