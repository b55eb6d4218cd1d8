// Stage input.codebook: reads a codebook that an earlier run wrote.
#include <fmt/format.h>

#include "pipeline/stage.hpp"
#include "stages/output/codebook_files.hpp"

namespace contexton {
namespace {

struct ReadCodebook {
  std::string path;

  static void describe(Description<ReadCodebook>& stage) {
    stage.named("input.codebook", "Reads a codebook written by output.codebook.");
    stage.source();
    stage.param("path", &ReadCodebook::path)
        .required()
        .says_where()
        .doc("the codebook's .json, the .npy beside it, or a folder that holds one codebook");
    stage.output<Codebook>("codebook").doc("the words, their statistics and how their descriptors are made");
  }

  Codebook run(StageRun& run) const {
    Codebook codebook = read_codebook(path);
    run.report().add(ReportText{
        fmt::format("{} words of {} dimensions, learnt from {} descriptors of {} images.",
                    codebook.words.rows(), codebook.words.cols(), codebook.learnt_from, codebook.images)});
    return codebook;
  }
};

REGISTER_STAGE(ReadCodebook);

}  // namespace
}  // namespace contexton
