// contexton run: executes a pipeline file into a run folder.
#include <fmt/format.h>

#include <memory>

#include "app/commands.hpp"

namespace contexton::app {
namespace {

struct Arguments {
  std::string config, out;
  std::vector<std::string> overrides;
  RunArguments run;
};

void run(const Arguments& arguments) {
  const Plan plan = plan_from_file(arguments.config, arguments.overrides);
  const fs::path out =
      arguments.out.empty() ? fs::path("out") / fs::path(arguments.config).stem() : fs::path(arguments.out);
  const RunSummary summary = run_plan(plan, arguments.run.options(out));
  if (arguments.run.quiet) return;
  if (summary.skipped > 0)
    fmt::print(stderr, "{} of {} inputs were skipped; see the report or {}\n", summary.skipped,
               summary.inputs, (out / "run.json").string());
  fmt::print(stderr, "done in {:.1f} s; the report is {}\n", summary.seconds, summary.report.string());
}

}  // namespace

void add_run(CLI::App& app, int&) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("run", "Run a pipeline file");
  command->add_option("config", arguments->config, "pipeline file (JSON)")->required();
  command->add_option("--out", arguments->out, "folder for the results; default: out/<name of the config>");
  command
      ->add_option("--set", arguments->overrides,
                   "VARIABLE=VALUE or STAGE.PARAMETER=VALUE; may be given several times")
      ->allow_extra_args(false);
  arguments->run.add_to(*command);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace contexton::app
