// The kinds of failure a user can meet, each with its place: the config is wrong, an input is bad, a stage
// failed, or Ctrl-C.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace contexton {

// Where in a pipeline file: "codebook.json", line 12, column 5, "/stages/words/wrods".
struct Place {
  std::string file;
  int line = 0, column = 0;  // from 1; 0 = not from a file (a --set override)
  std::string path;          // JSON pointer
};

struct Diagnostic {
  Place place;
  std::string message;
};

std::string to_string(const Diagnostic& diagnostic);

// The config or the command line is wrong. Carries every error found, not only the first. Exit code 2.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Diagnostic> diagnostics);
  explicit ConfigError(const std::string& message);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// A file or folder of the user's cannot be used. Exit code 1.
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& path, const std::string& reason);
};

// The run failed at a node; the message names the node, its type and the item. Exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The user asked to stop. Exit code 130.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

}  // namespace contexton
