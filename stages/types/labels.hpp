// An integer per item: the word of each primitive, the cluster or class of each image.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/artifact.hpp"

namespace contexton {

struct Labels {
  static constexpr const char* kName = "Labels";

  std::vector<std::int32_t> values;     // negative = unlabelled
  std::vector<float> distances;         // from the item to its label's prototype; empty = not known
  std::string of;                       // what was labelled: "primitives", "images", "vectors"
  std::vector<std::string> names;       // of the labels, 0 .. names.size()-1
  std::vector<std::string> item_names;  // of the items, where they have names; else empty

  void save(ArtifactWriter& writer) const;
  static Labels load(const ArtifactReader& reader);
};

}  // namespace contexton
