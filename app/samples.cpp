// contexton samples: the built-in sample images as files, with their ground-truth masks.
#include <fmt/format.h>

#include <memory>

#include "app/commands.hpp"
#include "stages/input/sample_files.hpp"

namespace contexton::app {

void add_samples(CLI::App& app, int&) {
  auto out = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("samples", "Write the built-in sample images and their masks as files");
  command->add_option("--out", *out, "folder to write to")->required();
  command->callback([out] {
    for (const auto& path : write_sample_files(*out)) fmt::print("{}\n", path.string());
  });
}

}  // namespace contexton::app
