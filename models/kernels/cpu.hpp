// Which instructions the tuned loops may use: found out at run time, and forceable by name.
#pragma once

#include <string_view>
#include <vector>

namespace contexton {

// In rising order; a CPU that offers a level offers all levels below it.
enum class CpuLevel {
  scalar,  // plain C++ for any 64-bit CPU
  avx2,    // AVX2 and FMA (2013 and later)
  avx512,  // AVX-512 F, BW, VL, DQ
};

// The highest level that this CPU and operating system offer.
[[nodiscard]] CpuLevel detected_cpu_level();

// The level in use: the detected one unless another was forced.
[[nodiscard]] CpuLevel cpu_level();

// Uses the named level from now on in the whole process; "auto" returns to the detected one. Throws
// std::invalid_argument when the name is unknown or the CPU does not offer the level; the message lists what
// can be chosen. Meant for start-up and tests, not while kernels are running.
void force_cpu_level(std::string_view name);

// "scalar", "avx2", "avx512": the names used on the command line and in run.json.
[[nodiscard]] std::string_view cpu_level_name(CpuLevel level);

// All levels up to the detected one.
[[nodiscard]] std::vector<CpuLevel> available_cpu_levels();

}  // namespace contexton
