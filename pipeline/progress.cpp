// Progress lines, redrawn ten times a second by a thread of their own, which also samples the resident
// memory.
#include "pipeline/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace contexton {
namespace {

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000)
    return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}

int terminal_columns(std::FILE* stream) {
  winsize size{};
  return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Progress::Progress(Verbosity verbosity, std::FILE* stream) : verbosity_(verbosity), stream_(stream) {
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds(100), [this] { return stopping_; })) tick();
  });
}

Progress::~Progress() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    clear_lines();
  }
  wake_.notify_all();
  thread_.join();
}

double Progress::resident_mb() {
  std::ifstream statm("/proc/self/statm");
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

void Progress::watch_memory(const std::string& node) {
  const double now = resident_mb();
  const std::scoped_lock lock(mutex_);
  peaks_[node] = now;
}

double Progress::peak_mb(const std::string& node) {
  const double now = resident_mb();
  const std::scoped_lock lock(mutex_);
  const double peak = std::max(peaks_[node], now);
  peaks_.erase(node);
  return peak;
}

void Progress::tick() {
  const double now = resident_mb();
  for (auto& [node, peak] : peaks_) peak = std::max(peak, now);
  if (verbosity_ == Verbosity::terminal) {
    clear_lines();
    draw_lines();
  } else if (verbosity_ == Verbosity::plain) {
    for (Line& line : lines_)
      if (line.total > 0 && seconds_since(line.last_plain) >= 10) {
        line.last_plain = std::chrono::steady_clock::now();
        print(text_of(line));
      }
  }
}

void Progress::start(const std::string& node, const std::string& type) {
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  lines_.push_back({node, type, "", 0, 0, now, now});
}

void Progress::update(const std::string& node, double done, double total, const std::string& unit) {
  const std::scoped_lock lock(mutex_);
  for (Line& line : lines_)
    if (line.node == node) {
      line.done = done;
      line.total = total;
      line.unit = unit;
    }
}

void Progress::finish(const std::string& node, const std::string& outcome) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(lines_, [&](const Line& line) { return line.node == node; });
  if (verbosity_ != Verbosity::quiet) print(fmt::format("{:<16} {}", node, outcome));
}

void Progress::message(const std::string& text) {
  const std::scoped_lock lock(mutex_);
  if (verbosity_ != Verbosity::quiet) print(text);
}

void Progress::warning(const std::string& text) {
  const std::scoped_lock lock(mutex_);
  print("warning: " + text);
}

void Progress::print(const std::string& text) {
  clear_lines();
  fmt::print(stream_, "{}\n", text);
  std::fflush(stream_);
}

void Progress::clear_lines() {
  for (; drawn_ > 0; --drawn_) fmt::print(stream_, "\x1b[1A\x1b[2K");
  if (verbosity_ == Verbosity::terminal) std::fflush(stream_);
}

void Progress::draw_lines() {
  const auto width = static_cast<std::size_t>(terminal_columns(stream_) - 1);
  for (const Line& line : lines_) {
    fmt::print(stream_, "{}\n", text_of(line).substr(0, width));
    ++drawn_;
  }
  std::fflush(stream_);
}

std::string Progress::text_of(const Line& line) const {
  const double elapsed = seconds_since(line.started);
  std::string text = fmt::format("{:<16} ", line.node);
  if (line.total <= 0) return text + fmt::format("{}  {}", line.type, duration_text(elapsed));
  const double fraction = std::clamp(line.done / line.total, 0.0, 1.0);
  if (verbosity_ == Verbosity::terminal) {
    const int filled = static_cast<int>(fraction * 20);
    text += "[" + std::string(static_cast<std::size_t>(filled), '=') +
            std::string(static_cast<std::size_t>(20 - filled), ' ') + "] ";
  }
  text += fmt::format("{:3.0f}%  {:.0f} of {:.0f}{}{}", fraction * 100, line.done, line.total,
                      line.unit.empty() ? "" : " ", line.unit);
  if (line.done > 0 && elapsed > 0.5) {
    const double rate = line.done / elapsed;
    text += fmt::format("  {:.{}f}/s  {} left", rate, rate < 10 ? 1 : 0,
                        duration_text((line.total - line.done) / rate));
  }
  return text;
}

}  // namespace contexton
