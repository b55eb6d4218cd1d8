// Tests of encode.bow: counts, weights, norms, and descriptors that do not fit the codebook.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <numeric>

#include "tests/stages/one_stage.hpp"
#include "tests/stages/small_sets.hpp"

namespace contexton::testing {
namespace {

// Words at (0, 0), (100, 0) and (0, 100); see codebook_of for the statistics.
Codebook three_words() {
  Matrix words(3, 2);
  words << 0, 0, 100, 0, 0, 100;
  return codebook_of(words);
}

// One descriptor of word 0, three of word 1, none of word 2.
ImagePrimitives four_descriptors() {
  return image_with(std::vector<std::uint8_t>{1, 2, 99, 3, 120, 5, 90, 10}, 2);
}

std::vector<float> encode(const Codebook& codebook, const ImagePrimitives& image,
                          const nlohmann::ordered_json& params) {
  OneStage stage("encode.bow", params);
  return stage.run<VectorItem>(&image, &codebook).values;
}

TEST(EncodeBow, counts_the_nearest_words) {
  EXPECT_EQ(encode(three_words(), four_descriptors(), {{"normalize", "none"}}),
            (std::vector<float>{1, 3, 0}));
}

TEST(EncodeBow, l1_sums_to_one_and_is_the_default) {
  EXPECT_EQ(encode(three_words(), four_descriptors(), nlohmann::ordered_json::object()),
            (std::vector<float>{0.25F, 0.75F, 0}));
}

TEST(EncodeBow, l2_has_unit_length) {
  const auto vector = encode(three_words(), four_descriptors(), {{"normalize", "l2"}});
  EXPECT_FLOAT_EQ(vector[0], static_cast<float>(1 / std::sqrt(10.0)));
  EXPECT_FLOAT_EQ(vector[1], static_cast<float>(3 / std::sqrt(10.0)));
}

TEST(EncodeBow, tf_idf_weighs_counts_before_normalising) {
  // 10 images; word 0 in 1 of them, word 1 in 2.
  const double idf_0 = std::log(11.0 / 2) + 1, idf_1 = std::log(11.0 / 3) + 1;
  const auto plain = encode(three_words(), four_descriptors(), {{"normalize", "none"}, {"tf_idf", true}});
  EXPECT_NEAR(plain[0], idf_0, 1e-6);
  EXPECT_NEAR(plain[1], 3 * idf_1, 1e-6);
  EXPECT_EQ(plain[2], 0);
  const auto unit = encode(three_words(), four_descriptors(), {{"normalize", "l1"}, {"tf_idf", true}});
  EXPECT_NEAR(unit[0], idf_0 / (idf_0 + 3 * idf_1), 1e-6);
  EXPECT_NEAR(unit[0] + unit[1], 1, 1e-6);
}

TEST(EncodeBow, every_norm_holds_for_random_descriptors) {
  Random random(1);
  std::vector<std::uint8_t> values;
  for (int i = 0; i < 700 * 16; ++i) values.push_back(static_cast<std::uint8_t>(random.below(256)));
  const ImagePrimitives image = image_with(values, 16);
  const Codebook codebook = codebook_of(random_matrix(40, 16, 2));
  for (const bool tf_idf : {false, true}) {
    double sum = 0, squares = 0;
    for (const float weight : encode(codebook, image, {{"normalize", "l1"}, {"tf_idf", tf_idf}}))
      sum += static_cast<double>(weight);
    for (const float weight : encode(codebook, image, {{"normalize", "l2"}, {"tf_idf", tf_idf}}))
      squares += static_cast<double>(weight) * weight;
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_NEAR(squares, 1, 1e-5);
  }
}

TEST(EncodeBow, an_image_without_primitives_is_a_zero_vector_and_noted) {
  const Codebook codebook = three_words();
  const ImagePrimitives empty = image_with(std::vector<std::uint8_t>{}, 2);
  OneStage stage("encode.bow", {{"normalize", "l2"}, {"tf_idf", true}});
  stage.item.name = "white.png";
  EXPECT_EQ(stage.run<VectorItem>(&empty, &codebook).values, (std::vector<float>{0, 0, 0}));
  ASSERT_EQ(stage.outcome.ledger.size(), 1U);
  EXPECT_EQ(stage.outcome.ledger[0].item, "white.png");
  EXPECT_EQ(stage.outcome.ledger[0].what, "noted");
}

TEST(EncodeBow, descriptors_of_another_kind_are_refused) {
  const auto message = [](const ImagePrimitives& image) -> std::string {
    try {
      encode(three_words(), image, nlohmann::ordered_json::object());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(image_with(std::vector<std::uint8_t>{1, 2, 3}, 3))
                .find("uint8 descriptors of 2 dimensions, but these are uint8 of 3"),
            std::string::npos);
  EXPECT_NE(message(image_with(std::vector<float>{1, 2}, 2))
                .find("uint8 descriptors of 2 dimensions, but these are float32 of 2"),
            std::string::npos);
}

TEST(EncodeBow, a_descriptor_that_is_not_a_number_is_refused) {
  Codebook codebook = three_words();
  codebook.descriptor_type = Rows::Type::float32;
  const ImagePrimitives image = image_with(std::vector<float>{1, 2, std::nanf(""), 2}, 2);
  EXPECT_THROW(encode(codebook, image, nlohmann::ordered_json::object()), std::runtime_error);
}

TEST(EncodeBow, another_codebook_in_the_same_place_is_noticed) {
  Codebook codebook = three_words();
  const ImagePrimitives image = four_descriptors();
  OneStage stage("encode.bow", {{"normalize", "none"}, {"tf_idf", true}});
  const auto before = stage.run<VectorItem>(&image, &codebook).values;
  codebook.words.row(0).swap(codebook.words.row(1));
  const auto words_changed = stage.run<VectorItem>(&image, &codebook).values;
  EXPECT_EQ(words_changed, encode(codebook, image, {{"normalize", "none"}, {"tf_idf", true}}));
  EXPECT_NE(words_changed, before);
  codebook.documents = {9, 9, 9};
  EXPECT_EQ(stage.run<VectorItem>(&image, &codebook).values,
            encode(codebook, image, {{"normalize", "none"}, {"tf_idf", true}}));
}

TEST(EncodeBow, many_threads_may_share_one_stage) {
  const Codebook codebook = codebook_of(random_matrix(100, 8, 3));
  const StageType* type = Registry::global().find("encode.bow");
  const auto stage = type->create();
  std::vector<std::vector<float>> alone(64), shared(64);
  const auto image_number = [](std::size_t i) {
    Random random(i);
    std::vector<std::uint8_t> values;
    for (int v = 0; v < 50 * 8; ++v) values.push_back(static_cast<std::uint8_t>(random.below(256)));
    return image_with(std::move(values), 8);
  };
  const StageRun::Services services;
  tbb::parallel_for(std::size_t{0}, shared.size(), [&](std::size_t i) {
    const ImagePrimitives image = image_number(i);
    StageOutcome outcome;
    StageRun run(services, outcome);
    const std::vector<const void*> inputs{&image, &codebook};
    shared[i] = std::static_pointer_cast<const VectorItem>(type->run(stage.get(), inputs, run).at(0))->values;
  });
  for (std::size_t i = 0; i < alone.size(); ++i)
    alone[i] = encode(codebook, image_number(i), nlohmann::ordered_json::object());
  EXPECT_EQ(alone, shared);
}

}  // namespace
}  // namespace contexton::testing
