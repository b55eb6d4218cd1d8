// VLFeat's dense SIFT filter with buffers that are kept from image to image.
#pragma once

#include <vl/dsift.h>

#include <cstddef>
#include <memory>
#include <opencv2/core.hpp>
#include <span>

namespace contexton {

// One grid of descriptors: the first has its top left bin centre at (offset, offset).
struct DenseSiftGrid {
  int bin_size = 0, offset = 0, step = 0;
};

// What vl_dsift made of one grid; views of the workspace's buffers, which the caller may change at will until
// the next call of describe().
struct DenseSiftBlock {
  std::span<const VlDsiftKeypoint> frames;
  std::span<float> descriptors;  // 128 per frame
};

// Not thread-safe: one per thread.
class DenseSiftWorkspace {
 public:
  DenseSiftWorkspace();

  // The next descriptions are of this gray image (CV_8UC1, at least 2 x 2).
  void set_image(const cv::Mat& gray);
  // Smoothed by a Gaussian of this sigma (0 = not), then described. The grid must have at least one frame.
  DenseSiftBlock describe(const DenseSiftGrid& grid, double sigma, bool flat_window);

  [[nodiscard]] std::size_t bytes() const;  // held by the buffers
  // Frees them all when they hold more than this.
  void shrink_to(std::size_t most_bytes);

 private:
  struct Delete {
    void operator()(VlDsiftFilter* filter) const { vl_dsift_delete(filter); }
  };

  void fit_filter(int width, int height);
  void reuse_buffers_that_fit();

  std::unique_ptr<VlDsiftFilter, Delete> filter_;
  std::size_t pixel_capacity_ = 0;  // of filter_'s planes
  int frame_capacity_ = 0;          // of filter_'s frames and descriptors
  cv::Mat values_, smoothed_;       // CV_32F, gray values from 0 to 1
};

}  // namespace contexton
