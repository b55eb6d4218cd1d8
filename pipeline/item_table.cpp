// Item tables: look-up, selection, file names, and their form on disk.
#include "pipeline/item_table.hpp"

#include <filesystem>

namespace contexton {

std::unordered_map<std::string_view, std::size_t> index_by_name(const ItemTable& table) {
  std::unordered_map<std::string_view, std::size_t> index;
  index.reserve(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) index.emplace(table.names[i], i);
  return index;
}

ItemTable select_items(const ItemTable& table, const std::vector<std::size_t>& rows) {
  ItemTable selected;
  selected.label_names = table.label_names;
  for (const std::size_t row : rows) {
    selected.names.push_back(table.names[row]);
    selected.labels.push_back(table.labels[row]);
    selected.keys.push_back(table.keys[row]);
  }
  return selected;
}

std::vector<std::string> file_stems(const ItemTable& table) {
  const auto without_extension = [](const std::string& name) {
    return std::filesystem::path(name).replace_extension().generic_string();
  };
  std::unordered_map<std::string, int> uses;
  for (const std::string& name : table.names) {
    ++uses[without_extension(name)];
    ++uses[name];
  }
  std::vector<std::string> stems;
  stems.reserve(table.size());
  for (const std::string& name : table.names) {
    const std::string stem = without_extension(name);
    stems.push_back(uses[stem] == (stem == name ? 2 : 1) ? stem : name);
  }
  return stems;
}

Key content_key(const ItemTable& table) {
  KeyBuilder builder;
  builder.add(table.size());
  for (std::size_t i = 0; i < table.size(); ++i)
    builder.add(table.names[i]).add(table.label_of(i)).add(table.keys[i]);
  return builder.key();
}

nlohmann::json to_json(const ItemTable& table) {
  std::vector<std::string> keys;
  keys.reserve(table.size());
  for (const Key& key : table.keys) keys.push_back(key.hex());
  return {
      {"names", table.names}, {"labels", table.labels}, {"label_names", table.label_names}, {"keys", keys}};
}

ItemTable item_table_from_json(const nlohmann::json& json) {
  ItemTable table;
  json.at("names").get_to(table.names);
  json.at("labels").get_to(table.labels);
  json.at("label_names").get_to(table.label_names);
  for (const auto& key : json.at("keys")) table.keys.push_back(Key::from_hex(key.get<std::string>()));
  return table;
}

}  // namespace contexton
