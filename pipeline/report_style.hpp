// How the report page looks and what it does when clicked: its style sheet and its script.
#pragma once

#include <string_view>

namespace contexton {

extern const std::string_view kReportStyle;   // CSS
extern const std::string_view kReportScript;  // JavaScript: sorts tables, marks the section in view

}  // namespace contexton
