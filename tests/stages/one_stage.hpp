// Runs one stage from a few lines of JSON, without a pipeline.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipeline/stage.hpp"

namespace contexton::testing {

// A folder that is deleted at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "contexton-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A stage by name with parameters; throws what the parameter expects when one does not fit.
class OneStage {
 public:
  OneStage(const std::string& name, const nlohmann::ordered_json& params)
      : type_(Registry::global().find(name)) {
    if (type_ == nullptr) throw std::invalid_argument("no stage is called " + name);
    stage_ = type_->create();
    for (const auto& [key, value] : params.items()) {
      const ParamInfo* param = type_->find_param(key);
      if (param == nullptr) throw std::invalid_argument(name + " has no parameter " + key);
      if (const auto expected = param->set(stage_.get(), value))
        throw std::invalid_argument(key + ": expected " + *expected);
    }
    services.files_folder = folder.path();
  }

  // Inputs in the order described: artifacts for whole ports, items for `each` ports; nullptr for an
  // unconnected one.
  template <class Output, class... Inputs>
  Output run(const Inputs*... inputs) {
    const std::vector<const void*> list{static_cast<const void*>(inputs)...};
    StageRun context(services, outcome, item);
    outputs = type_->run(stage_.get(), list, context);
    return *std::static_pointer_cast<const Output>(outputs.at(0));
  }
  template <class... Inputs>
  void run_for_files(const Inputs*... inputs) {
    const std::vector<const void*> list{static_cast<const void*>(inputs)...};
    StageRun context(services, outcome, item);
    outputs = type_->run(stage_.get(), list, context);
  }
  template <class Output>
  Output output(std::size_t i) const {
    return *std::static_pointer_cast<const Output>(outputs.at(i));
  }
  // Messages of the stage's own check.
  std::vector<std::string> check() const {
    std::vector<std::string> messages;
    StageCheck check(
        [&](const std::string& param, const std::string& text) { messages.push_back(param + ": " + text); },
        [](const std::string&) { return true; });
    if (type_->check) type_->check(stage_.get(), check);
    return messages;
  }
  // What write_file(suffix) wrote.
  std::filesystem::path file(const std::string& suffix) const {
    return folder.path().string() + "/@" + suffix;
  }

  TemporaryFolder folder;
  StageRun::Services services;
  StageRun::Item item;
  StageOutcome outcome;
  std::vector<Value> outputs;

 private:
  const StageType* type_;
  std::shared_ptr<void> stage_;
};

}  // namespace contexton::testing
