// contexton validate: all errors of a pipeline file at once; with --plan, what a run would take.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands.hpp"

namespace contexton::app {
namespace {

struct Arguments {
  std::string config;
  std::vector<std::string> overrides;
  bool plan = false;
};

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

std::string count_text(double count) {
  return count > 0 ? fmt::format("{:.0f}", count) : "-";
}

void print_plan(const Plan& plan) {
  const std::vector<Estimate> estimates = estimate_plan(plan);
  fmt::print("{:<16} {:<22} {:>9} {:>12} {:>10} {:>10}  {}\n", "node", "type", "items", "rows", "disk",
             "memory", "note");
  double disk = 0, memory = 0;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const Estimate& estimate = estimates[i];
    const double node_disk = estimate.rows * estimate.row_bytes;
    disk += node_disk;
    memory = std::max(memory, estimate.work_bytes);
    fmt::print("{:<16} {:<22} {:>9} {:>12} {:>10} {:>10}  {}\n", plan.nodes[i].name, plan.nodes[i].type->name,
               count_text(estimate.items), count_text(estimate.rows),
               node_disk > 0 ? bytes_text(node_disk) : "-",
               estimate.work_bytes > 0 ? bytes_text(estimate.work_bytes) : "-", estimate.note);
  }
  fmt::print("expected in all: {} on disk; at least {} of memory at a time\n", bytes_text(disk),
             bytes_text(memory));
}

void validate(const Arguments& arguments) {
  const Plan plan = plan_from_file(arguments.config, arguments.overrides);
  if (arguments.plan)
    print_plan(plan);
  else
    fmt::print("{}: valid; {} stages\n", arguments.config, plan.nodes.size());
}

}  // namespace

void add_validate(CLI::App& app, int&) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("validate", "Check a pipeline file; nothing is run");
  command->add_option("config", arguments->config, "pipeline file (JSON)")->required();
  command->add_option("--set", arguments->overrides, "VARIABLE=VALUE or STAGE.PARAMETER=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--plan", arguments->plan, "also show images, items, expected memory and disk");
  command->callback([arguments] { validate(*arguments); });
}

}  // namespace contexton::app
