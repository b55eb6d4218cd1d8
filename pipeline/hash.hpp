// Content keys: 128-bit hashes that name cache entries and items.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace contexton {

struct Key {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const Key&) const = default;
  [[nodiscard]] std::string hex() const;  // 32 digits
  static Key from_hex(std::string_view text);
};

// Hashes a sequence of values; each is framed by its length, so ("ab","c") differs from ("a","bc").
class KeyBuilder {
 public:
  KeyBuilder();
  ~KeyBuilder();
  KeyBuilder(const KeyBuilder&) = delete;
  KeyBuilder& operator=(const KeyBuilder&) = delete;

  KeyBuilder& add(std::string_view text);
  KeyBuilder& add(std::uint64_t number);
  KeyBuilder& add(const Key& key);
  KeyBuilder& add_raw(const void* bytes, std::size_t size);  // unframed: for contents that arrive in pieces
  [[nodiscard]] Key key() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Key hash_bytes(std::span<const std::uint8_t> bytes);
Key hash_bytes(std::string_view bytes);

}  // namespace contexton
