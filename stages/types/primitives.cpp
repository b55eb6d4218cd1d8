// Primitives in memory and on disk.
#include "stages/types/primitives.hpp"

#include <stdexcept>

namespace contexton {
namespace {

template <class T>
ImagePrimitives take_over(int width, int height, std::vector<Keypoint> keypoints, std::vector<T> values,
                          int dims) {
  struct Owned {
    std::vector<Keypoint> keypoints;
    std::vector<T> values;
  };
  const auto owned = std::make_shared<Owned>(Owned{std::move(keypoints), std::move(values)});
  ImagePrimitives image;
  image.width = width;
  image.height = height;
  image.keypoints = owned->keypoints;
  image.descriptors = Rows(std::span<const T>(owned->values), dims);
  if (image.descriptors.count != static_cast<std::int64_t>(image.keypoints.size()))
    throw std::logic_error("as many descriptors as keypoints are needed");
  image.owner = owned;
  return image;
}

}  // namespace

ImagePrimitives ImagePrimitives::own(int width, int height, std::vector<Keypoint> keypoints,
                                     std::vector<std::uint8_t> values, int dims) {
  return take_over(width, height, std::move(keypoints), std::move(values), dims);
}

ImagePrimitives ImagePrimitives::own(int width, int height, std::vector<Keypoint> keypoints,
                                     std::vector<float> values, int dims) {
  return take_over(width, height, std::move(keypoints), std::move(values), dims);
}

ImagePrimitives Primitives::item(std::size_t i) const {
  const std::int64_t first = offsets[i], last = offsets[i + 1];
  ImagePrimitives image;
  image.width = sizes[i].first;
  image.height = sizes[i].second;
  image.keypoints =
      keypoints.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  image.descriptors = descriptors.slice(first, last);
  image.first_row = first;
  image.owner = owner;
  return image;
}

void Primitives::Writer::add(const ImagePrimitives& image) {
  const std::span<const float> positions(reinterpret_cast<const float*>(image.keypoints.data()),
                                         image.size() * 4);
  store_.append<float>("keypoints", 4, positions);
  const bool bytes = image.descriptors.type == Rows::Type::uint8;
  store_.append_raw("descriptors", bytes ? NpyType::u1 : NpyType::f4, image.descriptors.dims,
                    image.descriptors.data, image.size() * image.descriptors.row_bytes());
  const std::int64_t end = store_.rows("descriptors");
  store_.append<std::int64_t>("ends", -1, std::span(&end, 1));
  const std::int32_t size[2] = {image.width, image.height};
  store_.append<std::int32_t>("sizes", 2, size);
}

Primitives Primitives::load(const ArtifactReader& reader, std::shared_ptr<const ItemTable> items) {
  Primitives all;
  all.table = std::move(items);
  all.offsets = {0};
  if (!reader.has("descriptors")) return all;  // no image at all
  const auto keypoints = std::make_shared<const NpyArray>(reader.array("keypoints"));
  const auto descriptors = std::make_shared<const NpyArray>(reader.array("descriptors"));
  const std::span<const float> positions = keypoints->values<float>();
  all.keypoints = {reinterpret_cast<const Keypoint*>(positions.data()), positions.size() / 4};
  const int dims = static_cast<int>(descriptors->cols());
  all.descriptors = descriptors->type() == NpyType::u1 ? Rows(descriptors->values<std::uint8_t>(), dims)
                                                       : Rows(descriptors->values<float>(), dims);
  all.mapped = {keypoints, descriptors};
  all.owner = std::make_shared<const std::vector<std::shared_ptr<const NpyArray>>>(all.mapped);
  const NpyArray ends = reader.array("ends"), sizes = reader.array("sizes");
  for (const std::int64_t end : ends.values<std::int64_t>()) all.offsets.push_back(end);
  const auto size = sizes.values<std::int32_t>();
  for (std::size_t i = 0; i + 1 < size.size(); i += 2) all.sizes.emplace_back(size[i], size[i + 1]);
  return all;
}

}  // namespace contexton
