// Small sets of images, primitives and vectors, made in memory for tests of stages.
#pragma once

#include <algorithm>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/random.hpp"
#include "stages/types/codebook.hpp"
#include "stages/types/image_set.hpp"
#include "stages/types/labels.hpp"
#include "stages/types/primitives.hpp"
#include "stages/types/vectors.hpp"

namespace contexton::testing {

// Items with names and, where given, a class name each ("" = none).
inline std::shared_ptr<const ItemTable> items_called(std::vector<std::string> names,
                                                     const std::vector<std::string>& classes = {}) {
  auto table = std::make_shared<ItemTable>();
  table->labels.assign(names.size(), kNoLabel);
  table->keys.resize(names.size());
  table->names = std::move(names);
  for (const std::string& name : classes)
    if (!name.empty()) table->label_names.push_back(name);
  std::sort(table->label_names.begin(), table->label_names.end());
  table->label_names.erase(std::unique(table->label_names.begin(), table->label_names.end()),
                           table->label_names.end());
  for (std::size_t i = 0; i < classes.size(); ++i)
    for (std::size_t label = 0; label < table->label_names.size(); ++label)
      if (table->label_names[label] == classes[i]) table->labels[i] = static_cast<std::int32_t>(label);
  return table;
}

// Numbered items: "0.png", "1.png", ...
inline std::shared_ptr<const ItemTable> numbered_items(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i) + ".png");
  return items_called(std::move(names));
}

// The primitives of several images as one set; all must have descriptors of type T.
template <class T>
Primitives primitives_of(const std::vector<ImagePrimitives>& images,
                         std::shared_ptr<const ItemTable> table = nullptr) {
  struct Owned {
    std::vector<Keypoint> keypoints;
    std::vector<T> values;
  };
  const auto owned = std::make_shared<Owned>();
  Primitives set;
  set.table = table ? std::move(table) : numbered_items(images.size());
  set.offsets = {0};
  int dims = 1;
  for (const ImagePrimitives& image : images) {
    owned->keypoints.insert(owned->keypoints.end(), image.keypoints.begin(), image.keypoints.end());
    if (image.size() > 0) dims = image.descriptors.dims;
    for (std::int64_t row = 0; row < image.descriptors.count; ++row) {
      const auto values = image.descriptors.row<T>(row);
      owned->values.insert(owned->values.end(), values.begin(), values.end());
    }
    set.offsets.push_back(static_cast<std::int64_t>(owned->keypoints.size()));
    set.sizes.emplace_back(image.width, image.height);
  }
  set.keypoints = owned->keypoints;
  set.descriptors = Rows(std::span<const T>(owned->values), dims);
  set.owner = owned;
  return set;
}

// An image of which only the descriptors matter.
inline ImagePrimitives image_with(std::vector<std::uint8_t> values, int dims) {
  std::vector<Keypoint> keypoints(values.size() / static_cast<std::size_t>(dims));
  return ImagePrimitives::own(100, 100, std::move(keypoints), std::move(values), dims);
}
inline ImagePrimitives image_with(std::vector<float> values, int dims) {
  std::vector<Keypoint> keypoints(values.size() / static_cast<std::size_t>(dims));
  return ImagePrimitives::own(100, 100, std::move(keypoints), std::move(values), dims);
}

inline ImageSet image_set_of(std::vector<cv::Mat> pixels, std::shared_ptr<const ItemTable> table = nullptr) {
  ImageSet set;
  set.table = table ? std::move(table) : numbered_items(pixels.size());
  for (const cv::Mat& image : pixels) set.sources.push_back({{}, image.cols, image.rows});
  set.channels = pixels.empty() ? 1 : pixels.front().channels();
  set.fetch = [shared = std::make_shared<std::vector<cv::Mat>>(std::move(pixels))](std::size_t i) {
    Image image;
    image.pixels = shared->at(i);
    return image;
  };
  return set;
}

inline Labels labels_with(std::vector<std::int32_t> values, std::vector<float> distances = {},
                          std::string of = "primitives") {
  Labels labels;
  labels.values = std::move(values);
  labels.distances = std::move(distances);
  labels.of = std::move(of);
  return labels;
}

// A codebook of the given words with made-up statistics: 10 images, of which word i occurs in i + 1.
inline Codebook codebook_of(const Matrix& words, Rows::Type type = Rows::Type::uint8) {
  Codebook codebook;
  codebook.words = words;
  codebook.descriptor_type = type;
  for (Eigen::Index word = 0; word < words.rows(); ++word) {
    codebook.counts.push_back(100 - word);
    codebook.documents.push_back(word + 1);
  }
  codebook.images = 10;
  codebook.descriptors = 1234;
  codebook.learnt_from = 1000;
  codebook.objective = 0.1 + 0.2;
  codebook.seed = 18446744073709551615ULL;
  codebook.recipe = {{"stages", {{"points", {{"type", "features.sift"}, {"edge", 10.5}}}}}};
  return codebook;
}

inline Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix matrix(rows, cols);
  for (Eigen::Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = static_cast<float>(random.uniform(0, 255));
  return matrix;
}

}  // namespace contexton::testing
