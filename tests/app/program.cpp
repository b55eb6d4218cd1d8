// Starting processes, reading what they left, and making image folders for them.
#include "tests/app/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

#include "models/random.hpp"

namespace contexton::app_test {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

pid_t spawn(const std::vector<std::string>& command, const fs::path& out, const fs::path& err) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::dup2(out_file, STDOUT_FILENO);
  ::dup2(err_file, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

Finished wait_for(pid_t process, const fs::path& prefix, double started) {
  Finished finished;
  int status = 0;
  rusage usage{};
  ::wait4(process, &status, 0, &usage);
  finished.seconds = now() - started;
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.peak_kb = usage.ru_maxrss;
  finished.out = read_file(prefix.string() + ".out");
  finished.err = read_file(prefix.string() + ".err");
  return finished;
}

}  // namespace

pid_t Program::start(const std::vector<std::string>& arguments) {
  fs::create_directories(folder_);
  const fs::path prefix = folder_ / fmt::format(".program{}", count_++);
  std::vector<std::string> command{"env", "CONTEXTON_CACHE=" + (folder_ / "cache").string(),
                                   CONTEXTON_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const pid_t process = spawn(command, prefix.string() + ".out", prefix.string() + ".err");
  started_[process] = {prefix, now()};
  return process;
}

Finished Program::wait(pid_t process) {
  const auto [prefix, started] = started_.at(process);
  return wait_for(process, prefix, started);
}

Finished run_command(const std::string& command, const fs::path& folder) {
  const fs::path prefix = folder / ".command";
  const double started = now();
  return wait_for(spawn({"bash", "-c", command}, prefix.string() + ".out", prefix.string() + ".err"), prefix,
                  started);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "contexton-app-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (name != "run.json" && name != "trace.json") files[name] = read_file(entry.path());
  }
  return files;
}

void write_texture_folder(const fs::path& folder, int classes, int per_class, int width, int height) {
  for (int label = 0; label < classes; ++label) {
    const fs::path class_folder = folder / fmt::format("class{}", label);
    fs::create_directories(class_folder);
    for (int i = 0; i < per_class; ++i) {
      Random random(static_cast<std::uint64_t>(label * 1000 + i));
      cv::Mat image(height, width, CV_8UC1);
      const double angle = label * 0.7, pitch = 9 + 4 * label, phase = random.uniform(0, 6);
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          const double u = (x * std::cos(angle) + y * std::sin(angle)) / pitch,
                       v = (y * std::cos(angle) - x * std::sin(angle)) / (pitch * 1.7);
          const double value =
              128 + 60 * std::sin(6.28 * u + phase) * std::cos(6.28 * v) + 14 * random.normal();
          image.at<std::uint8_t>(y, x) = cv::saturate_cast<std::uint8_t>(value);
        }
      cv::imwrite((class_folder / fmt::format("image{:02}.{}", i, i % 2 == 0 ? "jpg" : "png")).string(),
                  image);
    }
  }
}

fs::path real_data() {
  const char* folder = std::getenv("CONTEXTON_DATA");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

}  // namespace contexton::app_test
