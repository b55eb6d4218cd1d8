// Stage encode.bow: each image as a histogram of visual words.
#include <fmt/format.h>

#include <cmath>

#include "models/kernels/nearest.hpp"
#include "pipeline/stage.hpp"
#include "stages/made_once.hpp"
#include "stages/types/codebook.hpp"
#include "stages/types/primitives.hpp"
#include "stages/types/vectors.hpp"

namespace contexton {
namespace {

enum class HistogramNorm { none, l1, l2 };

}  // namespace

template <>
struct EnumNames<HistogramNorm> {
  static constexpr std::pair<HistogramNorm, const char*> values[] = {
      {HistogramNorm::none, "none"}, {HistogramNorm::l1, "l1"}, {HistogramNorm::l2, "l2"}};
};

namespace {

struct PackedCodebook {
  Words words;
  std::vector<float> idf;
};

Key key_of(const Codebook& codebook) {
  const auto size = static_cast<std::size_t>(codebook.words.size()) * sizeof(float);
  return KeyBuilder()
      .add(static_cast<std::uint64_t>(codebook.words.cols()))
      .add(static_cast<std::uint64_t>(codebook.images))
      .add(std::string_view(reinterpret_cast<const char*>(codebook.words.data()), size))
      .add(std::string_view(reinterpret_cast<const char*>(codebook.documents.data()),
                            codebook.documents.size() * sizeof(std::int64_t)))
      .key();
}

const char* type_name(Rows::Type type) {
  return type == Rows::Type::uint8 ? "uint8" : "float32";
}

// Words of other descriptors would give a histogram all the same, a meaningless one.
void refuse_other_descriptors(const Rows& descriptors, const Codebook& codebook) {
  if (descriptors.dims == codebook.words.cols() && descriptors.type == codebook.descriptor_type) return;
  throw std::runtime_error(fmt::format(
      "the codebook is for {} descriptors of {} dimensions, but these are {} of {}: compute them with the "
      "settings the codebook was learnt with",
      type_name(codebook.descriptor_type), codebook.words.cols(), type_name(descriptors.type),
      descriptors.dims));
}

double norm_of(std::span<const double> weights, HistogramNorm norm) {
  double sum = 0;
  for (const double weight : weights) sum += norm == HistogramNorm::l2 ? weight * weight : weight;
  return norm == HistogramNorm::l2 ? std::sqrt(sum) : sum;
}

struct BagOfWords {
  HistogramNorm normalize = HistogramNorm::l1;
  bool tf_idf = false;
  MadeOnce<PackedCodebook> packed;  // not a parameter: the codebook in the form the search needs

  static void describe(Description<BagOfWords>& stage) {
    stage.named("encode.bow", "Describes each image by how often each visual word occurs in it.");
    stage.param("normalize", &BagOfWords::normalize)
        .doc("l1: weights sum to 1; l2: unit length; none: plain counts, which grow with the image");
    stage.param("tf_idf", &BagOfWords::tf_idf)
        .doc(
            "before normalising, multiply each count by the word's idf: words that occur in few images "
            "weigh more");
    stage.each<Primitives>("primitives").doc("descriptors of the same kind as the codebook's");
    stage.input<Codebook>("codebook").doc("the words");
    stage.output_each<Vectors>("vectors").doc("one number per word; zeros for an image without primitives");
  }

  Estimate estimate(std::span<const Estimate> inputs) const {
    const double words = inputs[1].rows;
    Estimate expected;
    expected.items = expected.rows = inputs[0].items;
    expected.row_bytes = words * sizeof(float);
    expected.work_bytes = 2 * words * inputs[1].row_bytes;
    return expected;
  }

  VectorItem run(const ImagePrimitives& image, const Codebook& codebook, StageRun& run) const {
    const auto words = static_cast<std::size_t>(codebook.words.rows());
    if (image.size() == 0) {
      run.note(run.item().name, "no primitives: its vector is all zeros");
      return {std::vector<float>(words, 0.0F)};
    }
    refuse_other_descriptors(image.descriptors, codebook);
    const auto search = packed.get(key_of(codebook), [&] {
      return PackedCodebook{Words(codebook.words), codebook.idf()};
    });
    std::vector<double> weights = count_words(image, search->words);
    if (tf_idf)
      for (std::size_t word = 0; word < words; ++word)
        weights[word] *= static_cast<double>(search->idf[word]);
    const double divisor = normalize == HistogramNorm::none ? 1 : norm_of(weights, normalize);
    VectorItem vector{std::vector<float>(words)};
    for (std::size_t word = 0; word < words; ++word)
      vector.values[word] = static_cast<float>(weights[word] / divisor);
    return vector;
  }

 private:
  static std::vector<double> count_words(const ImagePrimitives& image, const Words& words) {
    std::vector<std::int32_t> labels(image.size());
    std::vector<float> squared_distances(image.size());
    nearest_words_on_this_thread(image.descriptors, words, labels, squared_distances);
    std::vector<double> counts(static_cast<std::size_t>(words.count()), 0.0);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (std::isnan(squared_distances[i]))
        throw std::runtime_error(fmt::format("descriptor {} holds a value that is not a number", i));
      ++counts[static_cast<std::size_t>(labels[i])];
    }
    return counts;
  }
};

REGISTER_STAGE(BagOfWords);

}  // namespace
}  // namespace contexton
