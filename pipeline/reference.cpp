// Reference texts and the schema, all from the one description each stage gives.
#include "pipeline/reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/stage.hpp"

namespace contexton {
namespace {

std::string group_of(const StageType& type) {
  return type.name.substr(0, type.name.find('.'));
}

std::string default_text(const ParamInfo& param) {
  return param.required ? "required" : param.default_value.dump();
}

std::string port_text(const PortInfo& port) {
  std::string text = port.artifact->name;
  if (port.each) text += ", one item at a time";
  if (port.optional) text += ", optional";
  return text;
}

std::string kind_text(const StageType& type) {
  if (type.source) return "reads files; runs every time";
  return type.per_item ? "per item: streamed, resumed in the middle" : "whole set";
}

// Lines of at most `width` characters, each begun with `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string result, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, space - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = space + 1;
  }
  return result + std::string(indent, ' ') + line + "\n";
}

// Text that does not upset a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\\|");
  return text;
}

Json with_variable(const Json& schema) {
  return {{"anyOf", Json::array({schema, {{"type", "string"}, {"pattern", "\\$\\{[^}]+\\}"}}})}};
}

Json param_schema(const ParamInfo& param) {
  Json value = param.schema;
  Json& ranged = value.value("type", "") == "array" ? value["items"] : value;
  if (param.least) ranged["minimum"] = *param.least;
  if (param.most) ranged["maximum"] = *param.most;
  Json schema = with_variable(value);
  schema["description"] = param.doc + (param.unit.empty() ? "" : " (" + param.unit + ")");
  if (!param.required) schema["default"] = param.default_value;
  return schema;
}

Json port_schema(const PortInfo& port) {
  return {{"type", "string"},
          {"description", fmt::format("{}: STAGE or STAGE.OUTPUT ({})", port.doc.empty() ? "input" : port.doc,
                                      port_text(port))}};
}

Json node_schema(const StageType& type) {
  Json properties{{"type", {{"const", type.name}, {"description", type.summary}}}};
  Json required = Json::array({"type"});
  for (const PortInfo& port : type.inputs) {
    properties[port.name] = port_schema(port);
    if (!port.optional) required.push_back(port.name);
  }
  for (const ParamInfo& param : type.params) {
    properties[param.name] = param_schema(param);
    if (param.required) required.push_back(param.name);
  }
  return {{"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

}  // namespace

Json stage_example(const StageType& type) {
  Json node{{"type", type.name}};
  for (const PortInfo& port : type.inputs)
    if (!port.optional) node[port.name] = port.name;
  std::size_t shown = 0;
  for (const ParamInfo& param : type.params) {
    if (param.required)
      node[param.name] = param.name == "path" ? Json("...") : param.default_value;
    else if (shown < 3 && !param.says_where) {
      node[param.name] = param.default_value;
      ++shown;
    }
  }
  return node;
}

std::string stage_list(const Registry& registry) {
  std::string text, group;
  for (const StageType* type : registry.all()) {
    if (!group.empty() && group != group_of(*type)) text += "\n";
    group = group_of(*type);
    text += fmt::format("{:<24} {}\n", type->name, type->summary);
  }
  return text;
}

std::string stage_page(const StageType& type) {
  std::string text = fmt::format("{}  ({})\n{}", type.name, kind_text(type), wrapped(type.summary, 2, 100));
  if (!type.inputs.empty()) text += "\ninputs\n";
  for (const PortInfo& port : type.inputs)
    text +=
        fmt::format("  {:<22} {}{}\n", port.name, port_text(port), port.doc.empty() ? "" : ": " + port.doc);
  if (!type.outputs.empty()) text += "\noutputs\n";
  for (const PortInfo& port : type.outputs)
    text +=
        fmt::format("  {:<22} {}{}\n", port.name, port_text(port), port.doc.empty() ? "" : ": " + port.doc);
  if (!type.params.empty()) text += "\nparameters\n";
  for (const ParamInfo& param : type.params)
    text += fmt::format("  {:<22} {} [{}]\n{}", param.name, detail::expectation(param), default_text(param),
                        wrapped(param.doc, 25, 100));
  return text + "\nexample\n  \"my_node\": " + stage_example(type).dump() + "\n";
}

std::string stage_markdown(const Registry& registry) {
  std::string text =
      "# Stages\n\nEvery stage there is, with its inputs, outputs and parameters. Made by `contexton stages "
      "--markdown`; do not edit.\n";
  std::string group;
  for (const StageType* type : registry.all()) {
    if (group != group_of(*type)) text += fmt::format("\n## {}\n", group_of(*type));
    group = group_of(*type);
    text += fmt::format("\n### {}\n\n{} ({})\n\n", type->name, type->summary, kind_text(*type));
    const auto ports = [&](const char* title, const std::vector<PortInfo>& list) {
      for (const PortInfo& port : list)
        text += fmt::format("- {} `{}`: {}{}\n", title, port.name, port_text(port),
                            port.doc.empty() ? "" : ". " + port.doc);
    };
    ports("input", type->inputs);
    ports("output", type->outputs);
    if (!type->params.empty())
      text += "\n| parameter | default | what | meaning |\n| --- | --- | --- | --- |\n";
    for (const ParamInfo& param : type->params)
      text += fmt::format("| `{}` | {} | {} | {} |\n", param.name,
                          param.required ? "required" : "`" + cell(param.default_value.dump()) + "`",
                          cell(detail::expectation(param)), cell(param.doc));
    text += "\n```json\n\"my_node\": " + stage_example(*type).dump() + "\n```\n";
  }
  return text;
}

Json stage_json(const StageType& type) {
  Json json{{"type", type.name},
            {"summary", type.summary},
            {"version", type.version},
            {"per_item", type.per_item},
            {"source", type.source}};
  const auto ports = [](const std::vector<PortInfo>& list) {
    Json array = Json::array();
    for (const PortInfo& port : list)
      array.push_back({{"name", port.name},
                       {"artifact", port.artifact->name},
                       {"each", port.each},
                       {"optional", port.optional},
                       {"doc", port.doc}});
    return array;
  };
  json["inputs"] = ports(type.inputs);
  json["outputs"] = ports(type.outputs);
  json["parameters"] = Json::array();
  for (const ParamInfo& param : type.params) {
    Json entry{{"name", param.name},
               {"expects", detail::expectation(param)},
               {"doc", param.doc},
               {"unit", param.unit},
               {"required", param.required}};
    if (!param.required) entry["default"] = param.default_value;
    if (param.least) entry["minimum"] = *param.least;
    if (param.most) entry["maximum"] = *param.most;
    if (!param.choices.empty()) entry["choices"] = param.choices;
    json["parameters"].push_back(std::move(entry));
  }
  json["example"] = stage_example(type);
  return json;
}

Json pipeline_schema(const Registry& registry) {
  Json types = Json::array(), cases = Json::array();
  for (const StageType* type : registry.all()) {
    types.push_back({{"const", type->name}, {"description", type->summary}});
    cases.push_back(
        {{"if", {{"properties", {{"type", {{"const", type->name}}}}}}}, {"then", node_schema(*type)}});
  }
  types.push_back({{"type", "string"}, {"pattern", "\\$\\{[^}]+\\}"}});
  const Json node{{"type", "object"},
                  {"required", Json::array({"type"})},
                  {"properties", {{"type", {{"anyOf", types}}}}},
                  {"allOf", cases}};
  return {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "contexton pipeline"},
      {"type", "object"},
      {"required", Json::array({"contexton", "stages"})},
      {"additionalProperties", false},
      {"properties",
       {{"$schema", {{"type", "string"}}},
        {"contexton", {{"const", 1}, {"description", "version of the format"}}},
        {"title", {{"type", "string"}, {"description", "stands at the top of the report"}}},
        {"vars", {{"type", "object"}, {"description", "values for ${name}; --set name=value changes them"}}},
        {"seed",
         {{"type", "integer"}, {"minimum", 0}, {"default", 0}, {"description", "of everything random"}}},
        {"on_error",
         {{"enum", Json::array({"skip", "fail"})},
          {"default", "skip"},
          {"description", "what a bad input does to the run"}}},
        {"max_failed_fraction",
         {{"type", "number"},
          {"minimum", 0},
          {"maximum", 1},
          {"default", 1},
          {"description", "share of bad inputs above which the run fails"}}},
        {"stages",
         {{"type", "object"},
          {"minProperties", 1},
          {"description", "the nodes of the graph, by name"},
          {"additionalProperties", node}}}}}};
}

}  // namespace contexton
