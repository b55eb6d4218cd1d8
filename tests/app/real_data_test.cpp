// The codebook pipeline on real textures and scenes, where they are at hand (CONTEXTON_DATA).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pipeline/npy.hpp"
#include "tests/app/program.hpp"

namespace contexton::app_test {
namespace {

struct Case {
  const char* set;
  int per_class;
  double chance, least_accuracy;
};

class RealData : public ::testing::TestWithParam<Case> {};

std::vector<std::string> classes_of(const fs::path& csv) {
  std::vector<std::string> classes;
  std::ifstream file(csv);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto first = line.find(','), second = line.find(',', first + 1);
    classes.push_back(line.substr(first + 1, second - first - 1));
  }
  return classes;
}

// Leave-one-out 1-nearest-neighbour accuracy under the Hellinger distance.
double nearest_neighbour_accuracy(const NpyArray& bow, const std::vector<std::string>& classes) {
  int right = 0;
  for (std::int64_t i = 0; i < bow.rows(); ++i) {
    double best = 1e300;
    std::int64_t nearest = -1;
    for (std::int64_t j = 0; j < bow.rows(); ++j) {
      if (i == j) continue;
      double distance = 0;
      for (std::int64_t w = 0; w < bow.cols(); ++w) {
        const double difference = std::sqrt(bow.number(i, w)) - std::sqrt(bow.number(j, w));
        distance += difference * difference;
      }
      if (distance < best) {
        best = distance;
        nearest = j;
      }
    }
    right += classes[static_cast<std::size_t>(i)] == classes[static_cast<std::size_t>(nearest)];
  }
  return right / static_cast<double>(bow.rows());
}

TEST_P(RealData, a_codebook_uses_its_words_and_its_histograms_tell_classes_apart) {
  const fs::path images = real_data() / "images" / GetParam().set;
  if (real_data().empty() || !fs::exists(images))
    GTEST_SKIP() << "CONTEXTON_DATA is not set, or has no images/" << GetParam().set;
  const TemporaryFolder folder;
  Program program(folder.path());
  const Finished result = program.run(
      {"run", (fs::path(CONTEXTON_SOURCE_DIR) / "configs/codebook.json").string(), "--set",
       "images=" + images.string(), "--set", "words=100", "--set",
       fmt::format("images.sample={}", GetParam().per_class), "--set", "points.bin_sizes=[4]", "--set",
       "words.sample=40000", "--set", "words.iterations=15", "--out", folder / "out", "--no-cache"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto codebook = nlohmann::json::parse(read_file(folder.path() / "out/codebook.json"));
  std::int64_t used = 0, most = 0;
  for (const std::int64_t count : codebook.at("counts")) {
    used += count > 0;
    most = std::max(most, count);
  }
  EXPECT_GE(used, 98);
  EXPECT_LT(static_cast<double>(most), 0.25 * codebook.at("descriptors").get<double>());
  const auto run = nlohmann::json::parse(read_file(folder.path() / "out/run.json"));
  EXPECT_GT(run.at("metrics").at("words.entropy").get<double>(), 5);
  const double accuracy = nearest_neighbour_accuracy(NpyArray(folder.path() / "out/bow.npy"),
                                                     classes_of(folder.path() / "out/bow.csv"));
  fmt::print("{}: 1-NN accuracy {:.3f}, chance {:.3f}\n", GetParam().set, accuracy, GetParam().chance);
  EXPECT_GT(accuracy, GetParam().least_accuracy);
}

INSTANTIATE_TEST_SUITE_P(Sets, RealData,
                         ::testing::Values(Case{"kylberg128", 6, 1.0 / 24, 0.5},
                                           Case{"scenes15", 8, 1.0 / 15, 0.2}),
                         [](const auto& tested) { return std::string(tested.param.set); });

}  // namespace
}  // namespace contexton::app_test
