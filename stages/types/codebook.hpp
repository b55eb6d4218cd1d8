// A visual codebook: words, their statistics, and what is needed to use it on new images.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/rows.hpp"
#include "pipeline/artifact.hpp"

namespace contexton {

struct Codebook {
  static constexpr const char* kName = "Codebook";

  Matrix words;  // one row per word
  Rows::Type descriptor_type = Rows::Type::uint8;
  std::vector<std::int64_t> counts;          // descriptors per word in the set it was learnt from
  std::vector<std::int64_t> documents;       // images in which each word occurs
  std::int64_t images = 0, descriptors = 0;  // size of that set
  std::int64_t learnt_from = 0;  // descriptors the words were fitted to; less than `descriptors` if sampled
  double objective = 0;          // mean squared distance to the nearest word
  std::uint64_t seed = 0;
  nlohmann::ordered_json
      recipe;  // pipeline fragment that turns images into these descriptors; null if unknown

  // ln((1 + images) / (1 + documents)) + 1: smooth, positive, defined for words that never occur.
  [[nodiscard]] std::vector<float> idf() const;

  void save(ArtifactWriter& writer) const;
  static Codebook load(const ArtifactReader& reader);
};

}  // namespace contexton
