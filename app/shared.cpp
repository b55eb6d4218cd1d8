// What several subcommands share: options of a run, reading configs, versions.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "app/commands.hpp"
#include "models/kernels/cpu.hpp"
#include "pipeline/errors.hpp"
#include "stages/libraries.hpp"

namespace contexton::app {
namespace {

fs::path default_cache() {
  if (const char* folder = std::getenv("CONTEXTON_CACHE"); folder != nullptr && *folder != '\0')
    return folder;
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != '\0')
    return fs::path(folder) / "contexton";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "contexton";
  return fs::temp_directory_path() / "contexton-cache";
}

}  // namespace

void RunArguments::add_to(CLI::App& command) {
  command.add_option("--threads", threads, "worker threads; 0 = one per core; results do not depend on it")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_option("--memory", memory,
                     "most memory the run may hold, e.g. 4G; default: half of the machine's");
  auto* cache_option = command.add_option(
      "--cache", cache, "folder of finished work to reuse; default: $CONTEXTON_CACHE or ~/.cache/contexton");
  command.add_flag("--no-cache", no_cache, "neither reuse nor keep finished work")->excludes(cache_option);
  command.add_option("--cpu", cpu, "force a level of CPU instructions: scalar, avx2, avx512");
  command.add_flag("--quiet", quiet, "only warnings and errors");
}

RunOptions RunArguments::options(const fs::path& out) const {
  if (!cpu.empty()) {
    try {
      force_cpu_level(cpu);
    } catch (const std::invalid_argument& problem) {
      throw ConfigError(fmt::format("--cpu {}: {}", cpu, problem.what()));
    }
  }
  RunOptions options;
  options.out = out;
  options.cache = no_cache ? fs::path() : cache.empty() ? default_cache() : fs::path(cache);
  options.threads = threads;
  options.memory = memory.empty() ? 0 : parse_memory(memory);
  options.verbosity = quiet                          ? Verbosity::quiet
                      : ::isatty(STDERR_FILENO) != 0 ? Verbosity::terminal
                                                     : Verbosity::plain;
  options.environment = std::string(cpu_level_name(cpu_level()));
  options.versions = versions();
  options.stop = &stop_requested;
  return options;
}

Plan plan_from_file(const std::string& config, const std::vector<std::string>& overrides) {
  std::string text;
  try {
    text = read_text_file(config);
  } catch (const InputError& problem) {
    throw ConfigError(fmt::format("cannot read the pipeline file {}", problem.what()));
  }
  std::vector<Override> parsed;
  for (const std::string& override : overrides) parsed.push_back(parse_override(override));
  return make_plan(text, config, parsed);
}

std::size_t parse_memory(const std::string& text) {
  double number = 0;
  std::size_t used = 0;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  std::string unit = text.substr(used);
  if (!unit.empty() && (unit.back() == 'B' || unit.back() == 'b')) unit.pop_back();
  const double factor = unit == "G" || unit == "g"   ? 1e9
                        : unit == "M" || unit == "m" ? 1e6
                        : unit == "k" || unit == "K" ? 1e3
                        : unit.empty()               ? 1
                                                     : 0;
  const double bytes = number * factor;
  if (used == 0 || !(bytes >= 1e6) || bytes > 1e15)
    throw ConfigError(
        fmt::format("--memory {}: expected an amount of at least 1M, such as 512M or 4G", text));
  return static_cast<std::size_t>(bytes);
}

Json versions() {
  Json json{{"contexton", CONTEXTON_VERSION}, {"cpu_level", std::string(cpu_level_name(cpu_level()))}};
  for (const auto& [name, version] : library_versions()) json[name] = version;
  return json;
}

}  // namespace contexton::app
