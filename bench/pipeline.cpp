// The engine's own cost: JPEG files to dense SIFT through a whole pipeline, beside a plain loop of cv::imread
// and vl_dsift on the same files; and a run in which everything comes from the cache.
#include <fmt/format.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "bench/harness.hpp"
#include "pipeline/executor.hpp"
#include "stages/input/builtin_textures.hpp"
#include "stages/libraries.hpp"

extern "C" {
#include <vl/dsift.h>
}

namespace contexton::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kImages = 120, kStep = 8, kBin = 4;

// The built-in textures as JPEG files, each as often as needed.
void write_images(const fs::path& folder, int count) {
  fs::create_directories(folder);
  std::vector<std::vector<unsigned char>> encoded(builtin_texture_count());
  for (int i = 0; i < count; ++i) {
    const std::size_t texture = static_cast<std::size_t>(i) % encoded.size();
    if (encoded[texture].empty())
      cv::imencode(".jpg", make_builtin_texture(texture).pixels, encoded[texture],
                   {cv::IMWRITE_JPEG_QUALITY, 90});
    std::ofstream(folder / fmt::format("{:04}.jpg", i), std::ios::binary)
        .write(reinterpret_cast<const char*>(encoded[texture].data()),
               static_cast<std::streamsize>(encoded[texture].size()));
  }
}

// What a person would write by hand, with the filter made once.
double plain_loop(const fs::path& folder) {
  double sum = 0;
  VlDsiftFilter* filter = nullptr;
  cv::Mat gray, values;
  for (const auto& entry : fs::directory_iterator(folder)) {
    gray = cv::imread(entry.path().string(), cv::IMREAD_GRAYSCALE);
    gray.convertTo(values, CV_32F, 1 / 255.0);
    if (filter == nullptr) {
      filter = vl_dsift_new_basic(gray.cols, gray.rows, kStep, kBin);
      vl_dsift_set_flat_window(filter, VL_TRUE);
    }
    vl_dsift_process(filter, values.ptr<float>());
    sum += static_cast<double>(vl_dsift_get_descriptors(filter)[7]);
  }
  if (filter != nullptr) vl_dsift_delete(filter);
  return sum;
}

void run_pipeline(const fs::path& images, const fs::path& out, const fs::path& cache, int threads,
                  const std::string& more) {
  const std::string config = fmt::format(
      R"({{"contexton": 1, "stages": {{"images": {{"type": "input.images", "path": "{}"}},
          "points": {{"type": "features.dense_sift", "images": "images", "step": {}, "bin_sizes": [{}], "magnification": 0}}{}}}}})",
      images.string(), kStep, kBin, more);
  RunOptions options;
  options.out = out;
  options.cache = cache;
  options.threads = threads;
  options.verbosity = Verbosity::quiet;
  run_plan(make_plan(config, "bench", {}), options);
}

const char* const kRest = R"(,
  "words": {"type": "encode.codebook", "primitives": "points", "words": 50, "iterations": 5},
  "histograms": {"type": "encode.bow", "primitives": "points", "codebook": "words.codebook"},
  "codebook": {"type": "output.codebook", "codebook": "words.codebook"},
  "bow": {"type": "output.table", "vectors": "histograms"},
  "overlays": {"type": "output.overlay", "images": "images", "primitives": "points", "labels": "words.words"},
  "gallery": {"type": "output.gallery", "images": "images", "primitives": "points", "labels": "words.words"})";

}  // namespace
}  // namespace contexton::bench

int main(int argc, char** argv) {
  using namespace contexton;
  using namespace contexton::bench;
  set_up_libraries();
  Table table("pipeline", argc, argv);
  const fs::path folder = fs::temp_directory_path() / fmt::format("contexton-bench-{}", ::getpid());
  write_images(folder / "some", kImages);
  double sink = 0;
  for (const int threads : {1, 2}) {
    const auto [ours, peer] = best_of(
        4, [&] { run_pipeline(folder / "some", folder / "out", {}, threads, ""); },
        [&] { sink += plain_loop(folder / "some"); });
    table.add(fmt::format("{} JPEG 1024x768 to dense SIFT (step {})", kImages, kStep), threads, ours,
              "imread + vl_dsift, 1 thread", peer);
  }
  write_images(folder / "many", 300);
  run_pipeline(folder / "many", folder / "out300", folder / "cache", 2, kRest);
  const double cached =
      seconds_of([&] { run_pipeline(folder / "many", folder / "out300", folder / "cache", 2, kRest); });
  table.add("300 images, whole codebook run, all cached", 2, cached, "-", 0);
  fs::remove_all(folder);
  return sink == 12345 ? 1 : 0;
}
