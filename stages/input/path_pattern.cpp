// Globs component by component on fnmatch, and placeholders of sidecar patterns.
#include "stages/input/path_pattern.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <span>

#include "pipeline/suggest.hpp"

namespace contexton {
namespace {

namespace fs = std::filesystem;
using Parts = std::span<const std::string>;

bool matches_name(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

bool hidden(const std::string& name) {
  return name.starts_with('.');
}

std::vector<std::string> components(const fs::path& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : path.lexically_normal())
    if (!part.empty() && part != ".") parts.push_back(part.string());
  return parts;
}

// `whole`: the names must use up the pattern; otherwise they are folders and more may follow.
bool matches_parts(Parts pattern, Parts names, bool whole) {
  if (pattern.empty()) return names.empty() && whole;
  if (names.empty()) return !whole || (pattern[0] == "**" && matches_parts(pattern.subspan(1), names, whole));
  if (pattern[0] != "**")
    return matches_name(pattern[0], names[0]) && matches_parts(pattern.subspan(1), names.subspan(1), whole);
  return matches_parts(pattern.subspan(1), names, whole) ||
         (!hidden(names[0]) && matches_parts(pattern, names.subspan(1), whole));
}

const std::vector<std::string> kPlaceholders{"{dir}", "{stem}", "{name}"};

}  // namespace

bool GlobPattern::has_wildcard(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

GlobPattern::GlobPattern(const std::string& pattern) {
  for (const fs::path& part : fs::path(pattern)) {
    if (parts_.empty() && !has_wildcard(part.string()))
      folder_ /= part;
    else if (!part.empty() && part != ".")
      parts_.push_back(part.string());
  }
  if (folder_.empty()) folder_ = ".";
  if (!parts_.empty() && parts_.back() == "**") parts_.emplace_back("*");  // "photos/**" means its files
}

bool GlobPattern::matches(const fs::path& file) const {
  return matches_parts(parts_, components(file), true);
}

bool GlobPattern::may_match_inside(const fs::path& subfolder) const {
  return matches_parts(parts_, components(subfolder), false);
}

std::string SidecarPattern::problem() const {
  if (pattern_.empty()) return "";
  bool any = false;
  for (std::size_t open = 0; (open = pattern_.find('{', open)) != std::string::npos; ++open) {
    const std::size_t close = pattern_.find('}', open);
    const std::string placeholder =
        pattern_.substr(open, close == std::string::npos ? close : close - open + 1);
    if (std::find(kPlaceholders.begin(), kPlaceholders.end(), placeholder) == kPlaceholders.end())
      return fmt::format("'{}' has the unknown placeholder '{}'{}", pattern_, placeholder,
                         suggestion(placeholder, kPlaceholders));
    any = true;
  }
  if (any) return "";
  return fmt::format(
      "'{}' has none of the placeholders {{dir}}, {{stem}}, {{name}}, so it names one file for all images; "
      "write for instance \"{{dir}}/{{stem}}.mask.png\"",
      pattern_);
}

fs::path SidecarPattern::of(const fs::path& image) const {
  const std::string folder = image.has_parent_path() ? image.parent_path().string() : ".";
  const std::string values[] = {folder, image.stem().string(), image.filename().string()};
  std::string text;
  for (std::size_t at = 0; at < pattern_.size();) {
    std::size_t i = 0;
    while (i < kPlaceholders.size() && pattern_.compare(at, kPlaceholders[i].size(), kPlaceholders[i]) != 0)
      ++i;
    if (i < kPlaceholders.size()) {
      text += values[i];
      at += kPlaceholders[i].size();
    } else {
      text += pattern_[at++];
    }
  }
  // An absolute text replaces the folder: that is how path / path works.
  return pattern_.starts_with("{dir}") ? fs::path(text) : fs::path(folder) / text;
}

}  // namespace contexton
