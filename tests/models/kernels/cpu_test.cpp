// Tests of CPU levels and their names.
#include "models/kernels/cpu.hpp"

#include <gtest/gtest.h>

#include "tests/models/rows_for_tests.hpp"

namespace contexton {
namespace {

TEST(Cpu, the_detected_level_is_in_use_until_another_is_forced) {
  EXPECT_EQ(cpu_level(), detected_cpu_level());
  force_cpu_level("scalar");
  EXPECT_EQ(cpu_level(), CpuLevel::scalar);
  force_cpu_level("auto");
  EXPECT_EQ(cpu_level(), detected_cpu_level());
}

TEST(Cpu, every_available_level_can_be_forced_by_its_name) {
  EXPECT_EQ(available_cpu_levels().front(), CpuLevel::scalar);
  EXPECT_EQ(available_cpu_levels().back(), detected_cpu_level());
  for (const CpuLevel level : available_cpu_levels()) {
    const ForcedCpuLevel forced(level);
    EXPECT_EQ(cpu_level(), level);
  }
}

TEST(Cpu, an_unknown_level_is_refused_with_the_choices_and_changes_nothing) {
  const std::string message = refusal([] { force_cpu_level("avx9"); });
  EXPECT_NE(message.find("avx9"), std::string::npos) << message;
  EXPECT_NE(message.find("auto, scalar"), std::string::npos) << message;
  EXPECT_EQ(cpu_level(), detected_cpu_level());
}

}  // namespace
}  // namespace contexton
