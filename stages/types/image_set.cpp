// Image sets seen through per-image stages.
#include "stages/types/image_set.hpp"

#include <algorithm>

namespace contexton {

std::size_t ImageSet::largest_item_bytes() const {
  std::size_t largest = 0;
  for (const Source& source : sources)
    largest =
        std::max(largest, static_cast<std::size_t>(source.width) * static_cast<std::size_t>(source.height));
  return largest * static_cast<std::size_t>(channels);
}

ImageSet ImageSet::on_demand(std::shared_ptr<const ItemTable> items, std::function<Image(std::size_t)> fetch,
                             const ImageSet& upstream) {
  ImageSet set;
  const auto index = index_by_name(*upstream.table);
  for (const std::string& name : items->names) set.sources.push_back(upstream.sources[index.at(name)]);
  set.table = std::move(items);
  set.channels = upstream.channels;
  set.fetch = std::move(fetch);
  return set;
}

}  // namespace contexton
