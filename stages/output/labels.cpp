// Stage output.labels: writes the label of every item.
#include <fmt/format.h>

#include "pipeline/npy.hpp"
#include "pipeline/stage.hpp"
#include "stages/output/text_tables.hpp"

namespace contexton {
namespace {

struct WriteLabels {
  static void describe(Description<WriteLabels>& stage) {
    stage.named("output.labels", "Writes labels as .npy (int32) and .csv (item, label, name, distance).");
    stage.input<Labels>("labels").doc("the labels to write; negative means unlabelled");
  }

  void run(const Labels& labels, StageRun& run) const {
    run.write_file(".npy", npy_bytes(std::span<const std::int32_t>(labels.values),
                                     static_cast<std::int64_t>(labels.values.size()), -1));
    run.check_interrupt();
    run.write_file(".csv", labels_csv(labels));
    run.report().add(ReportText{fmt::format("Labels of {} {}.", labels.values.size(), labels.of)});
  }
};

REGISTER_STAGE(WriteLabels);

}  // namespace
}  // namespace contexton
