// "did you mean ...?": the nearest valid name to a misspelt one.
#pragma once

#include <string>
#include <vector>

namespace contexton {

// The candidate with the smallest edit distance (a swap of neighbours counts as one), or "" when none is
// near.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

// " (did you mean 'words'?)" or, with no near name and few candidates, " (there are: a, b, c)", or "".
std::string suggestion(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace contexton
