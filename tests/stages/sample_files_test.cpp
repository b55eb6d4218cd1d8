// The built-in images as files are the built-in images.
#include "stages/input/sample_files.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

#include "stages/input/builtin_textures.hpp"
#include "stages/types/image_set.hpp"
#include "tests/stages/one_stage.hpp"

namespace contexton {
namespace {

TEST(SampleFiles, files_read_back_are_the_builtin_images_with_their_truth) {
  const testing::TemporaryFolder folder;
  const auto paths = write_sample_files(folder.path() / "new folder");
  ASSERT_EQ(paths.size(), 2 * builtin_texture_count());
  for (const auto& path : paths) EXPECT_TRUE(std::filesystem::is_regular_file(path)) << path;

  testing::OneStage files("input.images", {{"path", (folder.path() / "new folder").string()},
                                           {"truth", "{dir}/{stem}.mask.png"},
                                           {"gray", false},
                                           {"limit", 3}});
  testing::OneStage builtin("input.images", {{"path", "builtin:textures"}, {"gray", false}, {"limit", 3}});
  const auto from_files = files.run<ImageSet>(), drawn = builtin.run<ImageSet>();
  ASSERT_EQ(from_files.table->size(), 3U);  // a few will do
  for (std::size_t i = 0; i < drawn.table->size(); ++i) {
    EXPECT_EQ(from_files.table->names[i], drawn.table->names[i] + ".png");
    const Image a = from_files.fetch(i), b = drawn.fetch(i);
    EXPECT_EQ(cv::norm(a.pixels, b.pixels, cv::NORM_INF), 0);
    EXPECT_EQ(cv::norm(a.truth, b.truth, cv::NORM_INF), 0);
  }
}

}  // namespace
}  // namespace contexton
