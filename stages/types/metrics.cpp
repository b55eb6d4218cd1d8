// Metrics on disk: names as JSON, numbers as an array, which holds NaN and every bit.
#include "stages/types/metrics.hpp"

#include <stdexcept>

namespace contexton {

double Metrics::at(const std::string& name) const {
  for (const auto& [known, value] : values)
    if (known == name) return value;
  throw std::out_of_range("no metric is called " + name);
}

void Metrics::save(ArtifactWriter& writer) const {
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (const auto& [name, number] : values) {
    names.push_back(name);
    numbers.push_back(number);
  }
  writer.append<double>("numbers", -1, numbers);
  writer.document() = {{"names", names}};
}

Metrics Metrics::load(const ArtifactReader& reader) {
  Metrics metrics;
  const auto names = reader.document().at("names").get<std::vector<std::string>>();
  if (names.empty()) return metrics;
  const NpyArray array = reader.array("numbers");
  const auto numbers = array.values<double>();
  for (std::size_t i = 0; i < names.size(); ++i) metrics.values.emplace_back(names[i], numbers[i]);
  return metrics;
}

}  // namespace contexton
