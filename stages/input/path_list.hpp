// Files that list paths: one per line, or a .csv table with a label for each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace contexton {

struct PathEntry {
  std::string path;   // as written, not empty
  std::string label;  // empty = none
};

// A path per line; spaces around it and lines that are blank or begin with # do not count. Throws InputError.
std::vector<PathEntry> read_path_lines(const std::filesystem::path& file);

// A .csv whose first line names the columns path and label, in any order and among others. A path that comes
// twice must have the same label. Throws InputError that says what is wrong and where.
std::vector<PathEntry> read_path_table(const std::filesystem::path& file);

}  // namespace contexton
