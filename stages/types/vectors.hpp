// One row of numbers per item: images' histograms and global features, or a file of the user's own features.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/rows.hpp"
#include "pipeline/artifact.hpp"

namespace contexton {

struct VectorItem {
  std::vector<float> values;
};

struct Vectors {
  static constexpr const char* kName = "Vectors";
  using Item = VectorItem;

  std::shared_ptr<const ItemTable> table;  // names and labels of the rows
  Rows rows;                               // float32
  std::shared_ptr<const void> owner;

  [[nodiscard]] std::shared_ptr<const ItemTable> items() const { return table; }
  [[nodiscard]] VectorItem item(std::size_t i) const;

  class Writer {
   public:
    explicit Writer(ArtifactWriter& store) : store_(store) {}
    void add(const VectorItem& item);

   private:
    ArtifactWriter& store_;
  };
  static Vectors load(const ArtifactReader& reader, std::shared_ptr<const ItemTable> items);
  static Vectors own(std::shared_ptr<const ItemTable> items, Matrix values);
};

}  // namespace contexton
