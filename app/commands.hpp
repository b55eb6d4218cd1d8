// The subcommands, one file each. Each adds itself to the command line; its callback leaves the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/executor.hpp"
#include "pipeline/plan.hpp"

namespace contexton::app {

inline constexpr int kDone = 0, kFailed = 1, kWrongUse = 2, kStopped = 130;

// Set by Ctrl-C.
extern std::atomic<bool> stop_requested;

void add_run(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_stages(CLI::App& app, int& exit_code);
void add_schema(CLI::App& app, int& exit_code);
void add_graph(CLI::App& app, int& exit_code);
void add_encode(CLI::App& app, int& exit_code);
void add_samples(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);

// ---- shared by several of them

// The options every command that runs a plan has.
struct RunArguments {
  std::string cache, memory, cpu;
  bool no_cache = false, quiet = false;
  int threads = 0;
  void add_to(CLI::App& command);
  [[nodiscard]] RunOptions options(const std::filesystem::path& out) const;  // throws ConfigError
};

// Reads a pipeline file; a config that lies beside the program's own ones is found too. Throws ConfigError.
Plan plan_from_file(const std::string& config, const std::vector<std::string>& overrides);

std::size_t parse_memory(const std::string& text);  // "4G", "512M"; throws ConfigError
Json versions();                                    // contexton, libraries, CPU level

}  // namespace contexton::app
