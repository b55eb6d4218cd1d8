// Every subcommand through the real program: output, messages and exit codes.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"

namespace contexton::app_test {
namespace {

const fs::path kSource = CONTEXTON_SOURCE_DIR;
const std::string kCodebookConfig = (kSource / "configs/codebook.json").string();

class Commands : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  Program program{folder.path()};

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
    return folder / name;
  }
};

TEST_F(Commands, every_config_that_is_shipped_is_valid) {
  int configs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "configs")) {
    if (entry.path().extension() != ".json") continue;
    const Finished result = program.run({"validate", entry.path().string()});
    EXPECT_EQ(result.exit_code, 0) << entry.path() << "\n" << result.err;
    ++configs;
  }
  EXPECT_GE(configs, 1);
}

TEST_F(Commands, validate_reports_all_mistakes_and_exits_with_2) {
  const std::string config = write("typo.json", R"({
  "contexton": 1,
  "stages": {
    "images": { "type": "input.images", "path": "builtin:textures", "gary": true },
    "points": { "type": "features.dens_sift", "images": "images" },
    "words":  { "type": "encode.codebook", "primitives": "images", "words": 0 }
  }
})");
  const Finished result = program.run({"validate", config});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  for (const char* part :
       {"typo.json:4:69: /stages/images/gary: input.images has no parameter 'gary' (did you mean 'gray'?)",
        "unknown stage type 'features.dens_sift' (did you mean 'features.dense_sift'?)",
        "/stages/words/primitives", "/stages/words/words", "4 errors; nothing was run"})
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\nin\n" << result.err;
}

TEST_F(Commands, run_writes_nothing_when_the_config_is_wrong) {
  const Finished result = program.run(
      {"run", kCodebookConfig, "--set", "images=" + (folder / "nowhere"), "--out", folder / "out"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("nowhere"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(Commands, validate_plan_tells_images_rows_memory_and_disk) {
  const Finished result = program.run({"validate", kCodebookConfig, "--plan"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"images", "points", "features.dense_sift", "12", "expected in all", "MB"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\nin\n" << result.out;
}

TEST_F(Commands, a_wrong_command_line_exits_with_2) {
  EXPECT_EQ(program.run({}).exit_code, 2);
  EXPECT_EQ(program.run({"rnu"}).exit_code, 2);
  EXPECT_EQ(program.run({"run"}).exit_code, 2);
  EXPECT_EQ(program.run({"run", folder / "missing.json"}).exit_code, 2);
  EXPECT_EQ(program.run({"run", kCodebookConfig, "--set", "words"}).exit_code, 2);
  EXPECT_EQ(program.run({"run", kCodebookConfig, "--memory", "lots"}).exit_code, 2);
  EXPECT_EQ(program.run({"run", kCodebookConfig, "--cpu", "z80"}).exit_code, 2);
  EXPECT_EQ(program.run({"graph", kCodebookConfig, "--format", "jpeg"}).exit_code, 2);
  EXPECT_EQ(program.run({"--help"}).exit_code, 0);
}

TEST_F(Commands, stages_lists_all_and_explains_one) {
  const Finished all = program.run({"stages"});
  EXPECT_EQ(all.exit_code, 0);
  for (const char* stage : {"input.images", "features.sift", "features.dense_sift", "encode.codebook",
                            "encode.bow", "output.overlay"})
    EXPECT_NE(all.out.find(stage), std::string::npos) << stage;
  const Finished one = program.run({"stages", "features.dense_sift"});
  for (const char* part : {"step", "bin_sizes", "inputs", "outputs", "example"})
    EXPECT_NE(one.out.find(part), std::string::npos) << part;
  const auto json = nlohmann::json::parse(program.run({"stages", "--json"}).out);
  EXPECT_GT(json.size(), 10u);
  const Finished wrong = program.run({"stages", "features.sfit"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("features.sift"), std::string::npos);
}

TEST_F(Commands, docs_stages_md_is_what_the_registry_says) {
  EXPECT_EQ(read_file(kSource / "docs/stages.md"), program.run({"stages", "--markdown"}).out)
      << "docs/stages.md is stale: ./contexton stages --markdown > docs/stages.md";
}

TEST_F(Commands, schema_describes_every_stage_and_parameter) {
  const auto schema = nlohmann::json::parse(program.run({"schema"}).out);
  const auto& node = schema.at("properties").at("stages").at("additionalProperties");
  const auto stages = nlohmann::json::parse(program.run({"stages", "--json"}).out);
  EXPECT_EQ(node.at("allOf").size(), stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& properties = node.at("allOf").at(i).at("then").at("properties");
    for (const auto& param : stages[i].at("parameters"))
      EXPECT_FALSE(
          properties.at(param.at("name").get<std::string>()).at("description").get<std::string>().empty());
  }
}

TEST_F(Commands, graph_draws_in_three_formats) {
  EXPECT_NE(program.run({"graph", kCodebookConfig}).out.find("digraph"), std::string::npos);
  EXPECT_NE(program.run({"graph", kCodebookConfig, "--format", "mermaid"}).out.find("flowchart"),
            std::string::npos);
  EXPECT_NE(program.run({"graph", kCodebookConfig, "--format", "svg"}).out.find("<svg"), std::string::npos);
}

TEST_F(Commands, info_names_versions_and_cpu_level) {
  const Finished result = program.run({"info"});
  for (const char* part : {"contexton", "cpu_level", "opencv", "vlfeat"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part;
}

TEST_F(Commands, samples_writes_images_and_masks) {
  const Finished result = program.run({"samples", "--out", folder / "samples"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::size_t images = 0, masks = 0;
  for (const auto& entry : fs::directory_iterator(folder.path() / "samples"))
    (entry.path().string().ends_with(".mask.png") ? masks : images) += 1;
  EXPECT_GE(images, 12u);
  EXPECT_EQ(images, masks);
}

}  // namespace
}  // namespace contexton::app_test
