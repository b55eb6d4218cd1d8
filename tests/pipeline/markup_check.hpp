// A strict little reader of markup for tests: tags must nest, attributes must be quoted, text must be
// escaped.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace contexton {

// Success when `markup` (SVG, or HTML with the void elements the report uses) is well formed.
inline testing::AssertionResult is_well_formed(std::string_view markup) {
  static const std::set<std::string> kVoid = {"!doctype", "meta", "img", "br"};
  static const std::regex kTag(
      R"(^<(/?)([!A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z_:][-A-Za-z0-9_:]*(?:="[^"<]*")?)*)\s*(/?)>)");
  static const std::regex kEntity("^&(amp|lt|gt|quot|#[0-9]+);");
  std::vector<std::string> open;
  const auto fail = [&](std::size_t at, const std::string& what) {
    return testing::AssertionFailure() << what << " at: " << markup.substr(at, 120);
  };
  for (std::size_t at = 0; at < markup.size();) {
    const char c = markup[at];
    // No tag of these pages is longer than this, except for pictures, whose base64 the pattern need not see.
    const std::size_t end = markup.find('>', at);
    const std::string rest(markup.substr(at, c == '<' && end != markup.npos ? end - at + 1 : 12));
    std::smatch match;
    if (c == '>') return fail(at, "stray >");
    if (c == '&' && !std::regex_search(rest, match, kEntity)) return fail(at, "stray &");
    if (c != '<') {
      ++at;
      continue;
    }
    std::string tag = rest;
    if (const std::size_t data = tag.find("base64,"); data != tag.npos)
      tag.erase(data, tag.find('"', data) - data);
    if (!std::regex_search(tag, match, kTag)) return fail(at, "not a tag");
    at += rest.size();
    const std::string name = match[2];
    if (match[1] == "/") {
      if (open.empty() || open.back() != name) return fail(at, "closes what is not open: " + name);
      open.pop_back();
    } else if (match[4] != "/" && !kVoid.contains(name)) {
      open.push_back(name);
      if (name == "style" || name == "script") at = markup.find("</" + name, at);
      if (at == markup.npos) return testing::AssertionFailure() << "unclosed " << name;
    }
  }
  if (!open.empty()) return testing::AssertionFailure() << "unclosed " << open.back();
  return testing::AssertionSuccess();
}

inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// The numbers that the first group of the pattern catches, in order.
inline std::vector<double> numbers_in(const std::string& markup, const std::string& pattern) {
  std::vector<double> values;
  const std::regex expression(pattern);
  for (std::sregex_iterator it(markup.begin(), markup.end(), expression), end; it != end; ++it) {
    values.push_back(std::stod((*it)[1]));
  }
  return values;
}

}  // namespace contexton
