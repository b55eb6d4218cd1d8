// CSV and svmlight, built in one string.
#include "stages/output/text_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace contexton {
namespace {

// A comment ends with its line, so that a name must not hold one.
std::string in_one_line(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return name;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string vectors_csv(const Vectors& vectors) {
  std::string text = "name,label";
  for (int column = 0; column < vectors.rows.dims; ++column)
    fmt::format_to(std::back_inserter(text), ",{}", column);
  text += '\n';
  for (std::int64_t i = 0; i < vectors.rows.count; ++i) {
    const auto item = static_cast<std::size_t>(i);
    text += csv_cell(vectors.table->names[item]) + ',' + csv_cell(vectors.table->label_of(item));
    for (const float value : vectors.rows.row<float>(i))
      fmt::format_to(std::back_inserter(text), ",{}", value);
    text += '\n';
  }
  return text;
}

std::string vectors_svmlight(const Vectors& vectors) {
  std::string text;
  for (std::int64_t i = 0; i < vectors.rows.count; ++i) {
    const auto item = static_cast<std::size_t>(i);
    fmt::format_to(std::back_inserter(text), "{}", std::max(vectors.table->labels[item], kNoLabel) + 1);
    int column = 0;
    for (const float value : vectors.rows.row<float>(i)) {
      ++column;
      if (value != 0) fmt::format_to(std::back_inserter(text), " {}:{}", column, value);
    }
    text += " # " + in_one_line(vectors.table->names[item]) + '\n';
  }
  return text;
}

std::string labels_csv(const Labels& labels) {
  const bool named = !labels.names.empty(), measured = !labels.distances.empty();
  std::string text = "item,label";
  if (named) text += ",label_name";
  if (measured) text += ",distance";
  text += '\n';
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    text += labels.item_names.empty() ? std::to_string(i) : csv_cell(labels.item_names[i]);
    fmt::format_to(std::back_inserter(text), ",{}", labels.values[i]);
    if (named) {
      const auto value = static_cast<std::size_t>(labels.values[i]);  // negative: beyond the names
      text += ',' + (value < labels.names.size() ? csv_cell(labels.names[value]) : "");
    }
    if (measured) fmt::format_to(std::back_inserter(text), ",{}", labels.distances[i]);
    text += '\n';
  }
  return text;
}

}  // namespace contexton
