// Counting and colouring of labels.
#include "stages/output/label_style.hpp"

#include <algorithm>

namespace contexton {

std::string LabelStyle::name(std::size_t label) const {
  return label < names.size() ? names[label] : kind + " " + std::to_string(label);
}

LabelStyle style_of(const Labels& labels) {
  LabelStyle style;
  style.names = labels.names;
  style.kind = labels.of == "primitives" ? "word" : "cluster";
  const std::int32_t largest = labels.values.empty() ? -1 : std::ranges::max(labels.values);
  style.counts.assign(std::max(labels.names.size(), static_cast<std::size_t>(std::max(largest, -1) + 1)), 0);
  for (const std::int32_t value : labels.values)
    if (value >= 0) ++style.counts[static_cast<std::size_t>(value)];
  style.colours = label_colours(style.counts);
  return style;
}

}  // namespace contexton
