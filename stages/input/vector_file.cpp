// Vector files: .npy by memory map, text cell by cell.
#include "stages/input/vector_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "pipeline/errors.hpp"
#include "pipeline/npy.hpp"
#include "pipeline/suggest.hpp"
#include "stages/input/delimited.hpp"
#include "stages/input/item_labels.hpp"

namespace contexton {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

std::string lower_extension(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return extension;
}

bool is_npy(const std::string& path) {
  return lower_extension(path) == ".npy";
}
bool is_text(const std::string& path) {
  const std::string extension = lower_extension(path);
  return extension == ".csv" || extension == ".tsv" || extension == ".txt";
}

// A conversion from a larger number is undefined, so infinity is said by hand.
float to_float(double number) {
  if (std::abs(number) <= std::numeric_limits<float>::max() || !std::isfinite(number))
    return static_cast<float>(number);
  return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(number > 0 ? 1 : -1));
}

// The number in a cell; NaN for the usual ways to say that there is none; nothing for other text.
std::optional<float> number_in(std::string_view cell) {
  for (const std::string_view absent : {"", "NA", "N/A", "null", "?"})
    if (cell == absent) return kMissing;
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  double number = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, number);
  if (stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range)  // 1e-999 is as good as zero, 1e999 is not a number to us
    return cell.find("e-") != std::string_view::npos || cell.find("E-") != std::string_view::npos
               ? 0.0F
               : std::numeric_limits<float>::infinity();
  if (error != std::errc()) return std::nullopt;
  return to_float(number);
}

// ---- text

struct TextLayout {
  std::vector<std::string> header;           // one name per column
  bool header_in_file = false;               // else the columns are numbered from 1
  std::optional<std::size_t> labels, names;  // columns that hold no numbers
  std::optional<std::string> labels_problem, names_problem;
};

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

bool is_header(const std::vector<std::string>& first, HeaderLine header) {
  if (header != HeaderLine::automatic) return header == HeaderLine::yes;
  return std::any_of(first.begin(), first.end(), [](const std::string& cell) { return !number_in(cell); });
}

std::string no_such_column(const TextLayout& layout, const std::string& name, const std::string& path) {
  if (layout.header_in_file)
    return fmt::format("{} has no column '{}'{}", path, name, suggestion(name, layout.header));
  return fmt::format("{} has no column '{}': its first line holds numbers, so its columns are '1' to '{}'",
                     path, name, layout.header.size());
}

// Throws std::invalid_argument for text that is not a table.
TextLayout layout_of(std::string_view text, const VectorFileOptions& options) {
  RecordReader reader(text, detect_delimiter(text));
  TextLayout layout;
  if (!reader.next(layout.header)) throw std::invalid_argument("has no rows");
  layout.header_in_file = is_header(layout.header, options.header);
  if (!layout.header_in_file)
    for (std::size_t i = 0; i < layout.header.size(); ++i) layout.header[i] = std::to_string(i + 1);

  layout.labels = find_column(layout.header, options.labels);
  std::error_code ignored;
  if (!options.labels.empty() && !layout.labels && !fs::is_regular_file(options.labels, ignored))
    layout.labels_problem =
        no_such_column(layout, options.labels, options.path) + ", and there is no such file";
  layout.names = find_column(layout.header, options.name_column);
  if (!options.name_column.empty() && !layout.names)
    layout.names_problem = no_such_column(layout, options.name_column, options.path);
  if (options.labels.empty()) layout.labels.reset();  // a column without a name is not the one meant
  if (options.name_column.empty()) layout.names.reset();
  return layout;
}

class TextParser {
 public:
  TextParser(std::string_view text, const VectorFileOptions& options)
      : layout_(layout_of(text, options)), reader_(text, detect_delimiter(text)) {
    if (layout_.labels_problem) throw std::invalid_argument(*layout_.labels_problem);
    if (layout_.names_problem) throw std::invalid_argument(*layout_.names_problem);
    for (std::size_t i = 0; i < layout_.header.size(); ++i)
      if (i != layout_.labels && i != layout_.names) file_.columns.push_back(layout_.header[i]);
    if (file_.columns.empty()) throw std::invalid_argument("has no column of numbers");
  }

  VectorFile parse() {
    std::vector<std::string> cells;
    if (layout_.header_in_file) reader_.next(cells);
    while (reader_.next(cells)) take(cells);
    if (file_.lines.empty()) throw std::invalid_argument("has no rows below its header");
    const auto owned = std::make_shared<const std::vector<float>>(std::move(values_));
    file_.rows = Rows(std::span<const float>(*owned), static_cast<int>(file_.columns.size()));
    file_.owner = owned;
    return std::move(file_);
  }

 private:
  void take(const std::vector<std::string>& cells) {
    if (cells.size() != layout_.header.size())
      throw std::invalid_argument(fmt::format("line {} has {} cells where the first line has {}",
                                              reader_.line(), cells.size(), layout_.header.size()));
    file_.lines.push_back(reader_.line());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i == layout_.labels) file_.labels.push_back(cells[i]);
      if (i == layout_.names) file_.names.push_back(cells[i]);
      if (i != layout_.labels && i != layout_.names) values_.push_back(number_at(cells[i], i));
    }
  }

  [[nodiscard]] float number_at(const std::string& cell, std::size_t column) const {
    if (const auto number = number_in(cell)) return *number;
    throw std::invalid_argument(
        fmt::format("line {}, column '{}': '{}' is not a number (a column of labels is named by \"labels\", "
                    "one of names by \"name_column\")",
                    reader_.line(), layout_.header[column], cell));
  }

  TextLayout layout_;
  RecordReader reader_;
  VectorFile file_;
  std::vector<float> values_;
};

VectorFile read_text_vectors(const VectorFileOptions& options) {
  const MappedFile mapped{fs::path(options.path)};
  try {
    return TextParser(text_of(mapped), options).parse();
  } catch (const std::invalid_argument& error) {
    throw InputError(options.path, error.what());
  }
}

// ---- .npy

NpyArray open_vectors(const std::string& path) {
  NpyArray array{fs::path(path)};
  if (array.one_dimensional())
    throw InputError(path, "has one dimension; two are needed, a row per item (numpy: array.reshape(-1, 1))");
  if (array.rows() == 0 || array.cols() == 0)
    throw InputError(path, fmt::format("is empty: {} x {}", array.rows(), array.cols()));
  if (array.cols() > std::numeric_limits<int>::max()) throw InputError(path, "has too many columns");
  return array;
}

VectorFile read_npy_vectors(const VectorFileOptions& options) {
  const auto array = std::make_shared<const NpyArray>(open_vectors(options.path));
  VectorFile file;
  for (std::int64_t i = 1; i <= array->cols(); ++i) file.columns.push_back(std::to_string(i));
  const bool aligned = reinterpret_cast<std::uintptr_t>(array->data()) % alignof(float) == 0;
  if (array->type() == NpyType::f4 && aligned) {
    file.rows = Rows(array->values<float>(), static_cast<int>(array->cols()));
    file.owner = array;
    return file;
  }
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(array->rows() * array->cols()));
  for (std::int64_t r = 0; r < array->rows(); ++r)
    for (std::int64_t c = 0; c < array->cols(); ++c) values.push_back(to_float(array->number(r, c)));
  const auto owned = std::make_shared<const std::vector<float>>(std::move(values));
  file.rows = Rows(std::span<const float>(*owned), static_cast<int>(array->cols()));
  file.owner = owned;
  return file;
}

// ---- labels in a file of their own

std::string label_text(double number) {
  if (!(number >= 0)) return "";  // negative and NaN: unlabelled
  return number == std::floor(number) && number < 1e15 ? fmt::format("{}", static_cast<std::int64_t>(number))
                                                       : fmt::format("{}", number);
}

std::vector<std::string> read_label_file(const std::string& path) {
  std::vector<std::string> labels;
  if (is_npy(path)) {
    const NpyArray array{fs::path(path)};
    if (array.cols() != 1)
      throw InputError(path, fmt::format("has {} columns; labels need one", array.cols()));
    for (std::int64_t i = 0; i < array.rows(); ++i) labels.push_back(label_text(array.number(i, 0)));
    return labels;
  }
  std::string text = read_text_file(path);
  if (text.find('\0') != std::string::npos)
    throw InputError(path, "is neither .npy nor a text file with one label per line");
  if (!text.empty() && text.back() != '\n') text += '\n';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    std::string label = text.substr(at, end - at);
    label.erase(0, label.find_first_not_of(" \t\r"));
    label.erase(label.find_last_not_of(" \t\r") + 1);
    labels.push_back(std::move(label));
    at = end + 1;
  }
  return labels;
}

std::string file_problem(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return fmt::format("{} does not exist", fs::absolute(path).string());
  if (!is_npy(path) && !is_text(path)) return fmt::format("{} is none of .npy, .csv, .tsv, .txt", path);
  return "";
}

void add_npy_problems(const VectorFileOptions& options, std::vector<VectorFileProblem>& problems) {
  open_vectors(options.path);
  std::error_code ignored;
  if (!options.labels.empty() && !fs::is_regular_file(options.labels, ignored))
    problems.push_back({"labels", fmt::format("{} does not exist; an .npy file has no named columns, so the "
                                              "labels must be a file",
                                              fs::absolute(options.labels).string())});
  if (!options.name_column.empty()) problems.push_back({"name_column", "an .npy file has no named columns"});
}

void add_text_problems(const VectorFileOptions& options, std::vector<VectorFileProblem>& problems) {
  const MappedFile mapped{fs::path(options.path)};
  const TextLayout layout = layout_of(text_of(mapped), options);
  if (layout.labels_problem) problems.push_back({"labels", *layout.labels_problem});
  if (layout.names_problem) problems.push_back({"name_column", *layout.names_problem});
}

}  // namespace

std::vector<VectorFileProblem> vector_file_problems(const VectorFileOptions& options) {
  std::vector<VectorFileProblem> problems;
  if (std::string problem = file_problem(options.path); !problem.empty()) {
    problems.push_back({"path", std::move(problem)});
    return problems;
  }
  try {
    if (is_npy(options.path))
      add_npy_problems(options, problems);
    else
      add_text_problems(options, problems);
  } catch (const InputError& error) {
    problems.push_back({"path", error.what()});
  } catch (const std::invalid_argument& error) {
    problems.push_back({"path", fmt::format("{}: {}", options.path, error.what())});
  }
  return problems;
}

VectorFile read_vector_file(const VectorFileOptions& options) {
  VectorFile file = is_npy(options.path) ? read_npy_vectors(options) : read_text_vectors(options);
  if (!options.labels.empty() && file.labels.empty()) {
    file.labels = read_label_file(options.labels);
    if (static_cast<std::int64_t>(file.labels.size()) != file.rows.count)
      throw InputError(options.labels, fmt::format("has {} labels for the {} rows of {}", file.labels.size(),
                                                   file.rows.count, options.path));
  }
  for (auto* texts : {&file.columns, &file.names, &file.labels})
    for (std::string& text : *texts) text = utf8_text(text);
  return file;
}

VectorFileSize vector_file_size(const VectorFileOptions& options) {
  if (is_npy(options.path)) {
    const NpyArray array = open_vectors(options.path);
    return {array.rows(), array.cols()};
  }
  const MappedFile mapped{fs::path(options.path)};
  const std::string_view text = text_of(mapped);
  try {
    const TextLayout layout = layout_of(text, options);
    const std::int64_t words = (layout.labels ? 1 : 0) + (layout.names ? 1 : 0);
    return {std::count(text.begin(), text.end(), '\n'),
            static_cast<std::int64_t>(layout.header.size()) - words};
  } catch (const std::invalid_argument& error) {
    throw InputError(options.path, error.what());
  }
}

std::string place_in(const VectorFile& file, std::int64_t row, std::int64_t column) {
  if (file.lines.empty()) return fmt::format("element [{}, {}]", row, column);
  return fmt::format("line {}, column '{}'", file.lines[static_cast<std::size_t>(row)],
                     file.columns[static_cast<std::size_t>(column)]);
}

}  // namespace contexton
