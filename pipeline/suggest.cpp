// Optimal string alignment distance, case-insensitive.
#include "pipeline/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace contexton {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

// "sift" for "features.sift" is near although many letters are missing.
std::size_t distance_to(const std::string& name, const std::string& candidate) {
  const auto dot = candidate.rfind('.');
  std::size_t distance = edit_distance(name, candidate);
  if (dot != std::string::npos) distance = std::min(distance, edit_distance(name, candidate.substr(dot + 1)));
  return distance;
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = distance_to(name, candidate);
    if (distance < best_distance && distance < std::max<std::size_t>(name.size(), 2)) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates) {
  if (const std::string near = nearest_name(name, candidates); !near.empty())
    return fmt::format(" (did you mean '{}'?)", near);
  if (candidates.empty() || candidates.size() > 30) return "";
  return fmt::format(" (there are: {})", fmt::join(candidates, ", "));
}

}  // namespace contexton
