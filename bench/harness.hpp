// What every benchmark program shares: timing, a readable table, and one JSON object per row.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/kernels/cpu.hpp"

namespace contexton::bench {

inline double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The best of several runs of both, taken in turns so that a slow moment of the machine hits both.
inline std::pair<double, double> best_of(int repeats, const auto& ours, const auto& peer) {
  double best_ours = 1e300, best_peer = 1e300;
  for (int i = 0; i < repeats; ++i) {
    best_peer = std::min(best_peer, seconds_of(peer));
    best_ours = std::min(best_ours, seconds_of(ours));
  }
  return {best_ours, best_peer};
}

// Collects rows; prints them as a table when it goes, and as JSON lines to the file after `--json`.
class Table {
 public:
  Table(std::string bench, int argc, char** argv) : bench_(std::move(bench)) {
    for (int i = 1; i + 1 < argc; ++i)
      if (std::strcmp(argv[i], "--json") == 0) json_ = argv[i + 1];
    std::printf("%-12s %-44s %-8s %7s %10s  %-28s %10s %7s\n", "bench", "row", "cpu", "threads", "ours s",
                "peer", "peer s", "ratio");
  }
  ~Table() {
    if (json_.empty()) return;
    std::ofstream file(json_, std::ios::app);
    for (const auto& row : rows_) file << row.dump() << "\n";
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // ratio > 1: we are faster. A peer time of 0 means there is none.
  void add(const std::string& row, int threads, double ours, const std::string& peer, double peer_seconds) {
    const std::string level(cpu_level_name(cpu_level()));
    const double ratio = peer_seconds > 0 ? peer_seconds / ours : 0;
    std::printf("%-12s %-44s %-8s %7d %10.4f  %-28s %10.4f %7.2f\n", bench_.c_str(), row.c_str(),
                level.c_str(), threads, ours, peer.c_str(), peer_seconds, ratio);
    std::fflush(stdout);
    rows_.push_back({{"bench", bench_},
                     {"row", row},
                     {"cpu_level", level},
                     {"threads", threads},
                     {"ours_s", ours},
                     {"peer", peer},
                     {"peer_s", peer_seconds},
                     {"ratio", ratio}});
  }

 private:
  std::string bench_, json_;
  std::vector<nlohmann::ordered_json> rows_;
};

}  // namespace contexton::bench
