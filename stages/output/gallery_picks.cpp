// One pass over the images, keeping the best few candidates of every label.
#include "stages/output/gallery_picks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace contexton {
namespace {

struct Candidate {
  std::size_t turn = 0;  // how many of the same label and image are nearer
  float distance = 0;
  GalleryPick pick;
  [[nodiscard]] auto rank() const { return std::tuple(turn, distance, pick.row); }
};

void keep_best(std::vector<Candidate>& candidates, std::size_t wanted) {
  std::ranges::sort(candidates, std::less{}, &Candidate::rank);
  candidates.resize(std::min(candidates.size(), wanted));
}

constexpr std::size_t kNotShown = static_cast<std::size_t>(-1);

class Picker {
 public:
  Picker(const Labels& labels, std::vector<std::size_t> place_of_label, std::size_t rows, std::size_t patches)
      : labels_(labels), place_of_label_(std::move(place_of_label)), patches_(patches), candidates_(rows) {}

  void add_image(std::size_t image, std::int64_t first, std::int64_t last) {
    rows_.clear();
    for (std::int64_t row = first; row < last; ++row)
      if (place(row) != kNotShown) rows_.push_back(row);
    std::ranges::sort(rows_, std::less{},
                      [&](std::int64_t row) { return std::tuple(place(row), distance(row), row); });
    std::size_t turn = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      turn = i > 0 && place(rows_[i]) == place(rows_[i - 1]) ? turn + 1 : 0;
      if (turn < patches_) add({turn, distance(rows_[i]), {image, rows_[i]}});
    }
  }

  std::vector<GalleryPick> finish(std::size_t place) {
    keep_best(candidates_[place], patches_);
    std::vector<GalleryPick> picks;
    for (const Candidate& candidate : candidates_[place]) picks.push_back(candidate.pick);
    return picks;
  }

 private:
  [[nodiscard]] std::size_t place(std::int64_t row) const {
    const auto label = static_cast<std::size_t>(labels_.values[static_cast<std::size_t>(row)]);
    return label < place_of_label_.size() ? place_of_label_[label] : kNotShown;
  }
  [[nodiscard]] float distance(std::int64_t row) const {
    if (labels_.distances.empty()) return 0;
    const float known = labels_.distances[static_cast<std::size_t>(row)];
    return std::isnan(known) ? std::numeric_limits<float>::infinity()
                             : known;  // NaN has no place in an order
  }
  void add(const Candidate& candidate) {
    std::vector<Candidate>& all = candidates_[place(candidate.pick.row)];
    all.push_back(candidate);
    if (all.size() >= 8 * patches_) keep_best(all, patches_);
  }

  const Labels& labels_;
  std::vector<std::size_t> place_of_label_;
  std::size_t patches_;
  std::vector<std::vector<Candidate>> candidates_;  // by place
  std::vector<std::int64_t> rows_;                  // of the image at hand
};

std::vector<std::size_t> commonest_labels(std::span<const std::int64_t> counts, std::size_t rows) {
  std::vector<std::size_t> order;
  for (std::size_t label = 0; label < counts.size(); ++label)
    if (counts[label] > 0) order.push_back(label);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t label) { return counts[label]; });
  order.resize(std::min(order.size(), rows));
  return order;
}

}  // namespace

std::vector<GalleryRow> pick_typical(const Primitives& primitives, const Labels& labels,
                                     std::span<const std::int64_t> counts, std::size_t rows,
                                     std::size_t patches) {
  const std::vector<std::size_t> shown = commonest_labels(counts, rows);
  std::vector<std::size_t> place_of_label(counts.size(), kNotShown);
  for (std::size_t place = 0; place < shown.size(); ++place) place_of_label[shown[place]] = place;

  Picker picker(labels, std::move(place_of_label), shown.size(), patches);
  for (std::size_t image = 0; image + 1 < primitives.offsets.size(); ++image)
    picker.add_image(image, primitives.offsets[image], primitives.offsets[image + 1]);

  std::vector<GalleryRow> gallery;
  for (std::size_t place = 0; place < shown.size(); ++place)
    gallery.push_back({shown[place], counts[shown[place]], picker.finish(place)});
  return gallery;
}

}  // namespace contexton
