// Named numbers, such as the scores of a clustering.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pipeline/artifact.hpp"

namespace contexton {

struct Metrics {
  static constexpr const char* kName = "Metrics";

  std::vector<std::pair<std::string, double>> values;  // in the order they are shown; may hold NaN

  [[nodiscard]] double at(const std::string& name) const;  // throws std::out_of_range that names it

  void save(ArtifactWriter& writer) const;
  static Metrics load(const ArtifactReader& reader);
};

}  // namespace contexton
