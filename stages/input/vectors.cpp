// input.vectors: rows of numbers from the user's own file, with labels where there are some.
#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <unordered_map>

#include "pipeline/markup.hpp"
#include "pipeline/stage.hpp"
#include "stages/input/item_labels.hpp"
#include "stages/input/vector_file.hpp"
#include "stages/types/labels.hpp"
#include "stages/types/vectors.hpp"

namespace contexton {

enum class MissingNumbers { error, drop };

template <>
struct EnumNames<MissingNumbers> {
  static constexpr std::pair<MissingNumbers, const char*> values[] = {{MissingNumbers::error, "error"},
                                                                      {MissingNumbers::drop, "drop"}};
};
template <>
struct EnumNames<HeaderLine> {
  static constexpr std::pair<HeaderLine, const char*> values[] = {
      {HeaderLine::automatic, "automatic"}, {HeaderLine::yes, "yes"}, {HeaderLine::no, "no"}};
};

namespace {

// A column whose number is not finite, or -1.
std::int64_t first_missing(std::span<const float> row) {
  const auto found =
      std::find_if_not(row.begin(), row.end(), [](float number) { return std::isfinite(number); });
  return found == row.end() ? -1 : found - row.begin();
}

struct MissingNumber {
  std::int64_t row, column;
};

// The first missing number of every row that has one, in order.
std::vector<MissingNumber> rows_with_missing(const Rows& rows, const StageRun& run) {
  std::vector<std::int64_t> column(static_cast<std::size_t>(rows.count), -1);
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows.count, 1024), [&](const auto& range) {
    run.check_interrupt();
    for (std::int64_t r = range.begin(); r < range.end(); ++r)
      column[static_cast<std::size_t>(r)] = first_missing(rows.row<float>(r));
  });
  std::vector<MissingNumber> missing;
  for (std::int64_t r = 0; r < rows.count; ++r)
    if (column[static_cast<std::size_t>(r)] >= 0) missing.push_back({r, column[static_cast<std::size_t>(r)]});
  return missing;
}

std::vector<std::string> numbered_names(std::int64_t count) {
  const std::size_t digits =
      std::max<std::size_t>(4, std::to_string(std::max<std::int64_t>(count - 1, 0)).size());
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) names.push_back(fmt::format("row_{:0{}}", i, digits));
  return names;
}

void require_unique_names(const VectorFile& file, const std::string& path) {
  std::unordered_map<std::string_view, std::size_t> line_of;
  for (std::size_t i = 0; i < file.names.size(); ++i) {
    if (file.names[i].empty())
      throw InputError(path, fmt::format("line {} has an empty name", file.lines[i]));
    const auto [first, is_new] = line_of.emplace(file.names[i], file.lines[i]);
    if (!is_new)
      throw InputError(path, fmt::format("lines {} and {} have the same name '{}'; names must be unique",
                                         first->second, file.lines[i], file.names[i]));
  }
}

void drop_rows(VectorFile& file, const std::vector<MissingNumber>& dropped) {
  std::vector<bool> keep(static_cast<std::size_t>(file.rows.count), true);
  for (const MissingNumber& missing : dropped) keep[static_cast<std::size_t>(missing.row)] = false;
  const auto keep_of = [&](auto& list) {
    std::size_t next = 0;
    std::erase_if(list, [&](const auto&) { return !keep[next++]; });
  };
  std::vector<float> values;
  values.reserve((keep.size() - dropped.size()) * static_cast<std::size_t>(file.rows.dims));
  for (std::int64_t r = 0; r < file.rows.count; ++r) {
    const auto row = file.rows.row<float>(r);
    if (keep[static_cast<std::size_t>(r)]) values.insert(values.end(), row.begin(), row.end());
  }
  keep_of(file.names);
  if (!file.labels.empty()) keep_of(file.labels);
  if (!file.lines.empty()) keep_of(file.lines);
  const auto owned = std::make_shared<const std::vector<float>>(std::move(values));
  file.rows = Rows(std::span<const float>(*owned), file.rows.dims);
  file.owner = owned;
}

std::vector<Key> row_keys(const Rows& rows, const StageRun& run) {
  std::vector<Key> keys(static_cast<std::size_t>(rows.count));
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows.count, 1024), [&](const auto& range) {
    run.check_interrupt();
    for (std::int64_t r = range.begin(); r < range.end(); ++r)
      keys[static_cast<std::size_t>(r)] = hash_bytes(
          std::span(reinterpret_cast<const std::uint8_t*>(rows.row<float>(r).data()), rows.row_bytes()));
  });
  return keys;
}

}  // namespace

struct VectorInput {
  std::string path, labels, name_column;
  HeaderLine header = HeaderLine::automatic;
  MissingNumbers missing = MissingNumbers::error;

  static void describe(Description<VectorInput>& stage) {
    stage.named("input.vectors", "Reads rows of numbers (your own features) from a .npy or .csv file.");
    stage.source();
    stage.param("path", &VectorInput::path)
        .required()
        .says_where()
        .doc(
            "a .npy file of two dimensions and any number type, or a .csv, .tsv or .txt table separated by "
            "comma, semicolon or tab; one row per item, kept as float32");
    stage.param("labels", &VectorInput::labels)
        .says_where()
        .doc(
            "the column with each row's class, or a second file with one label per row: .npy (negative = "
            "unlabelled) or a line of text each; empty for none");
    stage.param("name_column", &VectorInput::name_column)
        .says_where()
        .doc(
            "the column with each row's name, which must be unique; empty names the rows row_0000, row_0001, "
            "...");
    stage.param("header", &VectorInput::header)
        .doc(
            "whether the first line of a table names the columns; automatic takes it for names when it "
            "holds anything but numbers; without names the columns are called 1, 2, 3, ...");
    stage.param("missing", &VectorInput::missing)
        .doc(
            "what to do with rows that hold an empty cell, NaN or an infinite number: stop with an error, or "
            "drop the row and note it");
    stage.output<Vectors>("vectors").doc("one row per item");
    stage.output<Labels>("labels").doc("the class of each row");
  }

  void check(StageCheck& check) const {
    for (const auto& [param, text] : vector_file_problems(file_options())) check.error(param, text);
  }

  Estimate estimate(std::span<const Estimate>) const {
    const VectorFileSize size = vector_file_size(file_options());
    Estimate estimate;
    estimate.items = estimate.rows = static_cast<double>(size.rows);
    estimate.row_bytes = static_cast<double>(size.columns) * sizeof(float);
    estimate.work_bytes = estimate.rows * estimate.row_bytes;
    return estimate;
  }

  std::tuple<Vectors, Labels> run(StageRun& run) const {
    VectorFile file = read_vector_file(file_options());
    if (file.names.empty())
      file.names = numbered_names(file.rows.count);
    else
      require_unique_names(file, path);
    const std::int64_t dropped = treat_missing(file, run);
    if (file.labels.empty()) file.labels.resize(file.names.size());

    std::vector<Key> keys = row_keys(file.rows, run);
    Vectors vectors;
    vectors.table = std::make_shared<const ItemTable>(
        make_item_table(std::move(file.names), file.labels, std::move(keys)));
    vectors.rows = file.rows;
    vectors.owner = file.owner;
    tell(vectors, dropped, run);
    Labels classes = labels_of(*vectors.table, "vectors");
    return {std::move(vectors), std::move(classes)};
  }

 private:
  [[nodiscard]] VectorFileOptions file_options() const { return {path, labels, name_column, header}; }

  // Answers how many rows were dropped.
  std::int64_t treat_missing(VectorFile& file, StageRun& run) const {
    const std::vector<MissingNumber> rows = rows_with_missing(file.rows, run);
    if (rows.empty()) return 0;
    const auto describe_place = [&](const MissingNumber& place) {
      return fmt::format("{} is missing or not finite", place_in(file, place.row, place.column));
    };
    if (missing == MissingNumbers::error)
      throw InputError(path, fmt::format("{} ({} of {} rows); \"missing\": \"drop\" leaves such rows out",
                                         describe_place(rows[0]), rows.size(), file.rows.count));
    if (static_cast<std::int64_t>(rows.size()) == file.rows.count)
      throw InputError(path, fmt::format("no row is left: {}, and so on", describe_place(rows[0])));
    for (const MissingNumber& place : rows)
      run.skip(file.names[static_cast<std::size_t>(place.row)], describe_place(place));
    drop_rows(file, rows);
    return static_cast<std::int64_t>(rows.size());
  }

  static void tell(const Vectors& vectors, std::int64_t dropped, StageRun& run) {
    const ItemTable& table = *vectors.table;
    run.metric("rows", static_cast<double>(table.size()));
    run.metric("columns", vectors.rows.dims);
    run.metric("classes", static_cast<double>(table.label_names.size()));
    run.metric("dropped", static_cast<double>(dropped));
    std::string text = fmt::format("{} of {}", counted(table.size(), "row", "rows"),
                                   counted(static_cast<std::size_t>(vectors.rows.dims), "number", "numbers"));
    if (table.has_labels())
      text += fmt::format(" in {}", counted(table.label_names.size(), "class", "classes"));
    run.report().add(ReportText{text + "."});
    if (table.has_labels()) run.report().add(class_table(table, "Rows per class", "rows"));
  }
};
REGISTER_STAGE(VectorInput);

}  // namespace contexton
