// Item tables and class labels from plain texts: what every input stage ends with.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pipeline/item_table.hpp"
#include "pipeline/report_section.hpp"
#include "stages/types/labels.hpp"

namespace contexton {

// Text from a file of any encoding, as it may stand in JSON: where it is not UTF-8, bytes become %XX.
std::string utf8_text(const std::string& bytes);

// A table of items; an empty label is none. All three are equally long.
ItemTable make_item_table(std::vector<std::string> names, const std::vector<std::string>& labels,
                          std::vector<Key> keys);

// The table's labels as an artifact; `of` says what the items are: "images", "vectors".
Labels labels_of(const ItemTable& table, const std::string& of);

// How many items each class has, and how many have none. For the report.
ReportTable class_table(const ItemTable& table, const std::string& title, const std::string& items);

}  // namespace contexton
