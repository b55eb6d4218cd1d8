// Stage output.table: writes vectors for other programs.
#include <fmt/format.h>

#include <algorithm>

#include "pipeline/npy.hpp"
#include "pipeline/stage.hpp"
#include "stages/output/text_tables.hpp"
#include "stages/types/vectors.hpp"

namespace contexton {
namespace {

enum class TableFormat { npy, csv, svmlight };

}  // namespace

template <>
struct EnumNames<TableFormat> {
  static constexpr std::pair<TableFormat, const char*> values[] = {
      {TableFormat::npy, "npy"}, {TableFormat::csv, "csv"}, {TableFormat::svmlight, "svmlight"}};
};

namespace {

struct WriteTable {
  std::vector<TableFormat> formats = {TableFormat::npy, TableFormat::csv, TableFormat::svmlight};

  static void describe(Description<WriteTable>& stage) {
    stage.named("output.table", "Writes vectors, one row per item, as .npy, .csv and .svmlight.");
    stage.param("formats", &WriteTable::formats)
        .doc(
            "npy: float32 rows without names; csv: name, class, numbers; svmlight: class number from 1 (0 = "
            "none) and what is not zero, for linear classifiers");
    stage.input<Vectors>("vectors").doc("the rows to write");
  }

  void check(StageCheck& check) const {
    if (formats.empty()) check.error("formats", "names no format, so that nothing would be written");
  }

  void run(const Vectors& vectors, StageRun& run) const {
    if (wants(TableFormat::npy))
      run.write_file(".npy",
                     npy_bytes(std::span(static_cast<const float*>(vectors.rows.data),
                                         static_cast<std::size_t>(vectors.rows.count * vectors.rows.dims)),
                               vectors.rows.count, vectors.rows.dims));
    run.check_interrupt();
    if (wants(TableFormat::csv)) run.write_file(".csv", vectors_csv(vectors));
    run.check_interrupt();
    if (wants(TableFormat::svmlight)) run.write_file(".svmlight", vectors_svmlight(vectors));
    run.report().add(
        ReportText{fmt::format("{} rows of {} numbers.", vectors.rows.count, vectors.rows.dims)});
  }

 private:
  [[nodiscard]] bool wants(TableFormat format) const {
    return std::ranges::find(formats, format) != formats.end();
  }
};

REGISTER_STAGE(WriteTable);

}  // namespace
}  // namespace contexton
