// Patterns of paths: globs that find images, and patterns that lead from an image to its mask or truth.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace contexton {

// "photos/*.jpg", "photos/**/*.png": * ? [a-z] inside a name, ** for any number of folders, \ before a letter
// that is meant as it is. A name that begins with a dot matches only a pattern that begins with one.
class GlobPattern {
 public:
  explicit GlobPattern(const std::string& pattern);

  static bool has_wildcard(const std::string& text);

  // The part before the first wildcard: where to look. "." if there is none.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // Both take paths below folder().
  [[nodiscard]] bool matches(const std::filesystem::path& file) const;
  [[nodiscard]] bool may_match_inside(const std::filesystem::path& subfolder) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::string> parts_;  // one per path component, from the first with a wildcard on
};

// "{dir}/{stem}.mask.png" for the image /photos/cat.jpg: {dir} is /photos, {stem} is cat, {name} is cat.jpg.
class SidecarPattern {
 public:
  explicit SidecarPattern(std::string pattern) : pattern_(std::move(pattern)) {}

  // What is wrong with the pattern; empty if nothing is.
  [[nodiscard]] std::string problem() const;
  // The file that belongs to an image. A result that is not absolute and does not come from {dir} lies in or
  // below the image's folder: "masks/{stem}.png" is /photos/masks/cat.png.
  [[nodiscard]] std::filesystem::path of(const std::filesystem::path& image) const;
  [[nodiscard]] bool empty() const { return pattern_.empty(); }

 private:
  std::string pattern_;
};

}  // namespace contexton
