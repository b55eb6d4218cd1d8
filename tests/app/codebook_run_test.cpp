// The codebook pipeline end to end through the real program: results, encode, resuming, stopping, memory.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <thread>

#include "models/random.hpp"
#include "tests/app/program.hpp"

namespace contexton::app_test {
namespace {

const std::string kConfig = (fs::path(CONTEXTON_SOURCE_DIR) / "configs/codebook.json").string();
const std::string kPython = "/usr/bin/python3";

class CodebookRun : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    images_ = new TemporaryFolder;
    write_texture_folder(images_->path() / "set", 3, 8, 160, 120);
  }
  static void TearDownTestSuite() { delete images_; }

  std::vector<std::string> command(const std::string& out, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"run",   kConfig,    "--set", "images=" + (*images_ / "set"),
                                       "--set", "words=20", "--out", folder / out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  nlohmann::json run_json(const std::string& out) const {
    return nlohmann::json::parse(read_file(folder.path() / out / "run.json"));
  }

  static TemporaryFolder* images_;
  TemporaryFolder folder;
  Program program{folder.path()};
};
TemporaryFolder* CodebookRun::images_ = nullptr;

TEST_F(CodebookRun, leaves_codebook_histograms_pictures_and_report) {
  const Finished result = program.run(command("out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("report.html"), std::string::npos);
  for (const char* file :
       {"codebook.npy", "codebook.json", "codebook.yml.gz", "bow.npy", "bow.csv", "bow.svmlight",
        "gallery.png", "report.html", "run.json", "trace.json", "overlays/class0/image00.png"})
    EXPECT_TRUE(fs::exists(folder.path() / "out" / file)) << file;
  const auto run = run_json("out");
  EXPECT_EQ(run.at("status"), "done");
  EXPECT_EQ(run.at("inputs").at("used"), 24);
  EXPECT_TRUE(run.at("metrics").contains("words.objective"));
  const std::string report = read_file(folder.path() / "out" / "report.html");
  EXPECT_EQ(report.find("src=\"http"), std::string::npos);
  EXPECT_LT(report.size(), 5'000'000u);
}

TEST_F(CodebookRun, python_reads_the_files_and_encode_gives_the_same_histograms) {
  if (run_command(kPython + " -c 'import numpy'", folder.path()).exit_code != 0)
    GTEST_SKIP() << "python3-numpy is not installed";
  ASSERT_EQ(program.run(command("out")).exit_code, 0);
  const Finished encoded = program.run(
      {"encode", "--codebook", folder / "out", "--images", *images_ / "set", "--out", folder / "new.npy"});
  ASSERT_EQ(encoded.exit_code, 0) << encoded.err;
  const Finished python = run_command(kPython + R"( - <<'EOF'
import json, numpy as np
out = ')" + (folder / "out") + R"('
words = np.load(out + '/codebook.npy'); about = json.load(open(out + '/codebook.json'))
bow = np.load(out + '/bow.npy'); new = np.load(')" +
                                          (folder / "new.npy") + R"(')
assert words.shape == (20, 128) and words.dtype == np.float32, words.shape
assert about['words'] == 20 and about['dims'] == 128 and sum(about['counts']) == about['descriptors']
assert bow.shape == (24, 20) and np.allclose(bow.sum(1), 1, atol=1e-5)
assert np.array_equal(bow, new)
names = [line.split(',')[0] for line in open(out + '/bow.csv')][1:]
assert names == json.load(open(')" + (folder / "new.npy.json") +
                                          R"('))['items']
EOF)",
                                      folder.path());
  EXPECT_EQ(python.exit_code, 0) << python.err;
}

TEST_F(CodebookRun, encode_refuses_damaged_and_foreign_codebooks) {
  ASSERT_EQ(program.run(command("out")).exit_code, 0);
  const auto encode = [&](const std::string& codebook) {
    return program.run(
        {"encode", "--codebook", codebook, "--images", *images_ / "set", "--out", folder / "x.npy"});
  };
  const fs::path npy = folder.path() / "out" / "codebook.npy";
  const std::string bytes = read_file(npy);
  std::string damaged = bytes;
  damaged[bytes.size() - 7] = static_cast<char>(damaged[bytes.size() - 7] + 1);
  std::ofstream(npy, std::ios::binary) << damaged;
  EXPECT_EQ(encode(folder / "out").exit_code, 1);
  EXPECT_NE(encode(folder / "out").err.find("damaged"), std::string::npos);
  EXPECT_EQ(encode((folder.path() / "out" / "bow.npy").string()).exit_code, 1);
  EXPECT_EQ(encode((folder.path() / "out" / "run.json").string()).exit_code, 1);
  EXPECT_EQ(encode(folder / "nothing").exit_code, 1);
  EXPECT_FALSE(fs::exists(folder / "x.npy"));
}

TEST_F(CodebookRun, gives_the_same_bytes_for_every_number_of_threads) {
  std::map<std::string, std::string> reference;
  for (const std::string threads : {"1", "2", "3", "8"}) {
    ASSERT_EQ(program.run(command("out" + threads, {"--threads", threads, "--no-cache"})).exit_code, 0);
    const auto files = contents(folder.path() / ("out" + threads));
    if (reference.empty()) reference = files;
    ASSERT_GT(files.size(), 30u);
    EXPECT_TRUE(files == reference) << threads << " threads";
  }
}

TEST_F(CodebookRun, a_killed_run_goes_on_to_the_same_bytes) {
  const Finished whole = program.run(command("whole", {"--no-cache"}));
  ASSERT_EQ(whole.exit_code, 0);
  const auto reference = contents(folder.path() / "whole");
  Random random(2024);
  int killed = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string cache = folder / fmt::format("cache{}", round);
    // Killed again and again, each time a little later, until it gets through.
    for (double patience = 0.02;; patience += random.uniform(0.02, whole.seconds / 3)) {
      const pid_t process = program.start(command("out", {"--cache", cache}));
      std::this_thread::sleep_for(std::chrono::duration<double>(patience));
      ::kill(process, SIGKILL);
      const Finished result = program.wait(process);
      if (result.exit_code == 0) break;
      ASSERT_EQ(result.exit_code, 128 + SIGKILL) << result.err;
      ++killed;
    }
    EXPECT_TRUE(contents(folder.path() / "out") == reference) << "round " << round;
    fs::remove_all(cache);
    fs::remove_all(folder / "out");
  }
  EXPECT_GE(killed, 12);
}

TEST_F(CodebookRun, ctrl_c_stops_within_two_seconds_with_130_and_the_same_command_goes_on) {
  const std::vector<std::string> arguments{"run",          kConfig,   "--out",
                                           folder / "out", "--cache", folder / "fresh"};
  const pid_t process = program.start(arguments);
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  const auto asked = std::chrono::steady_clock::now();
  ::kill(process, SIGINT);
  const Finished stopped = program.wait(process);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count(), 2);
  // "stopped", or still "running" where a library call did not come back in time.
  EXPECT_NE(run_json("out").at("status"), "done");
  EXPECT_EQ(program.run(arguments).exit_code, 0);
  EXPECT_EQ(run_json("out").at("status"), "done");
}

TEST_F(CodebookRun, a_bad_image_is_skipped_and_named_and_a_fully_bad_folder_is_an_error) {
  fs::copy(images_->path() / "set", folder.path() / "set", fs::copy_options::recursive);
  std::ofstream(folder.path() / "set/class0/broken.jpg") << "not an image";
  std::vector<std::string> arguments{"run",   kConfig,    "--set", "images=" + (folder / "set"),
                                     "--set", "words=20", "--out", folder / "out"};
  const Finished result = program.run(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("1 of 25"), std::string::npos) << result.err;
  EXPECT_EQ(run_json("out").at("inputs").at("skipped"), 1);
  arguments.insert(arguments.end(), {"--set", "on_error=fail"});
  const Finished failed = program.run(arguments);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("broken.jpg"), std::string::npos) << failed.err;

  fs::create_directories(folder.path() / "bad");
  std::ofstream(folder.path() / "bad/a.png") << "x";
  const Finished bad =
      program.run({"run", kConfig, "--set", "images=" + (folder / "bad"), "--out", folder / "out2"});
  EXPECT_EQ(bad.exit_code, 1);
  fs::create_directories(folder.path() / "empty");
  const Finished empty =
      program.run({"run", kConfig, "--set", "images=" + (folder / "empty"), "--out", folder / "out3"});
  EXPECT_NE(empty.exit_code, 0);
}

TEST_F(CodebookRun, sparse_sift_works_through_the_same_config) {
  const Finished result = program.run(command("out", {"--set", "features=features.sift"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(read_file(folder.path() / "out" / "codebook.json"))
                .at("recipe")
                .at("stages")
                .at("points")
                .at("type"),
            "features.sift");
}

// 2 Mpixel images from JPEG to histogram: the memory held does not grow with their number.
TEST_F(CodebookRun, memory_does_not_grow_with_the_number_of_images) {
  write_texture_folder(folder.path() / "big", 1, 6, 1800, 1120);
  std::vector<fs::path> originals;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "big"))
    if (entry.path().extension() == ".jpg") originals.push_back(entry.path());
  const auto make_set = [&](int count) {
    const fs::path set = folder.path() / fmt::format("set{}", count);
    fs::create_directories(set);
    for (int i = 0; i < count; ++i)
      fs::copy_file(originals[static_cast<std::size_t>(i) % originals.size()],
                    set / fmt::format("{:04}.jpg", i));
    return set.string();
  };
  const Finished learnt =
      program.run({"run", kConfig, "--set", "images=" + (*images_ / "set"), "--set", "words=16", "--set",
                   "points.step=32", "--set", "points.bin_sizes=[8]", "--out", folder / "out"});
  ASSERT_EQ(learnt.exit_code, 0) << learnt.err;
  const auto peak_mb = [&](int count) {
    const Finished result =
        program.run({"encode", "--codebook", folder / "out", "--images", make_set(count), "--out",
                     folder / fmt::format("{}.npy", count), "--no-cache", "--threads", "2"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return static_cast<double>(result.peak_kb) / 1024;
  };
  const double few = peak_mb(50), many = peak_mb(300);
  fmt::print("peak memory: {:.0f} MB with 50 images, {:.0f} MB with 300\n", few, many);
  EXPECT_LT(many, 700);
  EXPECT_LT(many, few * 1.1);
}

}  // namespace
}  // namespace contexton::app_test
