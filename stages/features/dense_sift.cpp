// features.dense_sift: SIFT descriptors on a regular grid, several bin sizes.
#include "stages/features/dense_sift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string>

#include "models/random.hpp"
#include "pipeline/stage.hpp"
#include "stages/features/dense_sift_workspace.hpp"
#include "stages/features/descriptor_bytes.hpp"
#include "stages/types/image_set.hpp"

namespace contexton {
namespace {

constexpr std::size_t kKeptWorkspaceBytes = std::size_t{128} << 20;

// This thread's workspace for one image; buffers too large to keep are freed at the end.
class WorkspaceLease {
 public:
  WorkspaceLease() = default;
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;
  ~WorkspaceLease() { workspace().shrink_to(kKeptWorkspaceBytes); }
  DenseSiftWorkspace* operator->() const { return &workspace(); }

 private:
  static DenseSiftWorkspace& workspace() {
    static thread_local DenseSiftWorkspace kept;
    return kept;
  }
};

// Grids of the sizes that fit, smallest first, all starting at the first centre of the largest.
std::vector<DenseSiftGrid> aligned_grids(cv::Size image, const DenseSiftOptions& options) {
  std::vector<int> sizes = options.bin_sizes;
  std::sort(sizes.begin(), sizes.end());
  const int side = std::min(image.width, image.height);
  std::erase_if(sizes, [&](int size) { return dense_sift_support(size) > side; });
  std::vector<DenseSiftGrid> grids;
  for (const int size : sizes) grids.push_back({size, 3 * (sizes.back() - size) / 2, options.step});
  return grids;
}

std::size_t frames_of(const DenseSiftGrid& grid, cv::Size image) {
  const auto along = [&](int side) {
    const int room = side - grid.offset - dense_sift_support(grid.bin_size);
    return static_cast<std::size_t>(room / grid.step + 1);
  };
  return along(image.width) * along(image.height);
}

bool counts(const cv::Mat& mask, const VlDsiftKeypoint& frame) {
  return mask.empty() ||
         mask.at<std::uint8_t>(static_cast<int>(frame.y + 0.5), static_cast<int>(frame.x + 0.5)) != 0;
}

// Keeps the frames that count: their keypoints are appended to `keypoints`, their descriptors moved to the
// front of the block. Answers those descriptors.
std::span<float> keep_frames(const DenseSiftBlock& block, int bin_size, const cv::Mat& mask,
                             const DenseSiftOptions& options, std::vector<Keypoint>& keypoints) {
  float* const rows = block.descriptors.data();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < block.frames.size(); ++i) {
    const VlDsiftKeypoint& frame = block.frames[i];
    const bool flat = frame.norm < options.contrast_floor;
    if (!counts(mask, frame) || (flat && !options.keep_flat)) continue;
    float* const row = rows + kept * kSiftDims;
    if (flat)
      std::fill_n(row, kSiftDims, 0.0F);
    else if (kept != i)
      std::copy_n(rows + i * kSiftDims, kSiftDims, row);
    keypoints.push_back(
        {static_cast<float>(frame.x), static_cast<float>(frame.y), static_cast<float>(bin_size) / 3, 0});
    ++kept;
  }
  return block.descriptors.first(kept * kSiftDims);
}

void append(std::span<const float> rows, std::vector<float>& values) {
  values.insert(values.end(), rows.begin(), rows.end());
}

void append(std::span<const float> rows, std::vector<std::uint8_t>& values) {
  const std::size_t before = values.size();
  values.resize(before + rows.size());
  to_descriptor_bytes(rows, std::span(values).subspan(before));
}

// A random subset of `wanted` rows in their order, each subset equally likely (selection sampling).
template <class Value>
void keep_random_subset(std::size_t wanted, Random random, std::vector<Keypoint>& keypoints,
                        std::vector<Value>& values) {
  if (keypoints.size() <= wanted) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; kept < wanted; ++i) {
    if (random.below(keypoints.size() - i) >= wanted - kept) continue;
    keypoints[kept] = keypoints[i];
    if (kept != i) std::copy_n(values.data() + i * kSiftDims, kSiftDims, values.data() + kept * kSiftDims);
    ++kept;
  }
  keypoints.resize(wanted);
  values.resize(wanted * kSiftDims);
  keypoints.shrink_to_fit();
  values.shrink_to_fit();
}

template <class Value>
ImagePrimitives describe_as(const cv::Mat& gray, const cv::Mat& mask, const DenseSiftOptions& options,
                            std::uint64_t seed) {
  const auto grids = aligned_grids(gray.size(), options);
  std::size_t frames = 0;
  for (const DenseSiftGrid& grid : grids) frames += frames_of(grid, gray.size());
  std::vector<Keypoint> keypoints;
  std::vector<Value> values;
  keypoints.reserve(frames);
  values.reserve(frames * kSiftDims);

  if (!grids.empty()) {
    const WorkspaceLease workspace;
    workspace->set_image(gray);
    for (const DenseSiftGrid& grid : grids) {
      const double sigma = options.magnification > 0 ? grid.bin_size / options.magnification : 0;
      const DenseSiftBlock block = workspace->describe(grid, sigma, options.flat_window);
      const std::span<float> rows = keep_frames(block, grid.bin_size, mask, options, keypoints);
      if (options.root_sift) make_root_sift(rows);
      append(rows, values);
    }
  }
  if (options.max_per_image > 0)
    keep_random_subset(static_cast<std::size_t>(options.max_per_image), Random(seed), keypoints, values);
  return ImagePrimitives::own(gray.cols, gray.rows, std::move(keypoints), std::move(values), kSiftDims);
}

}  // namespace

ImagePrimitives dense_sift(const cv::Mat& gray, const cv::Mat& mask, const DenseSiftOptions& options,
                           std::uint64_t seed) {
  assert(gray.type() == CV_8UC1 && (mask.empty() || mask.size() == gray.size()) && options.step >= 1);
  return options.descriptor == Rows::Type::uint8 ? describe_as<std::uint8_t>(gray, mask, options, seed)
                                                 : describe_as<float>(gray, mask, options, seed);
}

struct DenseSift : DenseSiftOptions {
  static void describe(Description<DenseSift>& stage) {
    stage.named("features.dense_sift",
                "Describes every image by SIFT on a regular grid, at one or several sizes (PHOW).");
    stage.param<int>("step", &DenseSift::step)
        .range(1, 1000)
        .unit("px")
        .doc("distance between neighbouring descriptors; halving it makes four times as many");
    stage.param<std::vector<int>>("bin_sizes", &DenseSift::bin_sizes)
        .range(1, 256)
        .unit("px")
        .doc(
            "sides of the 4 x 4 spatial bins of a descriptor, one grid for each; the grids share their "
            "centres");
    stage.param<double>("magnification", &DenseSift::magnification)
        .range(0, 100)
        .doc("for each size the image is smoothed by sigma = bin size / magnification; 0 = no smoothing");
    stage.param<bool>("flat_window", &DenseSift::flat_window)
        .doc("weighs whole bins instead of pixels by a Gaussian: many times faster, nearly the same values");
    stage.param<double>("contrast_floor", &DenseSift::contrast_floor)
        .at_least(0)
        .doc(
            "leaves out descriptors with less contrast: mean gradient per pixel, for gray values from 0 to 1 "
            "(VLFeat's norm); PHOW uses 0.005, 0 keeps all");
    stage.param<bool>("keep_flat", &DenseSift::keep_flat)
        .doc("keeps descriptors below contrast_floor as rows of zeros instead of leaving them out");
    stage.param<bool>("root_sift", &DenseSift::root_sift)
        .doc("square root of the l1-normalised descriptor: Euclidean distances then compare as Hellinger's");
    stage.param<Rows::Type>("descriptor", &DenseSift::descriptor)
        .doc("uint8 holds 512 times the unit-norm value, clipped at 255; float32 the unit-norm value");
    stage.param<std::int64_t>("max_per_image", &DenseSift::max_per_image)
        .at_least(0)
        .doc("keeps a random subset of at most this many descriptors per image; 0 = all");
    stage.each<ImageSet>("images").doc("colour images are turned gray; no descriptor where a mask is 0");
    stage.output_each<Primitives>("primitives")
        .doc(
            "ordered by bin size, row and column; values in vl_dsift's order, not comparable with "
            "features.sift");
    stage.random();
    stage.working_memory(DenseSift{}.working_bytes_per_pixel());
  }

  void check(StageCheck& check) const {
    if (bin_sizes.empty()) check.error("bin_sizes", "at least one bin size is needed");
    auto sorted = bin_sizes;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      check.error("bin_sizes", "a bin size is listed twice");
    if (magnification > 0 && magnification < 0.5)
      check.error("magnification", "expected 0 (no smoothing) or at least 0.5");
  }

  Estimate estimate(std::span<const Estimate> inputs) const {
    Estimate expected = inputs[0];
    expected.rows = expected.pixels * rows_per_pixel();
    if (max_per_image > 0)
      expected.rows = std::min(expected.rows, expected.items * static_cast<double>(max_per_image));
    expected.row_bytes = row_bytes();
    expected.work_bytes = working_bytes_per_pixel() * expected.largest_item_pixels;
    expected.note = "one descriptor per grid step and bin size, image borders not subtracted";
    return expected;
  }

  ImagePrimitives run(const Image& image, StageRun& run) const {
    auto primitives = dense_sift(gray_of(image), image.mask, *this, run.seed());
    if (primitives.size() == 0) run.note(run.item().name, why_empty(image));
    return primitives;
  }

 private:
  [[nodiscard]] double row_bytes() const {
    return kSiftDims * (descriptor == Rows::Type::uint8 ? 1.0 : 4.0) + sizeof(Keypoint);
  }
  [[nodiscard]] double rows_per_pixel() const {
    return static_cast<double>(bin_sizes.size()) / (static_cast<double>(step) * step);
  }
  // VLFeat's 10 planes, the image and the smoothed image as floats, the rows of one grid as VLFeat makes
  // them, and the rows of all grids as they are kept.
  [[nodiscard]] double working_bytes_per_pixel() const {
    constexpr double kGridRowBytes = kSiftDims * sizeof(float) + sizeof(VlDsiftKeypoint);
    return 12 * sizeof(float) + kGridRowBytes / (static_cast<double>(step) * step) +
           row_bytes() * rows_per_pixel();
  }
  [[nodiscard]] std::string why_empty(const Image& image) const {
    const int smallest = dense_sift_support(*std::min_element(bin_sizes.begin(), bin_sizes.end()));
    const int width = image.pixels.cols, height = image.pixels.rows;
    if (std::min(width, height) < smallest)
      return fmt::format("no descriptor: the image has {} x {} pixels, a descriptor covers {} x {}", width,
                         height, smallest, smallest);
    return "no descriptor: the mask or contrast_floor leaves none";
  }
};
REGISTER_STAGE(DenseSift);

}  // namespace contexton
