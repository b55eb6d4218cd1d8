// Finds out what the CPU offers and remembers which level was forced.
#include "models/kernels/cpu.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

namespace contexton {
namespace {

CpuLevel ask_cpu() {
#if defined(__x86_64__)
  // These built-ins also ask the operating system whether it saves the wide registers.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return CpuLevel::scalar;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return wide ? CpuLevel::avx512 : CpuLevel::avx2;
#else
  return CpuLevel::scalar;
#endif
}

std::atomic<CpuLevel>& level_in_use() {
  static std::atomic<CpuLevel> level{detected_cpu_level()};
  return level;
}

}  // namespace

CpuLevel detected_cpu_level() {
  static const CpuLevel level = ask_cpu();
  return level;
}

CpuLevel cpu_level() {
  return level_in_use().load(std::memory_order_relaxed);
}

void force_cpu_level(std::string_view name) {
  if (name == "auto") {
    level_in_use() = detected_cpu_level();
    return;
  }
  std::string choices = "auto";
  for (const CpuLevel level : available_cpu_levels()) {
    if (name == cpu_level_name(level)) {
      level_in_use() = level;
      return;
    }
    choices += ", " + std::string(cpu_level_name(level));
  }
  throw std::invalid_argument("CPU level '" + std::string(name) +
                              "' is unknown or not offered by this CPU; choose one of: " + choices);
}

std::string_view cpu_level_name(CpuLevel level) {
  switch (level) {
    case CpuLevel::scalar:
      return "scalar";
    case CpuLevel::avx2:
      return "avx2";
    case CpuLevel::avx512:
      return "avx512";
  }
  throw std::logic_error("unknown CPU level");
}

std::vector<CpuLevel> available_cpu_levels() {
  std::vector<CpuLevel> levels;
  for (const CpuLevel level : {CpuLevel::scalar, CpuLevel::avx2, CpuLevel::avx512}) {
    if (level <= detected_cpu_level()) levels.push_back(level);
  }
  return levels;
}

}  // namespace contexton
