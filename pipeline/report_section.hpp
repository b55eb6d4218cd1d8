// What a stage says on the report page: text, pictures, plots and tables. The page knows only these blocks,
// never the stage.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace contexton {

struct ReportText {
  std::string text;  // one paragraph, plain text

  bool operator==(const ReportText&) const = default;
};

struct ReportPicture {
  std::string thumbnail;  // encoded image bytes (PNG or JPEG), shown inside the page
  std::string file;     // the stage's own file with the full picture, as given to `write_file`; empty = none
  std::string caption;  // plain text

  bool operator==(const ReportPicture&) const = default;
};

// Pictures in a row that wraps; the page shows the first few and folds the rest away. A picture that stands
// alone is shown as large as its thumbnail.
struct ReportPictures {
  std::string title;
  std::vector<ReportPicture> pictures;

  bool operator==(const ReportPictures&) const = default;
};

struct ReportSeries {
  std::string name;
  std::vector<double> x, y;  // x may be empty: then 1, 2, 3, ...

  bool operator==(const ReportSeries&) const = default;
};

// Points that cannot be drawn (not finite, not positive on a log axis) leave a gap and are counted below the
// plot. Any number of points may be given; the page draws at most some hundred and keeps the extremes.
struct ReportPlot {
  std::string title, x_label, y_label;
  std::vector<ReportSeries> series;
  bool log_x = false, log_y = false;
  bool bars = false;

  bool operator==(const ReportPlot&) const = default;
};

// Cells are JSON strings or numbers; numbers sort as numbers. Null is an empty cell.
struct ReportTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<nlohmann::json>> rows;

  bool operator==(const ReportTable&) const = default;
};

struct ReportLegend {
  std::string title;
  std::vector<std::pair<std::uint32_t, std::string>> entries;  // 0xRRGGBB and its meaning

  bool operator==(const ReportLegend&) const = default;
};

using ReportBlock = std::variant<ReportText, ReportPictures, ReportPlot, ReportTable, ReportLegend>;

struct ReportSection {
  std::vector<ReportBlock> blocks;

  void add(ReportBlock block) { blocks.push_back(std::move(block)); }
  [[nodiscard]] bool empty() const { return blocks.empty(); }
  bool operator==(const ReportSection&) const = default;
};

// Exact both ways, also through `dump()` and `parse()`: thumbnails as base64, and so any text that is not
// UTF-8; numbers that JSON cannot hold as "nan", "inf", "-inf".
nlohmann::json to_json(const ReportSection& section);
ReportSection section_from_json(const nlohmann::json& json);  // throws std::runtime_error when damaged

}  // namespace contexton
