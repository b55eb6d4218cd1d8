// The report page: one self-contained HTML file made of what the stages said.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/graph_drawing.hpp"
#include "pipeline/report_section.hpp"

namespace contexton {

struct ReportNode {
  std::string name, type, summary;
  nlohmann::ordered_json parameters;  // as resolved
  std::vector<std::pair<std::string, double>> metrics;
  ReportSection section;
};

struct ReportLedgerRow {
  std::string node, item, what, reason;  // what: "skipped" | "noted"
};

// Holds nothing that changes from run to run (no times, no dates): the page is the same bytes for every
// thread count.
struct ReportPage {
  std::string title;  // the config's name
  std::vector<std::pair<std::string, std::string>>
      facts;  // what ran and on what: images, seed, version, CPU level
  GraphDrawing graph;
  std::vector<ReportNode> nodes;  // in running order
  std::vector<ReportLedgerRow> ledger;
  std::size_t inputs = 0;  // how many there were, so that the page can say "12 of 500"; 0 = not known
  std::string inputs_name = "images";
};

// Links to the stages' files are relative: the page belongs into the run's folder, beside the nodes' folders.
std::string render_report(const ReportPage& page);

}  // namespace contexton
