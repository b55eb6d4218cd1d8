// Content keys on XXH3-128.
#include "pipeline/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <charconv>
#include <new>
#include <stdexcept>

namespace contexton {

std::string Key::hex() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

Key Key::from_hex(std::string_view text) {
  Key key;
  const auto parse = [&](std::string_view digits, std::uint64_t& value) {
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return result.ec == std::errc() && result.ptr == digits.data() + digits.size();
  };
  if (text.size() != 32 || !parse(text.substr(0, 16), key.high) || !parse(text.substr(16), key.low))
    throw std::invalid_argument(fmt::format("'{}' is not a content key", text));
  return key;
}

struct KeyBuilder::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

KeyBuilder::KeyBuilder() : state_(std::make_unique<State>()) {}
KeyBuilder::~KeyBuilder() = default;

KeyBuilder& KeyBuilder::add_raw(const void* bytes, std::size_t size) {
  XXH3_128bits_update(state_->xxh, bytes, size);
  return *this;
}

KeyBuilder& KeyBuilder::add(std::uint64_t number) {
  return add_raw(&number, sizeof number);
}

KeyBuilder& KeyBuilder::add(std::string_view text) {
  add(static_cast<std::uint64_t>(text.size()));
  return add_raw(text.data(), text.size());
}

KeyBuilder& KeyBuilder::add(const Key& key) {
  return add(key.high).add(key.low);
}

Key KeyBuilder::key() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(state_->xxh);
  return {digest.high64, digest.low64};
}

Key hash_bytes(std::span<const std::uint8_t> bytes) {
  const XXH128_hash_t digest = XXH3_128bits(bytes.data(), bytes.size());
  return {digest.high64, digest.low64};
}

Key hash_bytes(std::string_view bytes) {
  const XXH128_hash_t digest = XXH3_128bits(bytes.data(), bytes.size());
  return {digest.high64, digest.low64};
}

}  // namespace contexton
