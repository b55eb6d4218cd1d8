// Wording of what a parameter expects.
#include "pipeline/stage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace contexton::detail {
namespace {

std::string article(const std::string& type) {
  if (type == "true or false") return type;
  if (type == "text") return "a text";
  return (type.starts_with("integer") ? "an " : "a ") + type;
}

}  // namespace

std::string expectation(const ParamInfo& param) {
  const bool list = param.schema.value("type", "") == "array";
  std::string text;
  if (!param.choices.empty())
    text = fmt::format("{}one of {}", list ? "a list of values, each " : "", fmt::join(param.choices, ", "));
  else
    text = article(param.type);
  const std::string each = list && (param.least || param.most) ? ", each" : "";
  if (param.least && param.most)
    text += fmt::format("{} from {} to {}", each, *param.least, *param.most);
  else if (param.least)
    text += fmt::format("{} of at least {}", each, *param.least);
  else if (param.most)
    text += fmt::format("{} of at most {}", each, *param.most);
  if (!param.unit.empty()) text += " (" + param.unit + ")";
  return text;
}

}  // namespace contexton::detail
