// The command line: parses, dispatches to a subcommand, turns errors into messages and exit codes.
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include "app/commands.hpp"
#include "pipeline/errors.hpp"
#include "stages/libraries.hpp"

namespace contexton::app {

std::atomic<bool> stop_requested{false};

namespace {

// Ctrl-C asks the run to stop. Files appear whole or not at all, so it is safe to leave when the run does not
// answer in time (a library call that cannot be interrupted); a second Ctrl-C leaves at once.
void stop_on_signal(int) {
  if (stop_requested.exchange(true)) ::_exit(kStopped);
  const itimerval patience{{0, 0}, {1, 600'000}};
  ::setitimer(ITIMER_REAL, &patience, nullptr);
}

void leave_now(int) {
  ::_exit(kStopped);
}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = stop_on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = leave_now;
  ::sigaction(SIGALRM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

void print_config_error(const ConfigError& problem) {
  for (const Diagnostic& diagnostic : problem.diagnostics())
    fmt::print(stderr, "{}\n", to_string(diagnostic));
  if (problem.diagnostics().size() > 1)
    fmt::print(stderr, "{} errors; nothing was run\n", problem.diagnostics().size());
}

int run(int argc, char** argv) {
  CLI::App app("Turns folders of images into textons, image groups, exemplars and visual codebooks.",
               "contexton");
  app.require_subcommand(1);
  app.set_version_flag("--version", CONTEXTON_VERSION);
  int exit_code = kDone;
  add_run(app, exit_code);
  add_validate(app, exit_code);
  add_stages(app, exit_code);
  add_schema(app, exit_code);
  add_graph(app, exit_code);
  add_encode(app, exit_code);
  add_samples(app, exit_code);
  add_info(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? kDone : kWrongUse;
  }
  return exit_code;
}

}  // namespace
}  // namespace contexton::app

int main(int argc, char** argv) {
  using namespace contexton;
  app::install_signal_handlers();
  try {
    set_up_libraries();
    return app::run(argc, argv);
  } catch (const ConfigError& problem) {
    app::print_config_error(problem);
    return app::kWrongUse;
  } catch (const Interrupted&) {
    fmt::print(stderr, "stopped; the same command goes on from here\n");
    return app::kStopped;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "error: {}\n", problem.what());
    return app::kFailed;
  }
}
