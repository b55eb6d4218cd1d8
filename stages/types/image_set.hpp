// The images of a run: names, classes and sizes; pixels only when asked for.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/artifact.hpp"
#include "stages/types/image.hpp"

namespace contexton {

struct ImageSet {
  static constexpr const char* kName = "ImageSet";
  using Item = Image;

  struct Source {
    std::filesystem::path path;  // empty for built-in images
    int width = 0, height = 0;   // of the image as stages will see it, upright and after max_side
  };

  std::shared_ptr<const ItemTable> table;
  std::vector<Source> sources;  // as long as the table
  int channels = 1;
  std::function<Image(std::size_t)> fetch;  // decodes; thread-safe; throws when the file cannot be used

  [[nodiscard]] std::shared_ptr<const ItemTable> items() const { return table; }
  [[nodiscard]] Image item(std::size_t i) const { return fetch(i); }
  [[nodiscard]] std::size_t largest_item_bytes() const;

  // The same images seen through a per-image stage.
  static ImageSet on_demand(std::shared_ptr<const ItemTable> items, std::function<Image(std::size_t)> fetch,
                            const ImageSet& upstream);
};

}  // namespace contexton
