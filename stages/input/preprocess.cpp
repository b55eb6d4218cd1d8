// input.preprocess: turns images gray, evens out their contrast or smooths them before features are taken.
#include <opencv2/imgproc.hpp>

#include "pipeline/stage.hpp"
#include "stages/types/image_set.hpp"

namespace contexton {
namespace {

constexpr int kTilesEachWay = 8;

cv::Mat equalized_plane(const cv::Mat& plane, double clip_limit) {
  cv::Mat result;
  cv::createCLAHE(clip_limit, {kTilesEachWay, kTilesEachWay})->apply(plane, result);
  return result;
}

// Of a colour image only the lightness changes, so that hues stay.
cv::Mat equalized(const cv::Mat& pixels, double clip_limit) {
  if (pixels.channels() == 1) return equalized_plane(pixels, clip_limit);
  cv::Mat lab, lightness, result;
  cv::cvtColor(pixels, lab, cv::COLOR_BGR2Lab);
  cv::extractChannel(lab, lightness, 0);
  cv::insertChannel(equalized_plane(lightness, clip_limit), lab, 0);
  cv::cvtColor(lab, result, cv::COLOR_Lab2BGR);
  return result;
}

cv::Mat blurred(const cv::Mat& pixels, double sigma) {
  cv::Mat result;
  cv::GaussianBlur(pixels, result, {}, sigma, sigma, cv::BORDER_REPLICATE);
  return result;
}

}  // namespace

struct Preprocess {
  bool gray = false;
  double equalize = 0;
  double blur = 0;

  static void describe(Description<Preprocess>& stage) {
    stage.named("input.preprocess",
                "Turns images gray, evens out their contrast and smooths them, in this order.");
    stage.param("gray", &Preprocess::gray).doc("turns colour images into gray ones");
    stage.param("equalize", &Preprocess::equalize)
        .range(0, 100)
        .doc(
            "clip limit of contrast-limited adaptive histogram equalisation over 8 x 8 tiles, 2 to 4 is "
            "usual; "
            "amplifies noise in flat regions; 0 = off");
    stage.param("blur", &Preprocess::blur)
        .range(0, 100)
        .unit("px")
        .doc("sigma of a Gaussian the image is smoothed with; 0 = off");
    stage.each<ImageSet>("images").doc("gray or colour images");
    stage.output_each<ImageSet>("images").doc("images of the same size, with their masks and ground truth");
    // Colour equalisation holds the image, its Lab version, the result and one plane twice.
    stage.working_memory(4);
  }

  Estimate estimate(std::span<const Estimate> inputs) const { return inputs[0]; }

  Image run(const Image& image, StageRun&) const {
    Image result = image;  // shares pixels; every step below makes new ones
    if (gray) result.pixels = gray_of(result);
    if (equalize > 0) result.pixels = equalized(result.pixels, equalize);
    if (blur > 0) result.pixels = blurred(result.pixels, blur);
    return result;
  }
};
REGISTER_STAGE(Preprocess);

}  // namespace contexton
