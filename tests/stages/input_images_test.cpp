// input.images end to end on files the tests make: sets, classes, masks, truth, keys, ledger, report.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "models/random.hpp"
#include "pipeline/errors.hpp"
#include "pipeline/files.hpp"
#include "stages/input/builtin_textures.hpp"
#include "stages/types/image_set.hpp"
#include "stages/types/labels.hpp"
#include "tests/stages/one_stage.hpp"

namespace contexton {
namespace {

using testing::OneStage;
using testing::TemporaryFolder;
using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

cv::Mat noise(int width, int height, std::uint64_t seed) {
  Random random(seed);
  cv::Mat_<std::uint8_t> pixels(height, width);
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random.below(256));
  return pixels;
}

class InputImages : public ::testing::Test {
 protected:
  void save(const std::string& name, const cv::Mat& pixels) const {
    fs::create_directories((folder.path() / name).parent_path());
    ASSERT_TRUE(cv::imwrite((folder.path() / name).string(), pixels));
  }
  void write(const std::string& name, std::string_view bytes) const {
    fs::create_directories((folder.path() / name).parent_path());
    write_file(folder.path() / name, bytes);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  [[nodiscard]] Json params(const Json& more = Json::object()) const {
    Json all{{"path", folder.path().string()}};
    all.update(more);
    return all;
  }
  [[nodiscard]] ImageSet set(const Json& more = Json::object()) const {
    return OneStage("input.images", params(more)).run<ImageSet>();
  }
  // What run throws, or "".
  [[nodiscard]] std::string failure(const Json& more = Json::object()) const {
    try {
      OneStage("input.images", params(more)).run<ImageSet>();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The ledger's reason for an item, or "".
std::string ledger(const OneStage& stage, const std::string& item, const std::string& what) {
  for (const LedgerRow& row : stage.outcome.ledger)
    if (row.item == item && row.what == what) return row.reason;
  return "";
}
double metric(const OneStage& stage, const std::string& name) {
  for (const auto& [key, value] : stage.outcome.metrics)
    if (key == name) return value;
  ADD_FAILURE() << "no metric " << name;
  return -1;
}

TEST_F(InputImages, a_folder_becomes_a_set_with_classes) {
  save("cat/1.png", noise(30, 20, 1));
  save("dog/my dög.jpg", noise(40, 50, 2));
  save("3.png", noise(10, 10, 3));
  OneStage stage("input.images", params());
  EXPECT_TRUE(stage.check().empty());
  const auto images = stage.run<ImageSet>();
  EXPECT_EQ(images.table->names, (Names{"3.png", "cat/1.png", "dog/my dög.jpg"}));
  EXPECT_EQ(images.channels, 1);
  EXPECT_EQ(images.sources[1].width, 30);
  EXPECT_EQ(images.sources[1].height, 20);
  EXPECT_EQ(cv::norm(images.fetch(1).pixels, noise(30, 20, 1), cv::NORM_INF), 0);
  const auto classes = stage.output<Labels>(1);
  EXPECT_EQ(classes.names, (Names{"cat", "dog"}));
  EXPECT_EQ(classes.values, (std::vector<std::int32_t>{-1, 0, 1}));
  EXPECT_EQ(classes.of, "images");
  EXPECT_EQ(classes.item_names, images.table->names);
  EXPECT_EQ(metric(stage, "images"), 3);
  EXPECT_EQ(metric(stage, "classes"), 2);
  EXPECT_EQ(metric(stage, "skipped"), 0);
}

TEST_F(InputImages, sizes_told_are_sizes_decoded) {
  save("wide.png", noise(333, 97, 1));
  save("high.png", noise(31, 517, 2));
  save("small.png", noise(9, 9, 3));
  for (const int side : {0, 8, 100, 333}) {
    const ImageSet images = set({{"max_side", side}});
    for (std::size_t i = 0; i < images.sources.size(); ++i) {
      const Image image = images.fetch(i);
      EXPECT_EQ(image.pixels.cols, images.sources[i].width) << side;
      EXPECT_EQ(image.pixels.rows, images.sources[i].height) << side;
    }
  }
}

TEST_F(InputImages, colour_is_kept_on_request) {
  save("a.png", cv::Mat(4, 4, CV_8UC3, cv::Scalar(10, 20, 200)));
  const ImageSet images = set({{"gray", false}});
  EXPECT_EQ(images.channels, 3);
  EXPECT_EQ(images.fetch(0).pixels.at<cv::Vec3b>(0, 0), cv::Vec3b(10, 20, 200));
  EXPECT_EQ(set().fetch(0).pixels.channels(), 1);
}

TEST_F(InputImages, bad_files_are_left_out_with_their_reasons) {
  save("good.png", noise(64, 64, 1));
  write("empty.png", "");
  write("text.png", "this is not a picture\n");
  std::vector<unsigned char> jpeg;
  cv::imencode(".jpg", noise(200, 200, 2), jpeg);
  write("cut.jpg", {reinterpret_cast<const char*>(jpeg.data()), jpeg.size() / 2});
  save("huge.png", noise(120, 100, 3));
  OneStage stage("input.images", params({{"max_pixels", 10000}}));
  EXPECT_EQ(stage.run<ImageSet>().table->names, (Names{"good.png"}));
  EXPECT_TRUE(has(ledger(stage, "empty.png", "skipped"), "empty"));
  EXPECT_TRUE(has(ledger(stage, "text.png", "skipped"), "text"));
  EXPECT_TRUE(has(ledger(stage, "huge.png", "skipped"), "max_pixels"));
  EXPECT_FALSE(ledger(stage, "cut.jpg", "skipped").empty());
  EXPECT_EQ(metric(stage, "skipped"), 4);
}

TEST_F(InputImages, all_bad_is_an_error_that_names_the_first_few) {
  for (const char* name : {"a.png", "b.png", "c.png", "d.png", "e.png"}) write(name, "no picture");
  const std::string reason = failure();
  EXPECT_TRUE(has(reason, folder.path().string())) << reason;
  EXPECT_TRUE(has(reason, "none of the 5 images found can be used: a.png: ")) << reason;
  EXPECT_TRUE(has(reason, "and 2 more")) << reason;
}

TEST_F(InputImages, none_found_is_an_error_with_a_hint) {
  EXPECT_TRUE(has(failure(), "no images found"));
  write("readme.txt", "x");
  write("film.mp4", "x");
  EXPECT_TRUE(has(failure(), "there are 2 files, but none that is named like an image")) << failure();
  EXPECT_TRUE(has(failure({{"path", at("*.jpg")}}), "nothing matches the pattern"));
}

TEST_F(InputImages, a_list_with_missing_files_skips_them) {
  save("a.png", noise(8, 8, 1));
  write("list.txt", "a.png\ngone.png\n");
  OneStage stage("input.images", {{"path", at("list.txt")}});
  EXPECT_EQ(stage.run<ImageSet>().table->names, (Names{"a.png"}));
  EXPECT_TRUE(has(ledger(stage, "gone.png", "skipped"), "does not exist"));
}

TEST_F(InputImages, ignored_files_are_noted_once) {
  save("a.png", noise(8, 8, 1));
  write("x.txt", "x");
  write("y.txt", "x");
  OneStage stage("input.images", params());
  stage.run<ImageSet>();
  ASSERT_EQ(stage.outcome.ledger.size(), 1U);
  EXPECT_TRUE(has(stage.outcome.ledger[0].reason, "2 files ignored"));
}

TEST_F(InputImages, what_the_header_tells_is_noted) {
  cv::Mat deep;
  noise(8, 8, 1).convertTo(deep, CV_16U, 16);
  save("deep.png", deep);
  save("alpha.png", cv::Mat(8, 8, CV_8UC4, cv::Scalar(1, 2, 3, 255)));
  OneStage stage("input.images", params());
  stage.run<ImageSet>();
  EXPECT_TRUE(has(ledger(stage, "deep.png", "noted"), "16-bit"));
  EXPECT_TRUE(has(ledger(stage, "alpha.png", "noted"), "alpha"));
}

// ---- masks and truth

cv::Mat left_half(int width, int height, int value) {
  cv::Mat mask(height, width, CV_8UC1, cv::Scalar(0));
  mask.colRange(0, width / 2).setTo(value);
  return mask;
}

TEST_F(InputImages, masks_and_truth_come_with_their_images) {
  save("a.png", noise(40, 20, 1));
  save("a.mask.png", left_half(40, 20, 1));
  save("gt/a.png", left_half(40, 20, 3));
  const Json pairs{{"mask", "{dir}/{stem}.mask.png"}, {"truth", "gt/{stem}.png"}};
  const ImageSet images = set(pairs);
  ASSERT_EQ(images.table->names, (Names{"a.png"}));
  const Image image = images.fetch(0);
  EXPECT_EQ(cv::countNonZero(image.mask), 400);
  EXPECT_EQ(cv::norm(image.truth, left_half(40, 20, 3), cv::NORM_INF), 0);
  EXPECT_TRUE(set().fetch(0).mask.empty());
}

TEST_F(InputImages, masks_and_truth_are_reduced_with_the_image_and_keep_their_values) {
  save("a.png", noise(400, 200, 1));
  save("a.mask.png", left_half(400, 200, 255));
  save("a.gt.png", left_half(400, 200, 7));
  const Image image =
      set({{"mask", "{stem}.mask.png"}, {"truth", "{stem}.gt.png"}, {"max_side", 100}}).fetch(0);
  EXPECT_EQ(image.pixels.size(), cv::Size(100, 50));
  EXPECT_EQ(cv::norm(image.mask, left_half(100, 50, 255), cv::NORM_INF), 0);
  EXPECT_EQ(cv::norm(image.truth, left_half(100, 50, 7), cv::NORM_INF), 0);
}

TEST_F(InputImages, sixteen_bit_labels_are_not_stretched) {
  save("a.png", noise(40, 20, 1));
  cv::Mat labels;
  left_half(40, 20, 3).convertTo(labels, CV_16U);
  save("a.gt.png", labels);
  const Json pairs{{"truth", "{stem}.gt.png"}};
  EXPECT_EQ(set(pairs).fetch(0).truth.at<std::uint8_t>(0, 0), 3);
  labels *= 100;
  save("a.gt.png", labels);
  EXPECT_TRUE(has(failure(pairs), "labels from 0 to 300")) << failure(pairs);
}

TEST_F(InputImages, truth_that_cannot_hold_labels_is_an_error) {
  save("a.png", noise(40, 20, 1));
  save("a.gt.jpg", left_half(40, 20, 3));
  EXPECT_TRUE(has(failure({{"truth", "{stem}.gt.jpg"}}), "JPEG"));
  save("a.gt.png", cv::Mat(20, 40, CV_8UC3, cv::Scalar(1, 2, 3)));
  EXPECT_TRUE(has(failure({{"truth", "{stem}.gt.png"}}), "colour"));
}

TEST_F(InputImages, a_coloured_or_lossy_mask_still_says_where_to_look) {
  save("a.png", noise(64, 32, 1));
  cv::Mat colour(32, 64, CV_8UC3, cv::Scalar(0, 0, 0));
  colour.colRange(0, 32).setTo(cv::Scalar(0, 0, 255));
  save("a.red.png", colour);
  EXPECT_EQ(cv::countNonZero(set({{"path", at("a.png")}, {"mask", "{stem}.red.png"}}).fetch(0).mask), 1024);
  save("a.m.jpg", left_half(64, 32, 255));
  EXPECT_EQ(cv::countNonZero(set({{"path", at("a.png")}, {"mask", "{stem}.m.jpg"}}).fetch(0).mask), 1024);
}

TEST_F(InputImages, transparent_parts_stay_out_of_a_mask) {
  cv::Mat pixels(20, 40, CV_8UC4, cv::Scalar(50, 60, 70, 255));
  pixels.rowRange(0, 10).setTo(cv::Scalar(0, 0, 0, 0));
  save("a.png", pixels);
  save("a.mask.png", left_half(40, 20, 255));
  EXPECT_EQ(cv::countNonZero(set({{"mask", "{stem}.mask.png"}}).fetch(0).mask), 200);
}

// A JPEG with an EXIF block that asks for a quarter turn (orientation 6).
std::string turned_jpeg(const cv::Mat& pixels) {
  std::vector<unsigned char> plain;
  cv::imencode(".jpg", pixels, plain, {cv::IMWRITE_JPEG_QUALITY, 100});
  const unsigned char exif[] = {0xFF, 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0,    0,    'M', 'M',
                                0,    42,   0, 0,  0,   8,   0,   1,   0x01, 0x12, 0,   3,
                                0,    0,    0, 1,  0,   6,   0,   0,   0,    0,    0,   0};
  std::string bytes(plain.begin(), plain.begin() + 2);
  bytes.append(reinterpret_cast<const char*>(exif), sizeof exif);
  return bytes.append(plain.begin() + 2, plain.end());
}

TEST_F(InputImages, a_mask_fits_a_turned_photograph_upright_or_as_stored) {
  cv::Mat stored(40, 80, CV_8UC1, cv::Scalar(30));
  stored.colRange(0, 40).setTo(220);  // bright on the left as stored: on top when upright
  write("a.jpg", turned_jpeg(stored));
  cv::Mat upright(80, 40, CV_8UC1, cv::Scalar(0));
  upright.rowRange(0, 40).setTo(255);
  save("a.upright.png", upright);
  save("a.stored.png", left_half(80, 40, 255));
  for (const char* pattern : {"{stem}.upright.png", "{stem}.stored.png"}) {
    const ImageSet images = set({{"path", at("a.jpg")}, {"mask", pattern}});
    EXPECT_EQ(images.sources[0].width, 40);
    EXPECT_EQ(images.sources[0].height, 80);
    const Image image = images.fetch(0);
    EXPECT_EQ(cv::norm(image.mask, upright, cv::NORM_INF), 0) << pattern;
    EXPECT_GT(cv::mean(image.pixels, image.mask)[0], 200) << pattern;
  }
  const ImageSet unturned = set({{"path", at("a.jpg")}, {"mask", "{stem}.stored.png"}, {"exif", false}});
  EXPECT_EQ(cv::norm(unturned.fetch(0).mask, left_half(80, 40, 255), cv::NORM_INF), 0);
  EXPECT_TRUE(
      has(failure({{"path", at("a.jpg")}, {"mask", "{stem}.upright.png"}, {"exif", false}}), "40 x 80"));
}

TEST_F(InputImages, masks_that_do_not_fit_are_errors_unless_waived) {
  save("images/a.png", noise(40, 20, 1));
  const Json pairs{{"path", at("images")}, {"mask", "{dir}/../masks/{stem}.png"}};
  Json waived = pairs;
  waived["unpaired"] = "waive";
  const auto expect = [&](const std::string& reason) {
    EXPECT_TRUE(has(failure(pairs), "a.png: mask ")) << failure(pairs);
    EXPECT_TRUE(has(failure(pairs), "masks/a.png")) << failure(pairs);
    EXPECT_TRUE(has(failure(pairs), reason)) << failure(pairs);
    OneStage stage("input.images", waived);
    EXPECT_TRUE(stage.run<ImageSet>().fetch(0).mask.empty());
    EXPECT_TRUE(has(ledger(stage, "a.png", "noted"), "used without its mask")) << reason;
  };
  expect("does not exist");
  save("masks/a.png", left_half(41, 20, 255));
  expect("is 41 x 20 pixels, its image 40 x 20");
  save("masks/a.png", left_half(40, 20, 0));
  expect("is empty: every pixel is 0");
  write("masks/a.png", "no picture");
  expect("not an image");
}

TEST_F(InputImages, all_zero_truth_is_fine) {
  save("a.png", noise(40, 20, 1));
  save("a.gt.png", left_half(40, 20, 0));
  EXPECT_EQ(cv::countNonZero(set({{"truth", "{stem}.gt.png"}}).fetch(0).truth), 0);
}

TEST_F(InputImages, builtin_images_bring_their_truth) {
  OneStage stage("input.images", {{"path", "builtin:textures"}, {"limit", 2}, {"max_side", 512}});
  EXPECT_TRUE(stage.check().empty());
  const auto images = stage.run<ImageSet>();
  ASSERT_EQ(images.table->size(), 2U);
  EXPECT_EQ(images.sources[0].width, 512);
  EXPECT_EQ(images.sources[0].height, 384);
  EXPECT_TRUE(images.sources[0].path.empty());
  const Image image = images.fetch(0);
  EXPECT_EQ(image.pixels.size(), cv::Size(512, 384));
  EXPECT_EQ(image.truth.size(), image.pixels.size());
  double most = 0;
  cv::minMaxLoc(image.truth, nullptr, &most);
  EXPECT_EQ(most, 1);
  EXPECT_NE(images.table->keys[0], images.table->keys[1]);
}

TEST_F(InputImages, an_item_given_out_can_be_drawn_on) {
  OneStage stage("input.images", {{"path", "builtin:textures"}, {"limit", 1}});
  const auto images = stage.run<ImageSet>();
  Image first = images.fetch(0);
  const cv::Mat before = first.pixels.clone();
  first.pixels.setTo(0);
  EXPECT_EQ(cv::norm(images.fetch(0).pixels, before, cv::NORM_INF), 0);
}

// ---- keys

TEST_F(InputImages, keys_change_with_bytes_masks_truth_and_options_only) {
  save("x/a.png", noise(40, 20, 1));
  save("x/b.png", noise(40, 20, 2));
  save("x/m/a.png", left_half(40, 20, 255));
  save("x/m/b.png", left_half(40, 20, 255));
  const Json at_x{{"path", at("x")}, {"mask", "m/{name}"}, {"truth", "m/{name}"}};
  const auto keys = [&](const Json& more = Json::object()) {
    Json all = at_x;
    all.update(more);
    return set(all).table->keys;
  };
  const auto before = keys();
  EXPECT_EQ(before, keys());
  EXPECT_NE(before[0], keys({{"gray", false}})[0]);
  EXPECT_NE(before[0], keys({{"max_side", 10}})[0]);
  EXPECT_NE(before[0], keys({{"exif", false}})[0]);
  EXPECT_NE(before[0], keys({{"range16", "full"}})[0]);
  EXPECT_NE(before[0], keys({{"mask", ""}})[0]);
  EXPECT_NE(before[0], keys({{"truth", ""}})[0]);
  EXPECT_NE(keys({{"truth", ""}})[0], keys({{"mask", ""}})[0]);

  fs::rename(folder.path() / "x", folder.path() / "y");
  EXPECT_EQ(before, keys({{"path", at("y")}}));
  save("y/a.png", noise(40, 20, 3));
  EXPECT_NE(before[0], keys({{"path", at("y")}})[0]);
  EXPECT_EQ(before[1], keys({{"path", at("y")}})[1]);
  save("y/m/b.png", left_half(40, 20, 254));
  EXPECT_NE(before[1], keys({{"path", at("y")}})[1]);
}

TEST_F(InputImages, a_file_that_changes_after_the_listing_is_not_read_under_the_old_key) {
  save("a.png", noise(40, 20, 1));
  const ImageSet images = set();
  save("a.png", noise(40, 20, 2));
  EXPECT_THROW(static_cast<void>(images.fetch(0)), std::runtime_error);
}

// ---- the rest

TEST_F(InputImages, limit_and_sample_choose_before_files_are_read) {
  for (int i = 0; i < 6; ++i)
    save("c" + std::to_string(i % 2) + "/" + std::to_string(i) + ".png", noise(8, 8, 1));
  EXPECT_EQ(set({{"limit", 2}}).table->names, (Names{"c0/0.png", "c0/2.png"}));
  OneStage stage("input.images", params({{"sample", 1}}));
  stage.services.seed = 5;
  const auto images = stage.run<ImageSet>();
  EXPECT_EQ(images.table->size(), 2U);
  EXPECT_EQ(images.table->labels, (std::vector<std::int32_t>{0, 1}));
}

TEST_F(InputImages, the_report_shows_facts_classes_and_a_few_pictures) {
  for (int i = 0; i < 30; ++i)
    save((i < 10 ? "cat/" : "dog/") + std::to_string(i) + ".png", noise(i == 0 ? 300 : 20, 20, 1));
  OneStage stage("input.images", params());
  stage.run<ImageSet>();
  const auto& blocks = stage.outcome.report.blocks;
  ASSERT_EQ(blocks.size(), 3U);
  const std::string facts = std::get<ReportText>(blocks[0]).text;
  EXPECT_TRUE(has(facts, "30 images in 2 classes")) << facts;
  EXPECT_TRUE(has(facts, "smallest is 20 x 20 pixels, the median 20 x 20, the largest 300 x 20")) << facts;
  const auto& table = std::get<ReportTable>(blocks[1]);
  EXPECT_EQ(table.rows, (std::vector<std::vector<nlohmann::json>>{{"cat", 10}, {"dog", 20}}));
  const auto& pictures = std::get<ReportPictures>(blocks[2]).pictures;
  ASSERT_EQ(pictures.size(), 24U);
  EXPECT_EQ(pictures[0].caption, "cat/0.png");
  const cv::Mat thumbnail = cv::imdecode(
      std::vector<char>(pictures[0].thumbnail.begin(), pictures[0].thumbnail.end()), cv::IMREAD_COLOR);
  EXPECT_EQ(thumbnail.size(), cv::Size(160, 11));
}

TEST_F(InputImages, what_is_told_does_not_depend_on_the_number_of_threads) {
  for (int i = 0; i < 40; ++i) save(std::to_string(i) + ".png", noise(16, 16, static_cast<std::uint64_t>(i)));
  for (int i = 0; i < 10; ++i) write("bad" + std::to_string(i) + ".png", "no picture");
  std::vector<nlohmann::json> told;
  for (const std::size_t threads : {1, 8}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    OneStage stage("input.images", params());
    const auto images = stage.run<ImageSet>();
    told.push_back({to_json(stage.outcome), to_json(*images.table)});
  }
  EXPECT_EQ(told[0], told[1]);
}

TEST_F(InputImages, a_stop_is_heard) {
  for (int i = 0; i < 10; ++i) save(std::to_string(i) + ".png", noise(16, 16, 1));
  const std::atomic<bool> stop = true;
  OneStage stage("input.images", params());
  stage.services.stop = &stop;
  EXPECT_THROW(stage.run<ImageSet>(), Interrupted);
}

TEST_F(InputImages, check_finds_every_mistake_before_anything_runs) {
  const auto messages = [](const Json& all) {
    std::string text;
    for (const std::string& message : OneStage("input.images", all).check()) text += message + "\n";
    return text;
  };
  const std::string all =
      messages({{"path", at("gone")}, {"labels", at("l.csv")}, {"mask", "m.png"}, {"truth", "{x}.png"}});
  EXPECT_TRUE(has(all, "path: " + at("gone") + " does not exist")) << all;
  EXPECT_TRUE(has(all, "labels: " + at("l.csv") + " does not exist")) << all;
  EXPECT_TRUE(has(all, "mask: 'm.png' has none of the placeholders")) << all;
  EXPECT_TRUE(has(all, "truth: '{x}.png' has the unknown placeholder '{x}'")) << all;
  EXPECT_TRUE(has(messages({{"path", "builtin:textures"}, {"mask", "{stem}.png"}}), "mask: built-in"));
  EXPECT_EQ(messages({{"path", "builtin:textures"}, {"truth", "{dir}/{stem}.mask.png"}}), "");
}

TEST_F(InputImages, a_pipe_in_a_list_does_not_hang_the_run_or_the_estimate) {
  save("a.png", noise(8, 8, 1));
  ASSERT_EQ(::mkfifo(at("pipe.png").c_str(), 0600), 0);
  write("list.txt", "a.png\npipe.png\n");
  OneStage stage("input.images", {{"path", at("list.txt")}});
  EXPECT_EQ(stage.run<ImageSet>().table->names, (Names{"a.png"}));
  EXPECT_TRUE(has(ledger(stage, "pipe.png", "skipped"), "not a regular file"));
  const StageType* type = Registry::global().find("input.images");
  const auto planned = type->create();
  type->find_param("path")->set(planned.get(), at("list.txt"));
  EXPECT_EQ(type->estimate(planned.get(), {}).items, 1);
}

TEST_F(InputImages, an_estimate_counts_images_and_pixels) {
  save("a.png", noise(40, 20, 1));
  save("b.jpg", noise(100, 100, 2));
  write("c.png", "no picture");
  const StageType* type = Registry::global().find("input.images");
  const auto stage = type->create();
  type->find_param("path")->set(stage.get(), folder.path().string());
  const Estimate estimate = type->estimate(stage.get(), {});
  EXPECT_EQ(estimate.items, 2);
  EXPECT_EQ(estimate.pixels, 10800);
  EXPECT_EQ(estimate.largest_item_pixels, 10000);
  EXPECT_TRUE(has(estimate.note, "1 of 3 files"));
  type->find_param("path")->set(stage.get(), "builtin:textures");
  EXPECT_EQ(type->estimate(stage.get(), {}).pixels,
            static_cast<double>(builtin_texture_count()) * 1024 * 768);
}

}  // namespace
}  // namespace contexton
