// Writing of the built-in images as PNG.
#include "stages/input/sample_files.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <opencv2/imgcodecs.hpp>
#include <string_view>

#include "pipeline/errors.hpp"
#include "pipeline/files.hpp"
#include "stages/input/builtin_textures.hpp"

namespace contexton {
namespace {

void write_png(const fs::path& path, const cv::Mat& pixels) {
  std::vector<unsigned char> bytes;
  if (!cv::imencode(".png", pixels, bytes)) throw RunError(fmt::format("cannot encode {}", path.string()));
  write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

std::vector<fs::path> write_sample_files(const fs::path& folder) {
  make_folders(folder);
  std::vector<fs::path> paths;
  for (std::size_t i = 0; i < builtin_texture_count(); ++i) {
    paths.push_back(folder / (builtin_texture_name(i) + ".png"));
    paths.push_back(folder / (builtin_texture_name(i) + ".mask.png"));
  }
  tbb::parallel_for(std::size_t{0}, builtin_texture_count(), [&](std::size_t i) {
    const BuiltinTexture texture = make_builtin_texture(i);
    write_png(paths[2 * i], texture.pixels);
    write_png(paths[2 * i + 1], texture.truth);
  });
  return paths;
}

}  // namespace contexton
