// features.sift: scale-invariant keypoints and their descriptors (OpenCV's SIFT).
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <opencv2/features2d.hpp>
#include <tuple>

#include "pipeline/stage.hpp"
#include "stages/features/descriptor_bytes.hpp"
#include "stages/types/image_set.hpp"
#include "stages/types/primitives.hpp"

namespace contexton {
namespace {

// Keypoints as OpenCV finds them, one descriptor row each (CV_8U: 512 x the unit-norm value).
struct Detections {
  std::vector<cv::KeyPoint> keypoints;
  cv::Mat descriptors;
};

float sigma_of(const cv::KeyPoint& keypoint) {
  return keypoint.size / 2;
}

// The order of the results, which does not depend on how OpenCV divided the work.
bool comes_before(const cv::KeyPoint& a, const cv::KeyPoint& b) {
  return std::tie(a.pt.y, a.pt.x, a.size, a.angle, b.response, a.octave) <
         std::tie(b.pt.y, b.pt.x, b.size, b.angle, a.response, b.octave);
}

// Turns keypoints upright; those found at one place with several orientations become one.
void make_upright(std::vector<cv::KeyPoint>& keypoints) {
  for (cv::KeyPoint& keypoint : keypoints) keypoint.angle = 0;
  std::sort(keypoints.begin(), keypoints.end(), comes_before);
  const auto same_place = [](const cv::KeyPoint& a, const cv::KeyPoint& b) {
    return a.pt == b.pt && a.size == b.size;
  };
  keypoints.erase(std::unique(keypoints.begin(), keypoints.end(), same_place), keypoints.end());
}

// The given rows of the strongest responses, at most `most`; equal responses in the order of the results.
void keep_strongest(const std::vector<cv::KeyPoint>& keypoints, std::vector<int>& rows, std::size_t most) {
  if (rows.size() <= most) return;
  const auto stronger = [&](int a, int b) {
    const cv::KeyPoint &first = keypoints[static_cast<std::size_t>(a)],
                       &second = keypoints[static_cast<std::size_t>(b)];
    if (first.response != second.response) return first.response > second.response;
    return comes_before(first, second);
  };
  std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end(), stronger);
  rows.resize(most);
}

std::vector<Keypoint> gather_keypoints(const Detections& found, const std::vector<int>& rows) {
  std::vector<Keypoint> keypoints;
  keypoints.reserve(rows.size());
  for (const int row : rows) {
    const cv::KeyPoint& keypoint = found.keypoints[static_cast<std::size_t>(row)];
    // OpenCV counts degrees clockwise on screen.
    const float angle = keypoint.angle * (std::numbers::pi_v<float> / 180);
    keypoints.push_back({keypoint.pt.x, keypoint.pt.y, sigma_of(keypoint), angle});
  }
  return keypoints;
}

template <class Value>
std::vector<Value> gather_descriptors(const Detections& found, const std::vector<int>& rows) {
  std::vector<Value> values;
  values.reserve(rows.size() * kSiftDims);
  for (const int row : rows) {
    const std::uint8_t* const descriptor = found.descriptors.ptr<std::uint8_t>(row);
    values.insert(values.end(), descriptor, descriptor + kSiftDims);
  }
  return values;
}

}  // namespace

struct Sift {
  std::array<double, 2> scale = {0, 1000};
  double contrast_threshold = 0.04;
  double edge_threshold = 10;
  int octave_layers = 3;
  double sigma = 1.6;
  std::int64_t max_per_image = 0;
  bool upright = false;
  bool root_sift = false;
  Rows::Type descriptor = Rows::Type::uint8;

  static void describe(Description<Sift>& stage) {
    stage.named("features.sift", "Finds scale-invariant keypoints (SIFT) and describes each by 128 numbers.");
    stage.param("scale", &Sift::scale)
        .at_least(0)
        .unit("px")
        .doc(
            "keeps keypoints whose scale, the Gaussian sigma in pixels, lies in this range; the finest are "
            "about 1 px");
    stage.param("contrast_threshold", &Sift::contrast_threshold)
        .range(0, 1)
        .doc("drops extrema weaker than this, for gray values from 0 to 1; lower it for faint textures");
    stage.param("edge_threshold", &Sift::edge_threshold)
        .range(1, 1000)
        .doc("drops extrema whose principal curvatures differ by more than this factor; higher keeps edges");
    stage.param("octave_layers", &Sift::octave_layers)
        .range(1, 16)
        .doc("scales searched per octave; more find more keypoints and take proportionally more memory");
    stage.param("sigma", &Sift::sigma)
        .range(0.5, 10)
        .unit("px")
        .doc("Gaussian smoothing of the first scale of each octave; the first octave is the doubled image");
    stage.param("max_per_image", &Sift::max_per_image)
        .at_least(0)
        .doc("keeps at most this many keypoints per image, those of the strongest response; 0 = all");
    stage.param("upright", &Sift::upright)
        .doc("describes every keypoint once, at angle 0; not for textures that appear rotated");
    stage.param("root_sift", &Sift::root_sift)
        .doc("square root of the l1-normalised descriptor: Euclidean distances then compare as Hellinger's");
    stage.param("descriptor", &Sift::descriptor)
        .doc("uint8 holds 512 times the unit-norm value, clipped at 255; float32 the unit-norm value");
    stage.each<ImageSet>("images").doc("colour images are turned gray; no keypoint where a mask is 0");
    stage.output_each<Primitives>("primitives").doc("ordered by y, x, scale and angle");
    stage.working_memory(Sift{}.working_bytes_per_pixel());
  }

  Estimate estimate(std::span<const Estimate> inputs) const {
    constexpr double kPixelsPerKeypoint = 250;
    Estimate expected = inputs[0];
    expected.rows = expected.pixels / kPixelsPerKeypoint;
    if (max_per_image > 0)
      expected.rows = std::min(expected.rows, expected.items * static_cast<double>(max_per_image));
    expected.row_bytes = kSiftDims * (descriptor == Rows::Type::uint8 ? 1.0 : 4.0) + sizeof(Keypoint);
    expected.work_bytes = working_bytes_per_pixel() * expected.largest_item_pixels;
    expected.note = "a guess: one keypoint per 250 pixels, before the scale range";
    return expected;
  }

  ImagePrimitives run(const Image& image, StageRun& run) const {
    const Detections found = detect(image);
    const std::vector<int> rows = choose(found.keypoints);
    if (rows.empty()) run.note(run.item().name, "no keypoint was found");
    auto keypoints = gather_keypoints(found, rows);
    const int width = image.pixels.cols, height = image.pixels.rows;
    if (descriptor == Rows::Type::uint8 && !root_sift)
      return ImagePrimitives::own(width, height, std::move(keypoints),
                                  gather_descriptors<std::uint8_t>(found, rows), kSiftDims);
    auto values = gather_descriptors<float>(found, rows);
    root_sift ? make_root_sift(values) : make_unit_norm(values);
    if (descriptor == Rows::Type::float32)
      return ImagePrimitives::own(width, height, std::move(keypoints), std::move(values), kSiftDims);
    std::vector<std::uint8_t> bytes(values.size());
    to_descriptor_bytes(values, bytes);
    return ImagePrimitives::own(width, height, std::move(keypoints), std::move(bytes), kSiftDims);
  }

 private:
  // The pyramids of Gaussians and their differences over the doubled image, as floats; measured the same.
  [[nodiscard]] double working_bytes_per_pixel() const {
    const double images_per_octave = (octave_layers + 3) + (octave_layers + 2);
    constexpr double kAllOctaves = 4.0 / 3, kDoubled = 4;
    constexpr double kRest = 16;  // the image itself as floats, filter buffers, descriptors
    return images_per_octave * kAllOctaves * kDoubled * sizeof(float) + kRest;
  }

  [[nodiscard]] Detections detect(const Image& image) const {
    Detections found;
    const cv::Mat gray = gray_of(image);
    if (gray.empty()) return found;
    constexpr int kUnlimited = 0;
    const auto sift =
        cv::SIFT::create(kUnlimited, octave_layers, contrast_threshold, edge_threshold, sigma, CV_8U);
    if (!upright) {
      sift->detectAndCompute(gray, image.mask, found.keypoints, found.descriptors);
      return found;
    }
    sift->detect(gray, found.keypoints, image.mask);
    make_upright(found.keypoints);
    // Only keypoints found in this very image: OpenCV writes out of bounds for octaves it did not make
    // itself.
    if (!found.keypoints.empty()) sift->compute(gray, found.keypoints, found.descriptors);
    return found;
  }

  // Rows of the keypoints to keep, in the order of the results.
  [[nodiscard]] std::vector<int> choose(const std::vector<cv::KeyPoint>& keypoints) const {
    std::vector<int> rows;
    for (std::size_t i = 0; i < keypoints.size(); ++i)
      if (sigma_of(keypoints[i]) >= scale[0] && sigma_of(keypoints[i]) <= scale[1])
        rows.push_back(static_cast<int>(i));
    if (max_per_image > 0) keep_strongest(keypoints, rows, static_cast<std::size_t>(max_per_image));
    std::sort(rows.begin(), rows.end(), [&](int a, int b) {
      return comes_before(keypoints[static_cast<std::size_t>(a)], keypoints[static_cast<std::size_t>(b)]);
    });
    return rows;
  }
};
REGISTER_STAGE(Sift);

}  // namespace contexton
