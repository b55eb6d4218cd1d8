// Rows of numbers from the user's own files: .npy, or delimited text with names and labels in its columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/rows.hpp"

namespace contexton {

enum class HeaderLine { automatic, yes, no };

struct VectorFileOptions {
  std::string path;         // .npy, or .csv .tsv .txt separated by comma, semicolon or tab
  std::string labels;       // a column, or a file with a label per row (.npy or lines of text); empty = none
  std::string name_column;  // empty = rows are numbered
  HeaderLine header = HeaderLine::automatic;
};

struct VectorFile {
  Rows rows;                          // float32; what is missing or too large for float32 is not finite
  std::vector<std::string> columns;   // names of the rows' numbers
  std::vector<std::string> names;     // one per row; empty = none given
  std::vector<std::string> labels;    // one per row, "" = none; empty = none given
  std::vector<std::size_t> lines;     // line of each row in a text file; empty for .npy
  std::shared_ptr<const void> owner;  // of the rows' memory
};

// What is wrong, from the beginnings of the files alone; `param` is the parameter to blame.
struct VectorFileProblem {
  std::string param, text;
};
std::vector<VectorFileProblem> vector_file_problems(const VectorFileOptions& options);

// Throws InputError that names file, line and column.
VectorFile read_vector_file(const VectorFileOptions& options);

// Roughly how many rows and columns there are, without reading numbers. Throws InputError.
struct VectorFileSize {
  std::int64_t rows = 0, columns = 0;
};
VectorFileSize vector_file_size(const VectorFileOptions& options);

// A row and column, counted from 0, for people: "line 4, column 'height'", or "element [2, 0]" of an .npy
// file.
std::string place_in(const VectorFile& file, std::int64_t row, std::int64_t column);

}  // namespace contexton
