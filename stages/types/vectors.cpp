// Vectors in memory and on disk.
#include "stages/types/vectors.hpp"

namespace contexton {

VectorItem Vectors::item(std::size_t i) const {
  const auto row = rows.row<float>(static_cast<std::int64_t>(i));
  return {{row.begin(), row.end()}};
}

void Vectors::Writer::add(const VectorItem& item) {
  store_.append<float>("vectors", static_cast<std::int64_t>(item.values.size()), item.values);
}

Vectors Vectors::load(const ArtifactReader& reader, std::shared_ptr<const ItemTable> items) {
  Vectors vectors;
  vectors.table = std::move(items);
  if (!reader.has("vectors")) return vectors;
  const auto mapped = std::make_shared<const NpyArray>(reader.array("vectors"));
  vectors.rows = Rows(mapped->values<float>(), static_cast<int>(mapped->cols()));
  vectors.owner = mapped;
  return vectors;
}

Vectors Vectors::own(std::shared_ptr<const ItemTable> items, Matrix values) {
  Vectors vectors;
  vectors.table = std::move(items);
  const auto owned = std::make_shared<const Matrix>(std::move(values));
  vectors.rows = Rows(*owned);
  vectors.owner = owned;
  return vectors;
}

}  // namespace contexton
