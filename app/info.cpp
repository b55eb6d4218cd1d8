// contexton info: version, CPU features in use, library versions.
#include <fmt/format.h>

#include <thread>

#include "app/commands.hpp"
#include "models/kernels/cpu.hpp"

namespace contexton::app {

void add_info(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("info", "Show version, CPU features in use and library versions");
  command->callback([] {
    const Json known = versions();
    for (const auto& [name, value] : known.items()) fmt::print("{:<12} {}\n", name, value.get<std::string>());
    std::string levels;
    for (const CpuLevel level : available_cpu_levels())
      levels += (levels.empty() ? "" : ", ") + std::string(cpu_level_name(level));
    fmt::print("{:<12} {}\n", "cpu levels", levels);
    fmt::print("{:<12} {}\n", "cores", std::thread::hardware_concurrency());
    fmt::print("{:<12} {}\n", "stages", Registry::global().all().size());
  });
}

}  // namespace contexton::app
