// The Hungarian method with shortest augmenting paths.
#include "models/matching.hpp"

#include <limits>

namespace contexton {
namespace {

// Matches every row of a matrix with rows <= columns at the lowest total cost. Rows join one at a time; each
// time, the cheapest path of alternately unmatched and matched pairs to a free column is found, as Dijkstra
// would, on costs reduced by the potentials, which stay >= 0.
class CheapestMatching {
 public:
  explicit CheapestMatching(const Eigen::MatrixXd& cost)
      : cost_(cost),
        row_potential_(Eigen::VectorXd::Zero(cost.rows())),
        column_potential_(Eigen::VectorXd::Zero(cost.cols())),
        row_of_column_(static_cast<std::size_t>(cost.cols()), -1) {}

  // The row matched to each column, or -1.
  std::vector<int> run() {
    for (int row = 0; row < cost_.rows(); ++row) match(row);
    return row_of_column_;
  }

 private:
  void match(int new_row) {
    const auto columns = static_cast<int>(cost_.cols());
    Eigen::VectorXd path_cost = Eigen::VectorXd::Constant(columns, std::numeric_limits<double>::infinity());
    std::vector<int> previous(static_cast<std::size_t>(columns), -1);  // column before this one on the path
    std::vector<bool> reached(static_cast<std::size_t>(columns), false);
    std::vector<int> tree;  // reached columns

    int row = new_row;
    int from = -1;
    double so_far = 0;
    while (true) {
      int next = -1;
      for (int column = 0; column < columns; ++column) {
        if (reached[static_cast<std::size_t>(column)]) continue;
        const double through = so_far + cost_(row, column) - row_potential_[row] - column_potential_[column];
        if (through < path_cost[column]) {
          path_cost[column] = through;
          previous[static_cast<std::size_t>(column)] = from;
        }
        if (next < 0 || path_cost[column] < path_cost[next]) next = column;
      }
      so_far = path_cost[next];
      from = next;
      if (row_of_column_[static_cast<std::size_t>(next)] < 0) break;
      reached[static_cast<std::size_t>(next)] = true;
      tree.push_back(next);
      row = row_of_column_[static_cast<std::size_t>(next)];
    }

    row_potential_[new_row] += so_far;
    for (const int column : tree) {
      row_potential_[row_of_column_[static_cast<std::size_t>(column)]] += so_far - path_cost[column];
      column_potential_[column] -= so_far - path_cost[column];
    }
    for (int column = from; column >= 0;) {
      const int before = previous[static_cast<std::size_t>(column)];
      row_of_column_[static_cast<std::size_t>(column)] =
          before < 0 ? new_row : row_of_column_[static_cast<std::size_t>(before)];
      column = before;
    }
  }

  const Eigen::MatrixXd& cost_;
  Eigen::VectorXd row_potential_;
  Eigen::VectorXd column_potential_;
  std::vector<int> row_of_column_;
};

}  // namespace

std::vector<int> best_matching(const Eigen::MatrixXd& gain) {
  const bool tall = gain.rows() > gain.cols();
  const Eigen::MatrixXd cost = tall ? Eigen::MatrixXd(-gain.transpose()) : Eigen::MatrixXd(-gain);
  const std::vector<int> matched = CheapestMatching(cost).run();
  if (tall) return matched;
  std::vector<int> column_of_row(static_cast<std::size_t>(gain.rows()), -1);
  for (std::size_t column = 0; column < matched.size(); ++column) {
    if (matched[column] >= 0)
      column_of_row[static_cast<std::size_t>(matched[column])] = static_cast<int>(column);
  }
  return column_of_row;
}

}  // namespace contexton
