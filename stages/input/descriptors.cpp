// input.descriptors: local descriptors that were computed elsewhere, as primitives.
#include <fmt/format.h>

#include <span>

#include "pipeline/markup.hpp"
#include "pipeline/npy.hpp"
#include "pipeline/stage.hpp"
#include "stages/input/descriptor_files.hpp"
#include "stages/types/primitives.hpp"

namespace contexton {

struct DescriptorInput {
  std::string path, positions, offsets;

  static void describe(Description<DescriptorInput>& stage) {
    stage.named("input.descriptors",
                "Reads local descriptors from a .npy file, memory-mapped: it may be larger than memory.");
    stage.source();
    stage.param("path", &DescriptorInput::path)
        .required()
        .says_where()
        .doc("a .npy file of uint8 or float32, one row per descriptor");
    stage.param("positions", &DescriptorInput::positions)
        .says_where()
        .doc(
            "a .npy file with as many rows: x, y in pixels, and optionally scale (Gaussian sigma, pixels) "
            "and "
            "angle (radians); empty puts every descriptor at (0, 0), which stages that look at places cannot "
            "use");
    stage.param("offsets", &DescriptorInput::offsets)
        .says_where()
        .doc(
            "a .npy file of integers: image i has the rows offsets[i] to offsets[i+1]-1, so it begins with 0 "
            "and "
            "ends with the number of rows; empty takes all rows for one image");
    stage.output<Primitives>("primitives").doc("images are called image_0000, image_0001, ...");
  }

  void check(StageCheck& check) const {
    for (const auto& [param, text] : descriptor_files_problems(files())) check.error(param, text);
  }

  Estimate estimate(std::span<const Estimate>) const {
    const NpyArray rows{fs::path(path)};
    Estimate estimate;
    estimate.items = offsets.empty() ? 1 : static_cast<double>(NpyArray(fs::path(offsets)).rows() - 1);
    estimate.rows = static_cast<double>(rows.rows());
    estimate.row_bytes = static_cast<double>(rows.cols()) * static_cast<double>(npy_item_size(rows.type()));
    estimate.work_bytes = estimate.rows * sizeof(Keypoint);
    return estimate;
  }

  Primitives run(StageRun& run) const {
    Primitives primitives = open_descriptors(files(), [&run] { run.check_interrupt(); });
    const std::size_t images = primitives.table->size();
    run.metric("images", static_cast<double>(images));
    run.metric("descriptors", static_cast<double>(primitives.size()));
    run.metric("dimensions", primitives.descriptors.dims);
    run.report().add(ReportText{fmt::format(
        "{} of {} {} values in {}{}.",
        counted(static_cast<std::size_t>(primitives.size()), "descriptor", "descriptors"),
        primitives.descriptors.dims, primitives.descriptors.type == Rows::Type::uint8 ? "uint8" : "float32",
        counted(images, "image", "images"), positions.empty() ? ", without positions" : "")});
    return primitives;
  }

 private:
  [[nodiscard]] DescriptorFiles files() const { return {path, positions, offsets}; }
};
REGISTER_STAGE(DescriptorInput);

}  // namespace contexton
