// Stage output.codebook: writes a codebook for NumPy, for OpenCV, and for contexton itself.
#include <fmt/format.h>

#include "pipeline/stage.hpp"
#include "stages/output/codebook_files.hpp"

namespace contexton {
namespace {

struct WriteCodebook {
  static void describe(Description<WriteCodebook>& stage) {
    stage.named(
        "output.codebook",
        "Writes a codebook as .npy, .json (with all that is needed to use it) and .yml.gz for OpenCV.");
    stage.input<Codebook>("codebook").doc("the codebook to write");
  }

  void run(const Codebook& codebook, StageRun& run) const {
    run.write_file(".npy", codebook_npy(codebook));
    run.check_interrupt();
    run.write_file(".json", codebook_json(codebook));
    run.check_interrupt();
    run.write_file(".yml.gz", codebook_yml_gz(codebook));
    run.report().add(
        ReportText{fmt::format("{} words of {} dimensions as .npy (NumPy), .json (descriptor settings, "
                               "counts, idf) and .yml.gz (OpenCV, "
                               "node vocabulary). New images are encoded with: contexton encode --codebook "
                               "FILE.json --images FOLDER.",
                               codebook.words.rows(), codebook.words.cols())});
    if (codebook.recipe.is_null())
      run.report().add(
          ReportText{"How the descriptors were made is not known, so that the codebook cannot encode images "
                     "by itself."});
  }
};

REGISTER_STAGE(WriteCodebook);

}  // namespace
}  // namespace contexton
