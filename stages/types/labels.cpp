// Labels on disk.
#include "stages/types/labels.hpp"

namespace contexton {

void Labels::save(ArtifactWriter& writer) const {
  writer.append<std::int32_t>("values", -1, values);
  if (!distances.empty()) writer.append<float>("distances", -1, distances);
  writer.document() = {{"of", of}, {"names", names}, {"item_names", item_names}};
}

Labels Labels::load(const ArtifactReader& reader) {
  Labels labels;
  const NpyArray values = reader.array("values");
  labels.values.assign(values.values<std::int32_t>().begin(), values.values<std::int32_t>().end());
  if (reader.has("distances")) {
    const NpyArray distances = reader.array("distances");
    labels.distances.assign(distances.values<float>().begin(), distances.values<float>().end());
  }
  reader.document().at("of").get_to(labels.of);
  reader.document().at("names").get_to(labels.names);
  reader.document().at("item_names").get_to(labels.item_names);
  return labels;
}

}  // namespace contexton
