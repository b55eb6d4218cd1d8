// Process-wide settings of the libraries that stages use.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace contexton {

// Call once before any stage runs: our arena does all the parallel work, and libraries keep quiet on stderr.
void set_up_libraries();

// Names and versions, for run.json and `contexton info`.
std::vector<std::pair<std::string, std::string>> library_versions();

}  // namespace contexton
