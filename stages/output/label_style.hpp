// How labels look wherever they are drawn: colour, name and number of each.
#pragma once

#include <string>
#include <vector>

#include "stages/output/palette.hpp"
#include "stages/types/labels.hpp"

namespace contexton {

struct LabelStyle {
  std::vector<std::int64_t> counts;  // items of each label
  std::vector<Colour> colours;       // of each label
  std::vector<std::string> names;    // of the first labels; the others are numbered
  std::string kind;                  // "word", "cluster": what an unnamed label is called

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  [[nodiscard]] std::string name(std::size_t label) const;
};

// O(items). The labels are 0 .. the largest that is named or occurs.
[[nodiscard]] LabelStyle style_of(const Labels& labels);

}  // namespace contexton
