// Reading of path lists.
#include "stages/input/path_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "pipeline/errors.hpp"
#include "pipeline/files.hpp"
#include "pipeline/suggest.hpp"
#include "stages/input/delimited.hpp"

namespace contexton {
namespace {

std::size_t column_of(const std::vector<std::string>& header, const char* name) {
  if (const auto column = find_column(header, name)) return *column;
  throw std::invalid_argument(
      fmt::format("has no column '{}' in its first line{}", name, suggestion(name, header)));
}

// Throws std::invalid_argument; the caller knows the file's name.
std::vector<PathEntry> parse_path_table(const std::string& text) {
  RecordReader reader(text, detect_delimiter(text));
  std::vector<std::string> cells;
  if (!reader.next(cells)) throw std::invalid_argument("is empty; its first line must be path,label");
  const std::vector<std::string> header = cells;
  const std::size_t path = column_of(header, "path"), label = column_of(header, "label");
  std::vector<PathEntry> entries;
  std::unordered_map<std::string, std::string> label_of;
  while (reader.next(cells)) {
    if (cells.size() != header.size())
      throw std::invalid_argument(fmt::format("line {} has {} cells where the first line has {}",
                                              reader.line(), cells.size(), header.size()));
    if (cells[path].empty()) throw std::invalid_argument(fmt::format("line {} names no path", reader.line()));
    const auto [first, is_new] = label_of.emplace(cells[path], cells[label]);
    if (first->second != cells[label])
      throw std::invalid_argument(fmt::format("line {} labels {} as '{}', an earlier line as '{}'",
                                              reader.line(), cells[path], cells[label], first->second));
    entries.push_back({cells[path], cells[label]});
  }
  return entries;
}

}  // namespace

std::vector<PathEntry> read_path_lines(const fs::path& file) {
  const std::string text = read_text_file(file);
  if (text.find('\0') != std::string::npos)
    throw InputError(file.string(), "is neither an image nor a text file with one path per line");
  std::vector<PathEntry> entries;
  for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    line.erase(0, line.find_first_not_of(" \t\r"));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (!line.empty() && line[0] != '#') entries.push_back({line, ""});
    at = end + 1;
  }
  return entries;
}

std::vector<PathEntry> read_path_table(const fs::path& file) {
  const std::string text = read_text_file(file);
  try {
    return parse_path_table(text);
  } catch (const std::invalid_argument& error) {
    throw InputError(file.string(), error.what());
  }
}

}  // namespace contexton
