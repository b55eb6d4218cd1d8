// Report sections as JSON, for the cache: every byte and every number comes back as it was.
#include "pipeline/report_section.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "pipeline/embedded_picture.hpp"
#include "pipeline/markup.hpp"

namespace contexton {
namespace {

using nlohmann::json;

// ---- Values JSON cannot hold as they are ----

json text_to_json(const std::string& text) {
  if (is_utf8(text)) return text;
  return {{"base64", to_base64(text)}};
}

std::string text_from_json(const json& stored) {
  if (stored.is_object()) return from_base64(stored.at("base64").get_ref<const std::string&>());
  return stored.get<std::string>();
}

json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

double number_from_json(const json& stored) {
  if (stored.is_number()) return stored.get<double>();
  const auto& name = stored.get_ref<const std::string&>();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument("\"" + name + "\" is not a number");
}

// A cell may itself be any JSON, so what needs help is wrapped in an object, and so is every object.
json cell_to_json(const json& cell) {
  if (cell.is_string()) return text_to_json(cell.get_ref<const std::string&>());
  if (cell.is_number_float() && !std::isfinite(cell.get<double>())) {
    return {{"number", number_to_json(cell.get<double>())}};
  }
  if (cell.is_object()) return {{"object", cell}};
  return cell;
}

json cell_from_json(const json& stored) {
  if (!stored.is_object()) return stored;
  if (stored.contains("number")) return number_from_json(stored.at("number"));
  if (stored.contains("object")) return stored.at("object");
  return text_from_json(stored);
}

template <class Range, class Convert>
json array_of(const Range& items, Convert convert) {
  json array = json::array();
  for (const auto& item : items) array.push_back(convert(item));
  return array;
}

template <class Item, class Convert>
std::vector<Item> vector_of(const json& array, Convert convert) {
  std::vector<Item> items;
  items.reserve(array.size());
  for (const json& item : array.get_ref<const json::array_t&>()) items.push_back(convert(item));
  return items;
}

// ---- Blocks ----

json block_to_json(const ReportText& block) {
  return {{"kind", "text"}, {"text", text_to_json(block.text)}};
}

json picture_to_json(const ReportPicture& picture) {
  return {{"thumbnail", to_base64(picture.thumbnail)},
          {"file", text_to_json(picture.file)},
          {"caption", text_to_json(picture.caption)}};
}

json block_to_json(const ReportPictures& block) {
  return {{"kind", "pictures"},
          {"title", text_to_json(block.title)},
          {"pictures", array_of(block.pictures, picture_to_json)}};
}

json series_to_json(const ReportSeries& series) {
  return {{"name", text_to_json(series.name)},
          {"x", array_of(series.x, number_to_json)},
          {"y", array_of(series.y, number_to_json)}};
}

json block_to_json(const ReportPlot& block) {
  return {{"kind", "plot"},
          {"title", text_to_json(block.title)},
          {"x_label", text_to_json(block.x_label)},
          {"y_label", text_to_json(block.y_label)},
          {"series", array_of(block.series, series_to_json)},
          {"log_x", block.log_x},
          {"log_y", block.log_y},
          {"bars", block.bars}};
}

json block_to_json(const ReportTable& block) {
  const auto row_to_json = [](const std::vector<json>& row) { return array_of(row, cell_to_json); };
  return {{"kind", "table"},
          {"title", text_to_json(block.title)},
          {"columns", array_of(block.columns, text_to_json)},
          {"rows", array_of(block.rows, row_to_json)}};
}

json block_to_json(const ReportLegend& block) {
  const auto entry_to_json = [](const std::pair<std::uint32_t, std::string>& entry) {
    return json{{"color", entry.first}, {"text", text_to_json(entry.second)}};
  };
  return {{"kind", "legend"},
          {"title", text_to_json(block.title)},
          {"entries", array_of(block.entries, entry_to_json)}};
}

ReportPicture picture_from_json(const json& stored) {
  return {from_base64(stored.at("thumbnail").get_ref<const std::string&>()),
          text_from_json(stored.at("file")), text_from_json(stored.at("caption"))};
}

ReportSeries series_from_json(const json& stored) {
  return {text_from_json(stored.at("name")), vector_of<double>(stored.at("x"), number_from_json),
          vector_of<double>(stored.at("y"), number_from_json)};
}

ReportPlot plot_from_json(const json& stored) {
  return {
      text_from_json(stored.at("title")),   text_from_json(stored.at("x_label")),
      text_from_json(stored.at("y_label")), vector_of<ReportSeries>(stored.at("series"), series_from_json),
      stored.at("log_x").get<bool>(),       stored.at("log_y").get<bool>(),
      stored.at("bars").get<bool>()};
}

ReportTable table_from_json(const json& stored) {
  const auto row_from_json = [](const json& row) { return vector_of<json>(row, cell_from_json); };
  return {text_from_json(stored.at("title")), vector_of<std::string>(stored.at("columns"), text_from_json),
          vector_of<std::vector<json>>(stored.at("rows"), row_from_json)};
}

ReportLegend legend_from_json(const json& stored) {
  using Entry = std::pair<std::uint32_t, std::string>;
  const auto entry_from_json = [](const json& entry) {
    return Entry{entry.at("color").get<std::uint32_t>(), text_from_json(entry.at("text"))};
  };
  return {text_from_json(stored.at("title")), vector_of<Entry>(stored.at("entries"), entry_from_json)};
}

ReportBlock block_from_json(const json& stored) {
  const auto& kind = stored.at("kind").get_ref<const std::string&>();
  if (kind == "text") return ReportText{text_from_json(stored.at("text"))};
  if (kind == "pictures") {
    return ReportPictures{text_from_json(stored.at("title")),
                          vector_of<ReportPicture>(stored.at("pictures"), picture_from_json)};
  }
  if (kind == "plot") return plot_from_json(stored);
  if (kind == "table") return table_from_json(stored);
  if (kind == "legend") return legend_from_json(stored);
  throw std::invalid_argument("unknown kind of block \"" + kind + "\"");
}

}  // namespace

json to_json(const ReportSection& section) {
  json blocks = json::array();
  for (const ReportBlock& block : section.blocks) {
    blocks.push_back(std::visit([](const auto& kind) { return block_to_json(kind); }, block));
  }
  return {{"blocks", std::move(blocks)}};
}

ReportSection section_from_json(const json& stored) {
  try {
    return {vector_of<ReportBlock>(stored.at("blocks"), block_from_json)};
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("a stored report section is damaged: ") + error.what());
  }
}

}  // namespace contexton
