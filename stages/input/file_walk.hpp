// Finds the files below a folder, whatever the folder contains: links, loops, folders that may not be read.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace contexton {

struct FileWalk {
  struct Problem {
    std::filesystem::path path;  // below the folder
    std::string reason;
  };

  std::vector<std::filesystem::path> files;  // regular files, below the folder, sorted
  std::size_t hidden_files = 0;              // names that begin with a dot; their folders are not entered
  std::vector<Problem> unreadable;           // folders and links that could not be followed, sorted
  std::vector<Problem> repeated;             // ways to a folder that was entered before, sorted
};

// Links are followed, and every real folder is entered once: a loop ends where it closes, and a folder that
// also lies below `folder` by itself goes by its own name, not by the link's. `enter` is asked about each
// subfolder (a path below `folder`). Throws InputError when `folder` itself cannot be read.
FileWalk walk_files(const std::filesystem::path& folder,
                    const std::function<bool(const std::filesystem::path& subfolder)>& enter);

}  // namespace contexton
