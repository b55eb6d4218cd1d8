// Random numbers that depend only on (seed, counter): no state, no order, the same on every thread and
// machine.
#pragma once

#include <cmath>
#include <cstdint>

namespace contexton {

// SplitMix64's finaliser: turns any 64 bits into well-mixed 64 bits.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// A stream of numbers for one purpose. `Random(seed).fork(i)` gives item i a stream of its own.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : key_(mix_bits(seed)) {}

  [[nodiscard]] constexpr Random fork(std::uint64_t purpose) const {
    Random child(0);
    child.key_ = mix_bits(key_ ^ mix_bits(purpose + 0x632be59bd9b4e019ULL));
    return child;
  }
  constexpr std::uint64_t bits() { return mix_bits(key_ + 0xd1342543de82ef95ULL * ++count_); }
  constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }  // [0, 1)
  constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // [0, n); the bias of at most n / 2^64 does not matter here.
  constexpr std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * n) >> 64);
  }
  double normal() {  // Box-Muller, one of the pair
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::uint64_t key_;
  std::uint64_t count_ = 0;
};

}  // namespace contexton
