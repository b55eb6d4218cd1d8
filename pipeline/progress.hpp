// What a user sees while a run works: one line per stage with rate and time left on a terminal, plain lines
// elsewhere.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace contexton {

enum class Verbosity { quiet, plain, terminal };

// Thread-safe. Writes to stderr only.
class Progress {
 public:
  explicit Progress(Verbosity verbosity, std::FILE* stream = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void start(const std::string& node, const std::string& type);
  void update(const std::string& node, double done, double total, const std::string& unit);
  // "words      done   12.3 s   200 items"; cached ones say so.
  void finish(const std::string& node, const std::string& outcome);
  void message(const std::string& text);  // a line of its own; shown even when quiet if it is a warning
  void warning(const std::string& text);

  // The most memory held while it was asked to watch, MB; see watch_memory.
  [[nodiscard]] static double resident_mb();
  // Begins / ends watching the resident memory for one node.
  void watch_memory(const std::string& node);
  double peak_mb(const std::string& node);

 private:
  struct Line {
    std::string node, type, unit;
    double done = 0, total = 0;
    std::chrono::steady_clock::time_point started, last_plain;
  };
  void tick();  // samples memory, redraws
  void clear_lines();
  void draw_lines();
  void print(const std::string& text);
  [[nodiscard]] std::string text_of(const Line& line) const;

  Verbosity verbosity_;
  std::FILE* stream_;
  std::mutex mutex_;
  std::vector<Line> lines_;
  std::map<std::string, double> peaks_;
  int drawn_ = 0;
  bool stopping_ = false;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace contexton
