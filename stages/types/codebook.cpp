// Codebooks in the cache. The files users get are written by stages/output/codebook_files.
#include "stages/types/codebook.hpp"

#include <cmath>

namespace contexton {

std::vector<float> Codebook::idf() const {
  std::vector<float> weights;
  weights.reserve(documents.size());
  for (const std::int64_t count : documents)
    weights.push_back(static_cast<float>(
        std::log((1.0 + static_cast<double>(images)) / (1.0 + static_cast<double>(count))) + 1));
  return weights;
}

void Codebook::save(ArtifactWriter& writer) const {
  writer.append<float>("words", words.cols(),
                       std::span(words.data(), static_cast<std::size_t>(words.size())));
  writer.append<std::int64_t>("counts", -1, counts);
  writer.append<std::int64_t>("documents", -1, documents);
  writer.document() = {{"bytes", descriptor_type == Rows::Type::uint8},
                       {"images", images},
                       {"descriptors", descriptors},
                       {"learnt_from", learnt_from},
                       {"objective", objective},
                       {"seed", seed},
                       {"recipe", recipe.dump()}};  // as text: keeps the order of its keys
}

Codebook Codebook::load(const ArtifactReader& reader) {
  Codebook codebook;
  const NpyArray words = reader.array("words"), counts = reader.array("counts"),
                 documents = reader.array("documents");
  codebook.words = Eigen::Map<const Matrix>(words.values<float>().data(), words.rows(), words.cols());
  codebook.counts.assign(counts.values<std::int64_t>().begin(), counts.values<std::int64_t>().end());
  codebook.documents.assign(documents.values<std::int64_t>().begin(), documents.values<std::int64_t>().end());
  const nlohmann::json& document = reader.document();
  codebook.descriptor_type = document.at("bytes").get<bool>() ? Rows::Type::uint8 : Rows::Type::float32;
  document.at("images").get_to(codebook.images);
  document.at("descriptors").get_to(codebook.descriptors);
  document.at("learnt_from").get_to(codebook.learnt_from);
  document.at("objective").get_to(codebook.objective);
  document.at("seed").get_to(codebook.seed);
  codebook.recipe = nlohmann::ordered_json::parse(document.at("recipe").get<std::string>());
  return codebook;
}

}  // namespace contexton
