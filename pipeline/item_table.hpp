// What the items of a set are: names, class labels and content keys. Sets meet by item name.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pipeline/hash.hpp"

namespace contexton {

inline constexpr std::int32_t kNoLabel = -1;

struct ItemTable {
  std::vector<std::string> names;        // unique; an image's path below its folder
  std::vector<std::int32_t> labels;      // index into label_names, or kNoLabel; as long as names
  std::vector<std::string> label_names;  // sorted
  std::vector<Key> keys;                 // content of each item; as long as names

  [[nodiscard]] std::size_t size() const { return names.size(); }
  [[nodiscard]] std::string label_of(std::size_t i) const {
    return labels[i] < 0 ? "" : label_names[static_cast<std::size_t>(labels[i])];
  }
  [[nodiscard]] bool has_labels() const { return !label_names.empty(); }
};

// Index of every name. The views point into the table.
std::unordered_map<std::string_view, std::size_t> index_by_name(const ItemTable& table);

// The rows given, in that order.
ItemTable select_items(const ItemTable& table, const std::vector<std::size_t>& rows);

// File names for the items' pictures: the name without its extension where that is unique, else with it.
std::vector<std::string> file_stems(const ItemTable& table);

// Everything about the table: names, labels and keys.
Key content_key(const ItemTable& table);

nlohmann::json to_json(const ItemTable& table);
ItemTable item_table_from_json(const nlohmann::json& json);

}  // namespace contexton
