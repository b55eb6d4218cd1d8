// contexton encode: bag-of-words histograms of new images with a learnt codebook.
//
// The codebook remembers, as a pipeline fragment, how its descriptors were made. That fragment is run on the
// new images, so the settings cannot differ.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "app/commands.hpp"
#include "pipeline/errors.hpp"
#include "stages/output/codebook_files.hpp"

namespace contexton::app {
namespace {

struct Arguments {
  std::string codebook, images, out, normalize = "l1";
  bool tf_idf = false;
  RunArguments run;
};

const std::vector<std::string> kFormats{"npy", "csv", "svmlight"};

std::string format_of(const fs::path& out) {
  std::string extension = out.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  if (std::find(kFormats.begin(), kFormats.end(), extension) == kFormats.end())
    throw ConfigError(fmt::format("--out {}: the name must end in .npy, .csv or .svmlight", out.string()));
  return extension;
}

// The fragment of the codebook's recipe with these images, followed by the histogram.
Json encode_config(const Arguments& arguments, const Codebook& codebook, const std::string& format) {
  if (!codebook.recipe.is_object())
    throw InputError(
        arguments.codebook,
        "does not say how its descriptors were made from images, so new images cannot be encoded with it");
  Json config{{"contexton", 1},
              {"title", "encode"},
              {"seed", codebook.seed},
              {"stages", codebook.recipe.at("stages")}};
  bool has_images = false;
  for (auto& [name, stage] : config["stages"].items())
    if (stage.value("type", "") == "input.images") {
      stage["path"] = arguments.images;
      has_images = true;
    }
  if (!has_images)
    throw InputError(arguments.codebook, "was not learnt from images, so images cannot be encoded with it");
  config["stages"]["encode-codebook"] = {{"type", "input.codebook"}, {"path", arguments.codebook}};
  config["stages"]["encode-bow"] = {{"type", "encode.bow"},
                                    {"primitives", codebook.recipe.at("output")},
                                    {"codebook", "encode-codebook"},
                                    {"normalize", arguments.normalize},
                                    {"tf_idf", arguments.tf_idf}};
  config["stages"]["encoded"] = {
      {"type", "output.table"}, {"vectors", "encode-bow"}, {"formats", Json::array({format})}};
  return config;
}

// A folder that goes when this does.
class ScratchFolder {
 public:
  explicit ScratchFolder(fs::path path) : path_(std::move(path)) {}
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void encode(const Arguments& arguments) {
  const std::string format = format_of(arguments.out);
  const fs::path out(arguments.out);
  const Codebook codebook = read_codebook(arguments.codebook);
  const Json config = encode_config(arguments, codebook, format);
  const Plan plan = make_plan(config.dump(), arguments.codebook, {});
  const fs::path parent = out.has_parent_path() ? out.parent_path() : fs::path(".");
  make_folders(parent);
  const ScratchFolder scratch(parent / fmt::format(".{}.{}", out.filename().string(), ::getpid()));
  const RunSummary summary = run_plan(plan, arguments.run.options(scratch.path()));

  // Which row is which image, and how the histograms were made: beside the histograms, whatever their format.
  const Json run = Json::parse(read_text_file(scratch.path() / "run.json"));
  Json about{{"codebook", arguments.codebook},   {"images", arguments.images},
             {"normalize", arguments.normalize}, {"tf_idf", arguments.tf_idf},
             {"items", Json::array()},           {"skipped", Json::array()}};
  for (const Json& row : run.at("ledger"))
    if (row.at("status") == "used")
      about["items"].push_back(row.at("item"));
    else
      about["skipped"].push_back({{"item", row.at("item")}, {"reason", row.at("reason")}});
  write_file_atomically(out.string() + ".json", about.dump(2) + "\n");
  fs::rename(scratch.path() / ("encoded." + format), out);
  if (!arguments.run.quiet)
    fmt::print(stderr, "{} images encoded, {} skipped; histograms in {}, what they are in {}.json\n",
               summary.inputs - summary.skipped, summary.skipped, out.string(), out.string());
}

}  // namespace

void add_encode(CLI::App& app, int&) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("encode", "Bag-of-words histograms of new images with a learnt codebook");
  command
      ->add_option("--codebook", arguments->codebook,
                   "codebook.json, codebook.npy, or the folder of the run that made it")
      ->required();
  command->add_option("--images", arguments->images, "folder, glob or list of images")->required();
  command->add_option("--out", arguments->out, "file to write: .npy, .csv or .svmlight")->required();
  command->add_option("--normalize", arguments->normalize, "none, l1 or l2")
      ->check(CLI::IsMember({"none", "l1", "l2"}))
      ->capture_default_str();
  command->add_flag("--tf-idf", arguments->tf_idf, "weight words by the codebook's idf");
  arguments->run.add_to(*command);
  command->callback([arguments] { encode(*arguments); });
}

}  // namespace contexton::app
