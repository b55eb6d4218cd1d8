// Runs the real program and looks at what it printed, left and answered.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace contexton::app_test {

namespace fs = std::filesystem;

struct Finished {
  int exit_code = -1;  // 128 + signal when killed
  std::string out, err;
  double seconds = 0;
  long peak_kb = 0;  // resident, as the system counted it
};

// A process of the program, with its own cache folder and output files.
class Program {
 public:
  explicit Program(const fs::path& folder) : folder_(folder) {}

  // Starts `contexton arguments...`.
  pid_t start(const std::vector<std::string>& arguments);
  Finished wait(pid_t process);
  Finished run(const std::vector<std::string>& arguments) { return wait(start(arguments)); }

 private:
  fs::path folder_;
  std::map<pid_t, std::pair<fs::path, double>> started_;
  int count_ = 0;
};

// Runs any command through the shell and gives its output.
Finished run_command(const std::string& command, const fs::path& folder);

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string read_file(const fs::path& path);

// All files below a folder, but for what may differ between runs: run.json and trace.json.
std::map<std::string, std::string> contents(const fs::path& folder);

// A folder tree of small texture images with `classes` classes and `per_class` images each (JPEG and PNG).
void write_texture_folder(const fs::path& folder, int classes, int per_class, int width, int height);

// Folder of real images given in the environment, or empty.
fs::path real_data();

}  // namespace contexton::app_test
