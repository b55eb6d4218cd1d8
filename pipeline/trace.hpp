// A timeline of the run in the format that chrome://tracing and Perfetto open.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace contexton {

class Trace {
 public:
  Trace() : start_(std::chrono::steady_clock::now()) {}

  // A span on the current thread, from construction to destruction.
  class Span {
   public:
    Span(Trace& trace, std::string name, std::string item);
    ~Span();
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    Trace& trace_;
    std::string name_, item_;
    std::chrono::steady_clock::time_point start_;
  };

  [[nodiscard]] double seconds() const;  // since the run began
  [[nodiscard]] std::string json() const;

 private:
  struct Event {
    std::string name, item;
    int thread;
    double start_us, duration_us;
  };
  void add(Event event);

  std::chrono::steady_clock::time_point start_;
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

}  // namespace contexton
