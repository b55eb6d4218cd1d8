// JSON with comments, and with the line and column of every value, so that errors can point at it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "pipeline/errors.hpp"

namespace contexton {

using Json = nlohmann::ordered_json;

struct JsonDocument {
  std::string file;
  Json value;
  std::map<std::string, Place> keys;    // JSON pointer -> where the member's key stands
  std::map<std::string, Place> values;  // JSON pointer -> where the value stands

  [[nodiscard]] Place key_place(const std::string& pointer) const;
  [[nodiscard]] Place value_place(const std::string& pointer) const;
};

// Appends errors (syntax, duplicate keys) instead of throwing; the value is null after a syntax error.
JsonDocument parse_json_document(const std::string& text, const std::string& file,
                                 std::vector<Diagnostic>& errors);

// `name` as one step of a JSON pointer.
std::string pointer_step(const std::string& name);

}  // namespace contexton
