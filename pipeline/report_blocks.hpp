// The blocks of a report section as HTML: paragraphs, pictures, legends, plots and tables.
#pragma once

#include <string>

#include "pipeline/report_section.hpp"

namespace contexton {

// `node` is the folder name, beside the page, that the files of the pictures start with.
std::string render_blocks(const ReportSection& section, const std::string& node);

std::string render_table(const ReportTable& table);

}  // namespace contexton
