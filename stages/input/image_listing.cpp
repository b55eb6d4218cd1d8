// Listing of images: folders and globs by walking, lists by reading them, then names, labels and pairs.
#include "stages/input/image_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "models/random.hpp"
#include "pipeline/errors.hpp"
#include "pipeline/files.hpp"
#include "pipeline/hash.hpp"
#include "pipeline/suggest.hpp"
#include "stages/input/builtin_textures.hpp"
#include "stages/input/decode.hpp"
#include "stages/input/file_walk.hpp"
#include "stages/input/item_labels.hpp"
#include "stages/input/path_list.hpp"

namespace contexton {
namespace {

constexpr const char* kBuiltinPrefix = "builtin:";
const std::vector<std::string> kBuiltinSets{"builtin:textures"};

bool has_extension(const std::string& path, const char* extension) {
  std::string own = fs::path(path).extension().string();
  std::transform(own.begin(), own.end(), own.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return own == extension;
}

fs::path absolute_path(const fs::path& path) {
  return fs::absolute(path).lexically_normal();
}

std::string item_name(const fs::path& relative) {
  return utf8_text(relative.generic_string());
}

void sort_by_name(std::vector<ListedImage>& images) {
  std::sort(images.begin(), images.end(),
            [](const ListedImage& a, const ListedImage& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < images.size(); ++i)
    if (images[i].name == images[i - 1].name)
      throw InputError(images[i].path.string(), "has the same name as another image of the set");
}

// ---- folders and globs

ImageListing list_walk(const fs::path& folder, const FileWalk& walk) {
  ImageListing listing;
  listing.ignored_files = walk.hidden_files;
  for (const fs::path& file : walk.files) {
    if (looks_like_image_path(file))
      listing.images.push_back({folder / file, 0, item_name(file), "", {}, {}});
    else
      ++listing.ignored_files;
  }
  for (const auto& [path, reason] : walk.unreadable) listing.skipped.push_back({item_name(path), reason});
  for (const auto& [path, reason] : walk.repeated) listing.notes.push_back({item_name(path), reason});
  return listing;
}

ImageListing list_folder(const fs::path& folder) {
  return list_walk(folder, walk_files(folder, [](const fs::path&) { return true; }));
}

ImageListing list_glob(const std::string& pattern) {
  const GlobPattern glob(pattern);
  FileWalk walk =
      walk_files(glob.folder(), [&](const fs::path& subfolder) { return glob.may_match_inside(subfolder); });
  std::erase_if(walk.files, [&](const fs::path& file) { return !glob.matches(file); });
  std::erase_if(walk.unreadable, [&](const FileWalk::Problem& problem) {
    return !glob.matches(problem.path) && !glob.may_match_inside(problem.path);
  });
  walk.hidden_files = 0;  // a pattern says itself what it wants
  return list_walk(glob.folder(), walk);
}

// ---- lists of paths

bool lies_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

fs::path common_folder(const std::vector<ListedImage>& images) {
  fs::path common = images.front().path.parent_path();
  for (const ListedImage& image : images)
    while (!lies_below(image.path, common)) common = common.parent_path();
  return common;
}

ImageListing list_entries(const fs::path& file, const std::vector<PathEntry>& entries) {
  const fs::path folder = absolute_path(file).parent_path();
  ImageListing listing;
  std::set<fs::path> seen;
  for (const PathEntry& entry : entries) {
    const fs::path path = absolute_path(folder / entry.path);
    if (seen.insert(path).second)
      listing.images.push_back({path, 0, "", utf8_text(entry.label), {}, {}});
    else
      listing.notes.push_back({item_name(entry.path), "is listed more than once; used once"});
  }
  if (listing.images.empty()) return listing;
  const bool inside = std::all_of(listing.images.begin(), listing.images.end(),
                                  [&](const ListedImage& image) { return lies_below(image.path, folder); });
  const fs::path base = inside ? folder : common_folder(listing.images);
  for (ListedImage& image : listing.images) image.name = item_name(image.path.lexically_relative(base));
  return listing;
}

// ---- the rest

ImageListing list_builtin() {
  ImageListing listing;
  for (std::size_t i = 0; i < builtin_texture_count(); ++i)
    listing.images.push_back({{}, i, builtin_texture_name(i), "", {}, {}});
  return listing;
}

ImageListing list_by_kind(const std::string& path, ImagePathKind kind) {
  switch (kind) {
    case ImagePathKind::folder:
      return list_folder(path);
    case ImagePathKind::glob:
      return list_glob(path);
    case ImagePathKind::image_file: {
      ImageListing listing;
      listing.images.push_back({path, 0, item_name(fs::path(path).filename()), "", {}, {}});
      return listing;
    }
    case ImagePathKind::text_list:
      return list_entries(path, read_path_lines(path));
    case ImagePathKind::csv_list:
      return list_entries(path, read_path_table(path));
    case ImagePathKind::builtin:
      return list_builtin();
    case ImagePathKind::missing:
      break;
  }
  throw InputError(path, "does not exist");
}

std::string first_folder(const std::string& name) {
  const std::size_t slash = name.find('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

void label_from_table(ImageListing& listing, const fs::path& file) {
  const fs::path folder = absolute_path(file).parent_path();
  std::unordered_map<std::string, std::string> label_of;  // by the path as written, and by the whole path
  for (const PathEntry& entry : read_path_table(file)) {
    label_of.emplace(item_name(fs::path(entry.path).lexically_normal()), entry.label);
    label_of.emplace(absolute_path(folder / entry.path).string(), entry.label);
  }
  std::size_t without = 0;
  for (ListedImage& image : listing.images) {
    auto label = label_of.find(image.name);
    if (label == label_of.end() && !image.path.empty())
      label = label_of.find(absolute_path(image.path).string());
    image.label = label == label_of.end() ? "" : utf8_text(label->second);
    without += label == label_of.end() ? 1 : 0;
  }
  const std::size_t all = listing.images.size();
  if (without == all && all > 0)
    throw InputError(file.string(), fmt::format("names none of the {} images; its paths must be relative to "
                                                "the images' folder or to the file's own",
                                                all));
  if (without > 0)
    listing.notes.push_back({item_name(file), fmt::format("does not name {} of {} images", without, all)});
}

std::string missing_path_problem(const std::string& path) {
  const fs::path whole = absolute_path(path);
  std::vector<std::string> siblings;
  std::error_code ignored;
  for (fs::directory_iterator entry(whole.parent_path(), ignored);
       !ignored && entry != fs::directory_iterator() && siblings.size() < 1000; entry.increment(ignored))
    siblings.push_back(entry->path().filename().string());
  std::sort(siblings.begin(), siblings.end());
  const std::string near = nearest_name(whole.filename().string(), siblings);
  return fmt::format("{} does not exist{}", whole.string(),
                     near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near));
}

// What keeps a folder from being read; empty if nothing does.
std::string folder_problem(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator probe(folder, error);
  return error ? fmt::format("{}: {}", absolute_path(folder).string(), error.message()) : "";
}

}  // namespace

ImagePathKind kind_of_image_path(const std::string& path) {
  if (path.starts_with(kBuiltinPrefix))
    return path == kBuiltinSets[0] ? ImagePathKind::builtin : ImagePathKind::missing;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) return ImagePathKind::folder;
  if (fs::exists(status)) {
    if (has_extension(path, ".csv")) return ImagePathKind::csv_list;
    return looks_like_image_path(path) ? ImagePathKind::image_file : ImagePathKind::text_list;
  }
  return GlobPattern::has_wildcard(path) ? ImagePathKind::glob : ImagePathKind::missing;
}

std::string image_path_problem(const std::string& path) {
  if (path.empty()) return "no path is given";
  if (path.starts_with(kBuiltinPrefix) && kind_of_image_path(path) == ImagePathKind::missing)
    return fmt::format("there is no built-in set '{}'{}", path, suggestion(path, kBuiltinSets));
  try {
    switch (kind_of_image_path(path)) {
      case ImagePathKind::missing:
        return missing_path_problem(path);
      case ImagePathKind::folder:
        return folder_problem(path);
      case ImagePathKind::glob:
        return folder_problem(GlobPattern(path).folder());
      case ImagePathKind::text_list:
        read_path_lines(path);
        break;
      case ImagePathKind::csv_list:
        read_path_table(path);
        break;
      case ImagePathKind::image_file:
      case ImagePathKind::builtin:
        break;
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string labels_problem(const std::string& labels) {
  if (labels.empty() || labels == "none") return "";
  std::error_code ignored;
  if (!fs::exists(labels, ignored))
    return missing_path_problem(labels) + "; write \"none\", or a .csv file with the columns path,label";
  try {
    read_path_table(labels);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

ImageListing list_images(const std::string& path) {
  ImageListing listing = list_by_kind(path, kind_of_image_path(path));
  sort_by_name(listing.images);
  return listing;
}

void label_images(ImageListing& listing, const std::string& path, const std::string& labels) {
  if (labels == "none") {
    for (ListedImage& image : listing.images) image.label.clear();
  } else if (!labels.empty()) {
    label_from_table(listing, labels);
  } else if (kind_of_image_path(path) != ImagePathKind::csv_list) {
    for (ListedImage& image : listing.images) image.label = first_folder(image.name);
  }
}

void pair_images(ImageListing& listing, const SidecarPattern& mask, const SidecarPattern& truth) {
  if (mask.empty() && truth.empty()) return;
  std::unordered_set<std::string> sidecars;  // real paths
  const auto pair = [&](const SidecarPattern& pattern, const fs::path& image, const char* role) -> fs::path {
    if (pattern.empty()) return {};
    fs::path sidecar = pattern.of(image);
    std::error_code missing;
    const fs::path real = fs::canonical(sidecar, missing);
    if (missing) return sidecar;
    if (real == fs::canonical(image, missing))
      throw InputError(image.string(), fmt::format("the {} pattern leads from the image to itself", role));
    sidecars.insert(real.string());
    return sidecar;
  };
  for (ListedImage& image : listing.images) {
    if (image.path.empty()) continue;
    image.mask = pair(mask, image.path, "mask");
    image.truth = pair(truth, image.path, "truth");
  }
  std::erase_if(listing.images, [&](const ListedImage& image) {
    std::error_code missing;
    return !image.path.empty() && sidecars.contains(fs::canonical(image.path, missing).string());
  });
}

void choose_images(ImageListing& listing, std::int64_t sample, std::int64_t limit, std::uint64_t seed) {
  std::vector<ListedImage>& images = listing.images;
  if (sample > 0) {
    std::map<std::string, std::vector<std::pair<std::uint64_t, std::size_t>>> by_class;
    for (std::size_t i = 0; i < images.size(); ++i) {
      const std::uint64_t lot = Random(seed).fork(hash_bytes(std::string_view(images[i].name)).low).bits();
      by_class[images[i].label].emplace_back(lot, i);
    }
    std::vector<std::size_t> kept;
    for (auto& [label, lots] : by_class) {
      std::sort(lots.begin(), lots.end());
      if (lots.size() > static_cast<std::size_t>(sample)) lots.resize(static_cast<std::size_t>(sample));
      for (const auto& [lot, i] : lots) kept.push_back(i);
    }
    std::sort(kept.begin(), kept.end());
    std::vector<ListedImage> chosen;
    chosen.reserve(kept.size());
    for (const std::size_t i : kept) chosen.push_back(std::move(images[i]));
    images = std::move(chosen);
  }
  if (limit > 0 && images.size() > static_cast<std::size_t>(limit))
    images.resize(static_cast<std::size_t>(limit));
}

}  // namespace contexton
