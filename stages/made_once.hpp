// Something costly that a per-item stage makes from an input shared by all items: made once, then shared.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "pipeline/hash.hpp"

namespace contexton {

// Holds the value made last and the key of what it was made from. Copies of a stage share it. Thread-safe:
// the first caller makes the value while the others wait, so `make` must not start parallel work itself.
template <class T>
class MadeOnce {
 public:
  template <class Make>
  std::shared_ptr<const T> get(const Key& key, Make&& make) const {
    const std::lock_guard lock(held_->mutex);
    if (!held_->value || held_->key != key) {
      held_->value = std::make_shared<const T>(std::forward<Make>(make)());
      held_->key = key;
    }
    return held_->value;
  }

 private:
  struct Held {
    std::mutex mutex;
    Key key;
    std::shared_ptr<const T> value;
  };
  std::shared_ptr<Held> held_ = std::make_shared<Held>();
};

}  // namespace contexton
