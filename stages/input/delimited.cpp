// A small CSV reader that works in place on the text of a file.
#include "stages/input/delimited.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace contexton {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t";

std::string_view without_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

}  // namespace

char detect_delimiter(std::string_view text) {
  text = without_mark(text);
  text.remove_prefix(std::min(text.find_first_not_of(" \r\n"), text.size()));
  bool quoted = false, semicolon = false;
  for (const char letter : text) {
    if (letter == '"') quoted = !quoted;
    if (quoted) continue;
    if (letter == '\n') break;
    if (letter == '\t') return '\t';
    semicolon |= letter == ';';
  }
  return semicolon ? ';' : ',';
}

RecordReader::RecordReader(std::string_view text, char delimiter)
    : rest_(without_mark(text)), delimiter_(delimiter) {}

void RecordReader::pass_blank_lines() {
  for (;;) {
    // A tab that separates cells is not blank: the record has empty cells.
    const std::size_t content = rest_.find_first_not_of(delimiter_ == '\t' ? " \r" : " \t\r");
    if (content == std::string_view::npos) {
      rest_ = {};
      return;
    }
    if (rest_[content] != '\n') return;
    rest_.remove_prefix(content + 1);
    ++line_;
  }
}

void RecordReader::read_quoted(std::string& cell) {
  const std::size_t opened = line_;
  rest_.remove_prefix(1);
  for (;;) {
    const std::size_t stop = rest_.find_first_of("\"\n");
    if (stop == std::string_view::npos)
      throw std::invalid_argument(fmt::format("line {}: a quote is opened and never closed", opened));
    cell.append(rest_, 0, stop + 1);
    line_ += rest_[stop] == '\n' ? 1 : 0;
    const bool quote = rest_[stop] == '"';
    rest_.remove_prefix(stop + 1);
    if (!quote) continue;
    if (rest_.starts_with('"')) {  // a doubled quote stands for one
      rest_.remove_prefix(1);
      continue;
    }
    cell.pop_back();
    return;
  }
}

void RecordReader::read_plain(std::string& cell) {
  const char stops[] = {delimiter_, '\n', '\r'};
  const std::size_t stop = std::min(rest_.find_first_of(std::string_view(stops, sizeof stops)), rest_.size());
  // Only what is plain is trimmed: spaces inside quotes were meant.
  const std::string_view plain = rest_.substr(0, stop);
  cell.append(plain, 0, plain.find_last_not_of(kBlanks) + 1);
  rest_.remove_prefix(stop);
}

bool RecordReader::next(std::vector<std::string>& cells) {
  pass_blank_lines();
  if (rest_.empty()) return false;
  record_line_ = line_;
  for (std::size_t column = 0;; ++column) {
    if (cells.size() <= column) cells.emplace_back();
    std::string& cell = cells[column];
    cell.clear();
    while (!rest_.empty() && rest_[0] != delimiter_ && kBlanks.find(rest_[0]) != std::string_view::npos)
      rest_.remove_prefix(1);
    if (rest_.starts_with('"')) read_quoted(cell);
    read_plain(cell);
    if (!at_line_end()) {
      rest_.remove_prefix(1);  // the delimiter
      continue;
    }
    cells.resize(column + 1);
    if (rest_.starts_with('\r')) rest_.remove_prefix(1);
    if (rest_.starts_with('\n')) rest_.remove_prefix(1);
    ++line_;
    return true;
  }
}

std::optional<std::size_t> find_column(const std::vector<std::string>& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

}  // namespace contexton
