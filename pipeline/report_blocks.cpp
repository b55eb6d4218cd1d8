// The blocks of a report section as HTML: paragraphs, pictures, legends, plots and tables.
#include "pipeline/report_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/embedded_picture.hpp"
#include "pipeline/markup.hpp"
#include "pipeline/report_plot.hpp"

namespace contexton {
namespace {

using nlohmann::json;

constexpr std::size_t kPicturesShown = 24;  // the rest is folded away
constexpr std::size_t kMostRows = 5000;     // a browser sorts this many without a pause

void append_title(std::string& html, const std::string& title) {
  if (!title.empty()) append_format(html, "<h3>{}</h3>\n", escape_markup(title));
}

// ---- Pictures ----

std::string picture_image(const ReportPicture& picture) {
  const PictureHeader header = picture_header(picture.thumbnail);
  if (header.mime_type.empty()) return "<span class=\"absent\">no preview</span>";
  const std::string size = header.width > 0 && header.height > 0
                               ? fmt::format(R"( width="{}" height="{}")", header.width, header.height)
                               : "";
  return fmt::format(R"(<img loading="lazy" decoding="async"{} alt="{}" src="data:{};base64,{}">)", size,
                     escape_markup(picture.caption), header.mime_type, to_base64(picture.thumbnail));
}

void append_picture(std::string& html, const ReportPicture& picture, const std::string& node) {
  html += "<li><figure>";
  if (!picture.file.empty()) append_format(html, R"(<a href="{}">)", escape_url_path(node + picture.file));
  html += picture_image(picture);
  if (!picture.file.empty()) html += "</a>";
  if (!picture.caption.empty()) {
    const std::string caption = escape_markup(picture.caption);
    append_format(html, R"(<figcaption title="{}">{}</figcaption>)", caption, caption);
  }
  html += "</figure></li>\n";
}

// Columns as wide as the widest thumbnail, within reason, so that none is scaled up.
int column_width(const std::vector<ReportPicture>& pictures) {
  constexpr int kNarrowest = 76, kWidest = 300;
  int widest = 0;
  for (const ReportPicture& picture : pictures) {
    widest = std::max(widest, picture_header(picture.thumbnail).width);
  }
  return std::clamp(widest, kNarrowest, kWidest);
}

std::string render(const ReportPictures& block, const std::string& node) {
  std::string html = "<div class=\"block\">\n";
  append_title(html, block.title);
  const std::size_t count = block.pictures.size();
  const std::string list = count == 1 ? "<ul class=\"pictures single\">\n"
                                      : fmt::format("<ul class=\"pictures\" style=\"--thumb:{}px\">\n",
                                                    column_width(block.pictures));
  const std::size_t shown = std::min(count, kPicturesShown);
  html += list;
  for (std::size_t i = 0; i < shown; ++i) append_picture(html, block.pictures[i], node);
  html += "</ul>\n";
  if (count > shown) {
    append_format(html, "<details><summary>{} more</summary>\n{}", count - shown, list);
    for (std::size_t i = shown; i < count; ++i) append_picture(html, block.pictures[i], node);
    html += "</ul></details>\n";
  }
  return html + "</div>\n";
}

// ---- Tables ----

bool is_number_column(const ReportTable& table, std::size_t column) {
  bool any_number = false;
  for (const std::vector<json>& row : table.rows) {
    if (column >= row.size() || row[column].is_null()) continue;
    if (!row[column].is_number()) return false;
    any_number = true;
  }
  return any_number;
}

// In full, for sorting, in the form JavaScript's Number() reads.
std::string sort_value(const json& number) {
  if (!number.is_number_float()) return number.dump();
  const double value = number.get<double>();
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return fmt::format("{}", value);
}

void append_cell(std::string& html, const json& cell) {
  if (cell.is_null()) {
    html += "<td></td>";
  } else if (cell.is_number()) {
    append_format(html, R"(<td class="number" data-v="{}">{}</td>)", sort_value(cell),
                  readable_number(cell.get<double>()));
  } else {
    const std::string text = cell.is_string() ? cell.get<std::string>()
                                              : cell.dump(-1, ' ', false, json::error_handler_t::replace);
    append_format(html, "<td><span>{}</span></td>", escape_markup(text));
  }
}

void append_row(std::string& html, const std::vector<json>& row, std::size_t columns) {
  html += "<tr>";
  for (std::size_t column = 0; column < columns; ++column) {
    append_cell(html, column < row.size() ? row[column] : json());
  }
  html += "</tr>\n";
}

// ---- The others ----

std::string render(const ReportText& block, const std::string& /*node*/) {
  return fmt::format("<p>{}</p>\n", escape_markup(block.text));
}

std::string render(const ReportLegend& block, const std::string& /*node*/) {
  std::string html = "<div class=\"block\">\n";
  append_title(html, block.title);
  html += "<ul class=\"legend\">\n";
  for (const auto& [color, meaning] : block.entries) {
    append_format(html, "<li><i style=\"background:#{:06x}\"></i>{}</li>\n", color & 0xFFFFFF,
                  escape_markup(meaning));
  }
  return html + "</ul></div>\n";
}

std::string render(const ReportTable& block, const std::string& /*node*/) {
  return render_table(block);
}

std::string render(const ReportPlot& block, const std::string& /*node*/) {
  return render_plot(block);
}

}  // namespace

std::string render_table(const ReportTable& table) {
  std::string html = "<div class=\"block\">\n";
  append_title(html, table.title);
  append_format(html, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n",
                escape_markup(table.title.empty() ? "Table" : table.title));
  html += "<table class=\"sortable\"><thead><tr>";
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    append_format(html, R"(<th scope="col" aria-sort="none"{}><button type="button">{}</button></th>)",
                  is_number_column(table, column) ? " class=\"number\"" : "",
                  escape_markup(table.columns[column]));
  }
  html += "</tr></thead>\n<tbody>\n";
  const std::size_t shown = std::min(table.rows.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) append_row(html, table.rows[i], table.columns.size());
  html += "</tbody></table></div>\n";
  if (table.rows.empty()) html += "<p class=\"note\">No rows.</p>\n";
  if (shown < table.rows.size()) {
    append_format(html, "<p class=\"note\">The first {} of {} rows.</p>\n",
                  readable_number(static_cast<double>(shown)),
                  readable_number(static_cast<double>(table.rows.size())));
  }
  return html + "</div>\n";
}

std::string render_blocks(const ReportSection& section, const std::string& node) {
  std::string html;
  bool among_plots = false;  // plots that follow each other stand side by side
  for (const ReportBlock& block : section.blocks) {
    const bool is_plot = std::holds_alternative<ReportPlot>(block);
    if (is_plot && !among_plots) html += "<div class=\"block charts\">\n";
    if (!is_plot && among_plots) html += "</div>\n";
    among_plots = is_plot;
    html += std::visit([&](const auto& kind) { return render(kind, node); }, block);
  }
  if (among_plots) html += "</div>\n";
  return html;
}

}  // namespace contexton
