// Buffers of VLFeat's dense SIFT filter, reused for other bin sizes and other image sizes.
#include "stages/features/dense_sift_workspace.hpp"

#include <cassert>
#include <cmath>
#include <mutex>
#include <opencv2/imgproc.hpp>

namespace contexton {
namespace {

// Parallel work is ours alone: VLFeat's own OpenMP threads would compete with it.
void keep_vlfeat_single_threaded() {
  static std::once_flag once;
  std::call_once(once, [] { vl_set_num_threads(1); });
}

// Planes vl_dsift keeps: one per orientation and two for its separable filters.
constexpr std::size_t kPlanes = 8 + 2;

}  // namespace

DenseSiftWorkspace::DenseSiftWorkspace() {
  keep_vlfeat_single_threaded();
}

void DenseSiftWorkspace::set_image(const cv::Mat& gray) {
  assert(gray.type() == CV_8UC1 && gray.cols >= 2 && gray.rows >= 2);
  gray.convertTo(values_, CV_32F, 1 / 255.0);
  fit_filter(gray.cols, gray.rows);
}

DenseSiftBlock DenseSiftWorkspace::describe(const DenseSiftGrid& grid, double sigma, bool flat_window) {
  VlDsiftFilter* const filter = filter_.get();
  VlDsiftDescriptorGeometry geometry = *vl_dsift_get_geometry(filter);
  geometry.binSizeX = geometry.binSizeY = grid.bin_size;
  vl_dsift_set_geometry(filter, &geometry);
  vl_dsift_set_steps(filter, grid.step, grid.step);
  vl_dsift_set_bounds(filter, grid.offset, grid.offset, values_.cols - 1, values_.rows - 1);
  vl_dsift_set_flat_window(filter, flat_window ? VL_TRUE : VL_FALSE);
  assert(vl_dsift_get_keypoint_num(filter) > 0);

  const cv::Mat* image = &values_;
  if (sigma > 0) {
    // vl_imsmooth's kernel and border, computed by OpenCV many times faster.
    const int side = 2 * static_cast<int>(std::ceil(4 * sigma)) + 1;
    cv::GaussianBlur(values_, smoothed_, {side, side}, sigma, sigma, cv::BORDER_REPLICATE);
    image = &smoothed_;
  }
  reuse_buffers_that_fit();
  vl_dsift_process(filter, image->ptr<float>());

  const auto frames = static_cast<std::size_t>(vl_dsift_get_keypoint_num(filter));
  return {{vl_dsift_get_keypoints(filter), frames},
          {filter->descrs, frames * static_cast<std::size_t>(vl_dsift_get_descriptor_size(filter))}};
}

std::size_t DenseSiftWorkspace::bytes() const {
  constexpr std::size_t kFrameBytes = sizeof(VlDsiftKeypoint) + 128 * sizeof(float);
  return pixel_capacity_ * kPlanes * sizeof(float) + static_cast<std::size_t>(frame_capacity_) * kFrameBytes +
         (values_.total() + smoothed_.total()) * sizeof(float);
}

void DenseSiftWorkspace::shrink_to(std::size_t most_bytes) {
  if (bytes() <= most_bytes) return;
  filter_.reset();
  values_.release();
  smoothed_.release();
  pixel_capacity_ = 0;
  frame_capacity_ = 0;
}

// The planes only need room for width x height values in any shape, so an image no larger than an earlier one
// takes over its filter.
void DenseSiftWorkspace::fit_filter(int width, int height) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  if (!filter_ || pixels > pixel_capacity_) {
    filter_.reset();  // before the new one is made: never hold both
    filter_.reset(vl_dsift_new(width, height));
    pixel_capacity_ = pixels;
    frame_capacity_ = 0;
  }
  filter_->imWidth = width;
  filter_->imHeight = height;
}

// vl_dsift makes its planes and rows anew, for the image at hand, whenever the number of frames differs from
// the last; where the rows are long enough for the new number, tell it that they are right.
void DenseSiftWorkspace::reuse_buffers_that_fit() {
  if (filter_->numFrames <= frame_capacity_) {
    filter_->numFrameAlloc = filter_->numFrames;
  } else {
    frame_capacity_ = filter_->numFrames;
    pixel_capacity_ = values_.total();
  }
}

}  // namespace contexton
