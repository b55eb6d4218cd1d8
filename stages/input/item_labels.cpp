// Labels as texts become indices into a sorted list.
#include "stages/input/item_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "pipeline/markup.hpp"

namespace contexton {

std::string utf8_text(const std::string& bytes) {
  if (is_utf8(bytes)) return bytes;
  std::string text;
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    text += code < 0x80 ? std::string(1, byte) : fmt::format("%{:02X}", code);
  }
  return text;
}

ItemTable make_item_table(std::vector<std::string> names, const std::vector<std::string>& labels,
                          std::vector<Key> keys) {
  assert(names.size() == labels.size() && names.size() == keys.size());
  ItemTable table;
  table.names = std::move(names);
  table.keys = std::move(keys);
  std::vector<std::string>& classes = table.label_names;
  for (const std::string& label : labels)
    if (!label.empty()) classes.push_back(label);
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  table.labels.reserve(labels.size());
  for (const std::string& label : labels) {
    const auto found = std::lower_bound(classes.begin(), classes.end(), label);
    table.labels.push_back(label.empty() ? kNoLabel : static_cast<std::int32_t>(found - classes.begin()));
  }
  return table;
}

Labels labels_of(const ItemTable& table, const std::string& of) {
  Labels labels;
  labels.values = table.labels;
  labels.of = of;
  labels.names = table.label_names;
  labels.item_names = table.names;
  return labels;
}

ReportTable class_table(const ItemTable& table, const std::string& title, const std::string& items) {
  std::vector<std::int64_t> counts(table.label_names.size() + 1);
  for (const std::int32_t label : table.labels)
    ++counts[label == kNoLabel ? counts.size() - 1 : static_cast<std::size_t>(label)];
  ReportTable report{title, {"class", items}, {}};
  for (std::size_t i = 0; i < table.label_names.size(); ++i)
    report.rows.push_back({table.label_names[i], counts[i]});
  if (counts.back() > 0) report.rows.push_back({"(none)", counts.back()});
  return report;
}

}  // namespace contexton
