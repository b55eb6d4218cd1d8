// Library settings that hold for the whole process.
#include "stages/libraries.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <tbb/version.h>
#include <Eigen/Core>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

extern "C" {
#include <vl/generic.h>
}

namespace contexton {

void set_up_libraries() {
  // 0: OpenCV works on the thread that calls it, and leaves the parallel work to our arena.
  cv::setNumThreads(0);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  vl_set_num_threads(1);
  // Image-sized blocks go back to the system when freed; otherwise every thread's arena keeps its own largest
  // image.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

std::vector<std::pair<std::string, std::string>> library_versions() {
  return {{"opencv", CV_VERSION},
          {"vlfeat", VL_VERSION_STRING},
          {"eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
          {"tbb", fmt::format("{}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR)}};
}

}  // namespace contexton
