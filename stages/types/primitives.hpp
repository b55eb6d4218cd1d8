// Local features: where each primitive lies in its image, and its descriptor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/rows.hpp"
#include "pipeline/artifact.hpp"

namespace contexton {

struct Keypoint {
  float x = 0, y = 0;  // pixels, centre of the top-left pixel is (0, 0)
  float scale = 1;     // Gaussian sigma, pixels (a SIFT descriptor covers about 12 scale across)
  float angle = 0;     // radians, clockwise on screen from the x axis; 0 when upright
};
static_assert(sizeof(Keypoint) == 4 * sizeof(float));

// The primitives of one image. A view: `owner` keeps the memory alive. Cheap to copy.
struct ImagePrimitives {
  int width = 0, height = 0;  // of the image they were found in
  std::span<const Keypoint> keypoints;
  Rows descriptors;            // one row per keypoint
  std::int64_t first_row = 0;  // where this image's rows begin in the whole set
  std::shared_ptr<const void> owner;

  [[nodiscard]] std::size_t size() const { return keypoints.size(); }

  // Takes over freshly made features. `values` holds keypoints.size() x dims numbers.
  static ImagePrimitives own(int width, int height, std::vector<Keypoint> keypoints,
                             std::vector<std::uint8_t> values, int dims);
  static ImagePrimitives own(int width, int height, std::vector<Keypoint> keypoints,
                             std::vector<float> values, int dims);
};

// The primitives of a whole set, one block of rows, memory-mapped: may be larger than memory.
struct Primitives {
  static constexpr const char* kName = "Primitives";
  using Item = ImagePrimitives;

  std::shared_ptr<const ItemTable> table;
  std::span<const Keypoint> keypoints;
  Rows descriptors;
  std::vector<std::int64_t> offsets;       // image i has rows offsets[i] .. offsets[i+1]-1
  std::vector<std::pair<int, int>> sizes;  // width, height of each image
  std::shared_ptr<const void> owner;
  std::vector<std::shared_ptr<const NpyArray>> mapped;  // the files the rows lie in; empty = in memory

  [[nodiscard]] std::int64_t size() const { return descriptors.count; }
  void release_pages() const {
    for (const auto& file : mapped) file->release_pages();
  }
  [[nodiscard]] std::shared_ptr<const ItemTable> items() const { return table; }
  [[nodiscard]] ImagePrimitives item(std::size_t i) const;

  class Writer {
   public:
    explicit Writer(ArtifactWriter& store) : store_(store) {}
    void add(const ImagePrimitives& image);

   private:
    ArtifactWriter& store_;
  };
  static Primitives load(const ArtifactReader& reader, std::shared_ptr<const ItemTable> items);
};

}  // namespace contexton
