// Delimited text (CSV): records of cells, read one after the other with their line numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contexton {

// The separator of the first line that is not blank: a tab if it has one outside quotes, else a semicolon,
// else a comma. In this order, because decimal commas may stand between semicolons.
char detect_delimiter(std::string_view text);

// Reads RFC 4180: quotes around a cell, doubled quotes inside it, line ends inside quotes. Blank lines and a
// byte order mark are passed over; spaces around a cell that is not quoted are dropped. The text must outlive
// the reader.
class RecordReader {
 public:
  RecordReader(std::string_view text, char delimiter);

  // The next record's cells, replacing what `cells` held; false at the end of the text.
  // Throws std::invalid_argument when a quote is never closed.
  bool next(std::vector<std::string>& cells);
  // Where the record given last began, from 1.
  [[nodiscard]] std::size_t line() const { return record_line_; }

 private:
  void read_plain(std::string& cell);
  void read_quoted(std::string& cell);
  void pass_blank_lines();
  [[nodiscard]] bool at_line_end() const { return rest_.empty() || rest_[0] == '\n' || rest_[0] == '\r'; }

  std::string_view rest_;
  char delimiter_;
  std::size_t line_ = 1, record_line_ = 0;
};

// Where a column of that name stands in a header.
std::optional<std::size_t> find_column(const std::vector<std::string>& header, std::string_view name);

}  // namespace contexton
