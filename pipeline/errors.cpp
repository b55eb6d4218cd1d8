// Wording of errors.
#include "pipeline/errors.hpp"

#include <fmt/format.h>

namespace contexton {
namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  const Place& place = diagnostic.place;
  std::string text = place.file;
  if (place.line > 0) text += fmt::format(":{}:{}", place.line, place.column);
  if (!place.path.empty()) text += (text.empty() ? "" : ": ") + place.path;
  return text.empty() ? diagnostic.message : text + ": " + diagnostic.message;
}

ConfigError::ConfigError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

ConfigError::ConfigError(const std::string& message) : ConfigError(std::vector<Diagnostic>{{{}, message}}) {}

InputError::InputError(const std::string& path, const std::string& reason)
    : std::runtime_error(path + ": " + reason) {}

}  // namespace contexton
