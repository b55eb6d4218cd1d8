// Tables as text for other programs: CSV (RFC 4180) and svmlight.
#pragma once

#include <string>
#include <string_view>

#include "stages/types/labels.hpp"
#include "stages/types/vectors.hpp"

namespace contexton {

// A cell: quoted where it holds a comma, a quote or a line end, with quotes doubled.
[[nodiscard]] std::string csv_cell(std::string_view text);

// name,label,0,1,2,...: one line per item; the label is the class name, empty where there is none. Numbers
// have as few digits as give back the same float. Lines end in LF, which every reader accepts.
[[nodiscard]] std::string vectors_csv(const Vectors& vectors);

// "2 3:0.25 7:0.5 # name": the class, 1 .. classes in the order of their names and 0 for none, then column
// numbers from 1 with the values that are not zero.
[[nodiscard]] std::string vectors_svmlight(const Vectors& vectors);

// item,label and, where known, label_name and distance. Items without names are numbered from 0.
[[nodiscard]] std::string labels_csv(const Labels& labels);

}  // namespace contexton
