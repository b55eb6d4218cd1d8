// Optimal one-to-one matching of two sets (the assignment problem).
#pragma once

#include <Eigen/Core>
#include <vector>

namespace contexton {

// For each row of `gain` the column matched to it, or -1: every column at most once, min(rows, columns)
// pairs, and the sum of their gains the highest possible. Gains must be finite; integers below 2^50 are added
// without error. Hungarian method: with n = min and m = max of rows and columns, O(n^2 m) time.
[[nodiscard]] std::vector<int> best_matching(const Eigen::MatrixXd& gain);

}  // namespace contexton
