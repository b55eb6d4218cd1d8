// The report page: one self-contained HTML file made of what the stages said.
#include "pipeline/report_page.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "pipeline/markup.hpp"
#include "pipeline/report_blocks.hpp"
#include "pipeline/report_style.hpp"

namespace contexton {
namespace {

constexpr std::size_t kFiguresShown = 24;  // the rest is folded away

// A section's anchor. Escaped, so that it holds nothing a link or an attribute could trip over.
std::string anchor_of(const ReportNode& node) {
  return fmt::format("stage-{}", escape_url_path(node.name));
}

bool said_nothing(const ReportNode& node) {
  return node.section.empty();
}

bool has_figures(const ReportPage& page) {
  return std::any_of(page.nodes.begin(), page.nodes.end(),
                     [](const ReportNode& node) { return !node.metrics.empty(); });
}

bool has_quiet_nodes(const ReportPage& page) {
  return std::any_of(page.nodes.begin(), page.nodes.end(), said_nothing);
}

// ---- Head ----

// The policy lets the page load nothing from anywhere, whatever a file name may hold.
void append_head(std::string& html, const std::string& title) {
  append_format(html,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                "<title>{} · contexton report</title>\n<style>{}</style>\n</head>\n",
                escape_markup(title), kReportStyle);
}

void append_contents_link(std::string& html, const std::string& anchor, const std::string& text) {
  append_format(html, "<li><a href=\"#{}\">{}</a></li>\n", anchor, escape_markup(text));
}

void append_contents(std::string& html, const ReportPage& page) {
  html += "<nav aria-label=\"Contents\"><ol>\n";
  append_contents_link(html, "top", "Overview");
  if (!page.graph.nodes.empty()) append_contents_link(html, "graph", "Graph");
  if (has_figures(page)) append_contents_link(html, "figures", "Key figures");
  for (const ReportNode& node : page.nodes) {
    if (!said_nothing(node)) append_contents_link(html, anchor_of(node), node.name);
  }
  if (has_quiet_nodes(page)) append_contents_link(html, "quiet", "Other stages");
  append_contents_link(html, "ledger", "Skipped inputs");
  html += "</ol></nav>\n";
}

// ---- The ledger in words ----

std::size_t skipped_items(const ReportPage& page) {
  std::set<std::string> items;
  for (const ReportLedgerRow& row : page.ledger) {
    if (row.what == "skipped") items.insert(row.item);
  }
  return items.size();
}

// "12 of 500 images skipped"
std::string skipped_sentence(const ReportPage& page) {
  const std::size_t skipped = skipped_items(page);
  if (skipped == 0) return "Nothing was skipped";
  const std::string count = readable_number(static_cast<double>(skipped));
  if (page.inputs == 0) return fmt::format("{} {} skipped", count, page.inputs_name);
  return fmt::format("{} of {} {} skipped", count, readable_number(static_cast<double>(page.inputs)),
                     page.inputs_name);
}

// ---- Sections ----

void append_title(std::string& html, const ReportPage& page) {
  append_format(html, "<header id=\"top\">\n<p class=\"eyebrow\">contexton report</p>\n<h1>{}</h1>\n",
                escape_markup(page.title));
  html += "<dl class=\"facts\">\n";
  for (const auto& [name, value] : page.facts) {
    append_format(html, "<div><dt>{}</dt><dd>{}</dd></div>\n", escape_markup(name), escape_markup(value));
  }
  if (skipped_items(page) > 0) {
    append_format(html, "<div><dt>Skipped</dt><dd><a href=\"#ledger\">{}</a></dd></div>\n",
                  escape_markup(skipped_sentence(page)));
  }
  html += "</dl>\n</header>\n";
}

void append_graph(std::string& html, const ReportPage& page) {
  if (page.graph.nodes.empty()) return;
  std::map<std::string, std::string> links;
  for (const ReportNode& node : page.nodes) links.emplace(node.name, fmt::format("#{}", anchor_of(node)));
  html += "<section id=\"graph\">\n<div class=\"head\"><h2>Graph</h2></div>\n";
  append_format(
      html,
      "<div class=\"graph\" tabindex=\"0\" role=\"region\" aria-label=\"Graph of the pipeline\">\n{}</div>\n",
      to_svg(page.graph, links));
  const bool any_per_item = std::any_of(page.graph.nodes.begin(), page.graph.nodes.end(),
                                        [](const GraphDrawing::Node& node) { return node.per_item; });
  if (any_per_item) {
    html += "<p class=\"note\">Stacked boxes run once per image, the others once on the whole set.</p>\n";
  }
  html += "</section>\n";
}

std::string figure_tile(const ReportNode& node, const std::pair<std::string, double>& metric) {
  return fmt::format("<div><dt>{}<span><a href=\"#{}\">{}</a></span></dt><dd>{}</dd></div>\n",
                     escape_markup(metric.first), anchor_of(node), escape_markup(node.name),
                     readable_number(metric.second));
}

void append_figures(std::string& html, const ReportPage& page) {
  std::vector<std::string> tiles;
  for (const ReportNode& node : page.nodes) {
    for (const auto& metric : node.metrics) tiles.push_back(figure_tile(node, metric));
  }
  if (tiles.empty()) return;
  html +=
      "<section id=\"figures\">\n<div class=\"head\"><h2>Key figures</h2></div>\n<dl class=\"figures\">\n";
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (i == kFiguresShown) {
      append_format(html, "</dl>\n<details><summary>{} more</summary>\n<dl class=\"figures\">\n",
                    tiles.size() - kFiguresShown);
    }
    html += tiles[i];
  }
  html += tiles.size() > kFiguresShown ? "</dl></details>\n</section>\n" : "</dl>\n</section>\n";
}

// Exactly as set, not rounded for reading: a parameter is something to copy.
std::string parameter_text(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void append_parameters(std::string& html, const ReportNode& node) {
  if (!node.parameters.is_object() || node.parameters.empty()) return;
  append_format(html, "<details class=\"parameters\"><summary>{}</summary>\n<dl>\n",
                counted(node.parameters.size(), "parameter", "parameters"));
  for (const auto& [name, value] : node.parameters.items()) {
    append_format(html, "<dt>{}</dt><dd>{}</dd>\n", escape_markup(name),
                  escape_markup(parameter_text(value)));
  }
  html += "</dl></details>\n";
}

void append_name(std::string& html, const ReportNode& node, std::string_view heading) {
  append_format(html, "<div class=\"name\"><{0}>{1}</{0}>", heading, escape_markup(node.name));
  if (!node.type.empty()) append_format(html, " <span class=\"badge\">{}</span>", escape_markup(node.type));
  html += "</div>\n";
  if (!node.summary.empty()) append_format(html, "<p>{}</p>\n", escape_markup(node.summary));
  append_parameters(html, node);
}

void append_node(std::string& html, const ReportNode& node) {
  append_format(html, "<section id=\"{}\">\n<div class=\"head\">\n", anchor_of(node));
  append_name(html, node, "h2");
  append_format(html, "</div>\n{}</section>\n", render_blocks(node.section, node.name));
}

void append_quiet_nodes(std::string& html, const ReportPage& page) {
  if (!has_quiet_nodes(page)) return;
  html += "<section id=\"quiet\">\n<div class=\"head\"><h2>Other stages</h2></div>\n<ul class=\"quiet\">\n";
  for (const ReportNode& node : page.nodes) {
    if (!said_nothing(node)) continue;
    append_format(html, "<li id=\"{}\" class=\"head\">\n", anchor_of(node));
    append_name(html, node, "h3");
    html += "</li>\n";
  }
  html += "</ul>\n</section>\n";
}

void append_ledger(std::string& html, const ReportPage& page) {
  const auto is_note = [](const ReportLedgerRow& row) { return row.what != "skipped"; };
  const auto notes = static_cast<std::size_t>(std::count_if(page.ledger.begin(), page.ledger.end(), is_note));
  html += "<section id=\"ledger\">\n<div class=\"head\"><h2>Skipped inputs and notes</h2></div>\n";
  append_format(html, "<p>{}{}.</p>\n", escape_markup(skipped_sentence(page)),
                notes == 0 ? "" : fmt::format("; {}", counted(notes, "note", "notes")));
  if (!page.ledger.empty()) {
    ReportTable table{"", {"Input", "What", "Reason", "Stage"}, {}};
    for (const ReportLedgerRow& row : page.ledger)
      table.rows.push_back({row.item, row.what, row.reason, row.node});
    html += render_table(table);
  }
  html += "</section>\n";
}

}  // namespace

std::string render_report(const ReportPage& page) {
  std::string html;
  append_head(html, page.title);
  html += "<body>\n<div class=\"page\">\n";
  append_contents(html, page);
  html += "<main>\n";
  append_title(html, page);
  append_graph(html, page);
  append_figures(html, page);
  for (const ReportNode& node : page.nodes) {
    if (!said_nothing(node)) append_node(html, node);
  }
  append_quiet_nodes(html, page);
  append_ledger(html, page);
  append_format(html, "</main>\n</div>\n<script>{}</script>\n</body>\n</html>\n", kReportScript);
  return html;
}

}  // namespace contexton
