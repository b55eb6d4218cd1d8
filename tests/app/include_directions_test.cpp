// The rooms of the architecture: who may know whom, read from the #include lines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>> kMayInclude{
    {"models", {"models"}},
    {"pipeline", {"pipeline"}},
    {"stages", {"stages", "pipeline", "models"}},
    {"app", {"app", "stages", "pipeline", "models"}},
};
// Libraries a room must not know, by how their includes begin.
const std::map<std::string, std::set<std::string>> kMustNotInclude{
    {"models", {"nlohmann", "opencv2", "filesystem", "fstream", "fmt", "vl/"}},
    {"pipeline", {"opencv2", "Eigen", "vl/"}},
    {"stages", {"CLI"}},
    {"app", {}},
};

std::vector<std::string> violations(const std::string& room) {
  std::vector<std::string> found;
  const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(CONTEXTON_SOURCE_DIR) / room)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);) {
      if (!std::regex_search(line, match, include)) continue;
      const std::string target = match[2];
      const bool ours = match[1] == "\"";
      bool allowed = !ours;
      for (const std::string& other : kMayInclude.at(room))
        allowed |= ours && target.starts_with(other + "/");
      for (const std::string& library : kMustNotInclude.at(room)) allowed &= !target.starts_with(library);
      if (!allowed) found.push_back(fmt::format("{} includes {}", entry.path().filename().string(), target));
    }
  }
  return found;
}

TEST(Rooms, include_only_what_the_architecture_allows) {
  for (const auto& [room, others] : kMayInclude)
    for (const std::string& violation : violations(room)) ADD_FAILURE() << room << ": " << violation;
}

}  // namespace
