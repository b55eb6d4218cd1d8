// Chrome trace events: one complete event ("X") per stage and per item.
#include "pipeline/trace.hpp"

#include <tbb/task_arena.h>

#include <nlohmann/json.hpp>

namespace contexton {
namespace {

double microseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

}  // namespace

Trace::Span::Span(Trace& trace, std::string name, std::string item)
    : trace_(trace),
      name_(std::move(name)),
      item_(std::move(item)),
      start_(std::chrono::steady_clock::now()) {}

Trace::Span::~Span() {
  const auto now = std::chrono::steady_clock::now();
  const int thread = tbb::this_task_arena::current_thread_index();
  trace_.add({std::move(name_), std::move(item_), thread < 0 ? 0 : thread,
              microseconds(start_ - trace_.start_), microseconds(now - start_)});
}

void Trace::add(Event event) {
  const std::scoped_lock lock(mutex_);
  events_.push_back(std::move(event));
}

double Trace::seconds() const {
  return microseconds(std::chrono::steady_clock::now() - start_) / 1e6;
}

std::string Trace::json() const {
  const std::scoped_lock lock(mutex_);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Event& event : events_) {
    nlohmann::ordered_json row{{"name", event.name},
                               {"cat", event.item.empty() ? "stage" : "item"},
                               {"ph", "X"},
                               {"ts", event.start_us},
                               {"dur", event.duration_us},
                               {"pid", 1},
                               {"tid", event.thread + 1}};
    if (!event.item.empty()) row["args"] = {{"item", event.item}};
    list.push_back(std::move(row));
  }
  return nlohmann::ordered_json{{"displayTimeUnit", "ms"}, {"traceEvents", list}}.dump(
      -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace contexton
