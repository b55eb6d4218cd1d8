// The walk: real folders first, then links to folders, so that names do not depend on which way comes first.
#include "stages/input/file_walk.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "pipeline/errors.hpp"

namespace contexton {
namespace {

namespace fs = std::filesystem;

class Walker {
 public:
  Walker(const fs::path& folder, const std::function<bool(const fs::path&)>& enter)
      : top_(folder), enter_(enter) {}

  FileWalk walk() {
    if (const std::string reason = list(""); !reason.empty()) throw InputError(top_.string(), reason);
    while (!linked_.empty()) {
      const fs::path link = std::move(linked_.front());
      linked_.pop_front();
      visit(link);
    }
    std::sort(found_.files.begin(), found_.files.end());
    const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
    std::sort(found_.unreadable.begin(), found_.unreadable.end(), by_path);
    std::sort(found_.repeated.begin(), found_.repeated.end(), by_path);
    return std::move(found_);
  }

 private:
  void visit(const fs::path& subfolder) {
    if (const std::string reason = list(subfolder); !reason.empty())
      found_.unreadable.push_back({subfolder, reason});
  }

  // Takes in one folder and the real folders below it; answers why it could not.
  std::string list(const fs::path& subfolder) {
    const fs::path folder = top_ / subfolder;
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0) return std::generic_category().message(errno);
    if (entered_.contains({status.st_dev, status.st_ino})) {
      found_.repeated.push_back({subfolder, "leads to a folder that is in the set already"});
      return "";
    }
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error))
      entries.push_back(*entry);
    if (error) return error.message();
    entered_.insert({status.st_dev, status.st_ino});
    std::sort(entries.begin(), entries.end());
    for (const fs::directory_entry& entry : entries) take(entry, subfolder / entry.path().filename());
    return "";
  }

  void take(const fs::directory_entry& entry, const fs::path& name) {
    const bool hidden = entry.path().filename().string().starts_with('.');
    std::error_code error;
    const fs::file_status status = entry.status(error);
    if (fs::is_directory(status)) {
      if (hidden || !enter_(name)) return;
      if (entry.is_symlink())
        linked_.push_back(name);
      else
        visit(name);
    } else if (hidden) {
      ++found_.hidden_files;
    } else if (fs::is_regular_file(status)) {
      found_.files.push_back(name);
    } else {
      found_.unreadable.push_back({name, why_unusable(status, error)});
    }
  }

  static std::string why_unusable(const fs::file_status& status, const std::error_code& error) {
    if (status.type() == fs::file_type::not_found) return "is a link to something that does not exist";
    if (error) return error.message();
    return "is neither a file nor a folder";
  }

  const fs::path& top_;
  const std::function<bool(const fs::path&)>& enter_;
  FileWalk found_;
  std::deque<fs::path> linked_;
  std::set<std::pair<dev_t, ino_t>> entered_;
};

}  // namespace

FileWalk walk_files(const fs::path& folder, const std::function<bool(const fs::path&)>& enter) {
  return Walker(folder, enter).walk();
}

}  // namespace contexton
