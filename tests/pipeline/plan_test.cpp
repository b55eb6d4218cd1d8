// Planning: every mistake in a pipeline file is found at once, with its place and the nearest valid name.
#include "pipeline/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/pipeline/toy_stages.hpp"

namespace contexton::toy {
namespace {

std::vector<std::string> errors_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    make_plan(text, "f.json", overrides);
  } catch (const ConfigError& problem) {
    std::vector<std::string> messages;
    for (const Diagnostic& diagnostic : problem.diagnostics()) messages.push_back(to_string(diagnostic));
    return messages;
  }
  return {};
}

std::string only_error_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  const auto errors = errors_of(text, overrides);
  EXPECT_EQ(errors.size(), 1u) << text;
  return errors.empty() ? "" : errors[0];
}

std::string with_node(const std::string& node) {
  return "{\"contexton\": 1, \"stages\": {\"n\": {\"type\": \"toy.source\"}, " + node + "}}";
}

TEST(Plan, reports_all_errors_at_once_with_line_column_and_path) {
  const auto errors = errors_of(R"({
  "contexton": 1,
  "stages": {
    "numbers": { "type": "toy.sorce" },
    "squares": { "type": "toy.square", "numbers": "nubmers", "plus": "x" },
    "sum":     { "type": "toy.sum", "squars": "squares" }
  }
})");
  ASSERT_EQ(errors.size(), 5u);
  EXPECT_EQ(errors[0],
            "f.json:4:26: /stages/numbers/type: unknown stage type 'toy.sorce' (did you mean 'toy.source'?)");
  EXPECT_EQ(errors[1],
            "f.json:5:51: /stages/squares/numbers: there is no stage 'nubmers' (did you mean 'numbers'?)");
  EXPECT_EQ(errors[2], "f.json:5:70: /stages/squares/plus: expected a number from -10 to 10, got \"x\"");
  EXPECT_NE(errors[3].find("f.json:6:16: /stages/sum: input 'squares' (Numbers) is not connected"),
            std::string::npos)
      << errors[3];
  EXPECT_EQ(errors[4],
            "f.json:6:37: /stages/sum/squars: toy.sum has no parameter 'squars' (did you mean 'squares'?)");
}

TEST(Plan, finds_syntax_errors_duplicates_and_what_follows_the_document) {
  EXPECT_NE(only_error_of("{ \"contexton\": 1,\n  \"stages\": { ] }").find("f.json:2:15"), std::string::npos);
  EXPECT_NE(only_error_of("").find("f.json"), std::string::npos);
  EXPECT_NE(
      only_error_of(R"({"contexton": 1, "stages": {"n": {"type": "toy.source"}}} x)").find("f.json:1:59"),
      std::string::npos);
  const std::string twice = only_error_of(
      "{\"contexton\": 1, \"stages\": {\"n\": {\"type\": \"toy.source\",\n \"type\": \"toy.source\"}}}");
  EXPECT_NE(twice.find("f.json:2:2: /stages/n/type"), std::string::npos) << twice;
  EXPECT_NE(twice.find("twice"), std::string::npos);
}

TEST(Plan, allows_comments) {
  EXPECT_TRUE(errors_of("// one\n{ /* two */ \"contexton\": 1, \"stages\": { \"n\": { \"type\": "
                        "\"toy.source\" } } } // three")
                  .empty());
}

TEST(Plan, checks_the_top_level) {
  EXPECT_NE(only_error_of(R"({"stages": {"n": {"type": "toy.source"}}})").find("\"contexton\": 1"),
            std::string::npos);
  EXPECT_NE(only_error_of(R"({"contexton": 2, "stages": {"n": {"type": "toy.source"}}})").find("format 1"),
            std::string::npos);
  EXPECT_NE(only_error_of(R"({"contexton": 1, "stagse": {}, "stages": {"n": {"type": "toy.source"}}})")
                .find("'stages'"),
            std::string::npos);
  EXPECT_NE(
      only_error_of(R"({"contexton": 1, "seed": -1, "stages": {"n": {"type": "toy.source"}}})").find("/seed"),
      std::string::npos);
  EXPECT_NE(
      only_error_of(R"({"contexton": 1, "on_error": "ignore", "stages": {"n": {"type": "toy.source"}}})")
          .find("\"skip\" or \"fail\""),
      std::string::npos);
  EXPECT_NE(only_error_of(R"({"contexton": 1, "stages": {}})").find("at least one stage"), std::string::npos);
  EXPECT_NE(only_error_of("[]").find("object"), std::string::npos);
}

TEST(Plan, checks_ranges_and_types_of_parameters) {
  EXPECT_NE(only_error_of(R"({"contexton": 1, "stages": {"n": {"type": "toy.source", "count": -1}}})")
                .find("an integer from 0 to 100000 (numbers), got -1"),
            std::string::npos);
  EXPECT_NE(only_error_of(R"({"contexton": 1, "stages": {"n": {"type": "toy.source", "count": 1.5}}})")
                .find("got 1.5"),
            std::string::npos);
  EXPECT_NE(only_error_of(R"({"contexton": 1, "stages": {"n": {"type": "toy.source", "bad": 3}}})")
                .find("a list of integers"),
            std::string::npos);
  EXPECT_TRUE(
      errors_of(R"({"contexton": 1, "stages": {"n": {"type": "toy.source", "count": 2e2}}})").empty());
}

TEST(Plan, names_both_types_when_an_artifact_does_not_fit) {
  const std::string error = only_error_of(with_node(R"("s": {"type": "toy.sum", "squares": "n"})"));
  EXPECT_NE(error.find("takes Numbers, but 'n' (toy.source) gives n.numbers (Recipes)"), std::string::npos)
      << error;
  EXPECT_NE(only_error_of(with_node(R"("s": {"type": "toy.square", "numbers": "n.nmbers"})"))
                .find("did you mean 'numbers'"),
            std::string::npos);
}

TEST(Plan, finds_cycles) {
  const std::string error = only_error_of(R"({"contexton": 1, "stages": {
    "a": {"type": "toy.root", "squares": "b"}, "b": {"type": "toy.root", "squares": "a"}}})");
  EXPECT_NE(error.find("circle"), std::string::npos) << error;
  EXPECT_NE(only_error_of(R"({"contexton": 1, "stages": {"a": {"type": "toy.root", "squares": "a"}}})")
                .find("a -> a"),
            std::string::npos);
}

TEST(Plan, puts_variables_and_overrides_in) {
  const Plan plan =
      make_plan(kToyPipeline, "f.json", {{"count", "7"}, {"squares.plus", "2.5"}, {"seed", "11"}});
  EXPECT_EQ(plan.seed, 11u);
  EXPECT_EQ(plan.resolved.at("stages").at("numbers").at("count"), 7);
  EXPECT_EQ(plan.resolved.at("stages").at("squares").at("plus"), 2.5);
  EXPECT_NE(only_error_of(kToyPipeline, {{"cuont", "7"}}).find("did you mean 'count'"), std::string::npos);
  EXPECT_NE(only_error_of(kToyPipeline, {{"sqares.plus", "7"}}).find("did you mean 'squares'"),
            std::string::npos);
  const std::string error = only_error_of(kToyPipeline, {{"count", "many"}});
  EXPECT_NE(error.find("--set count=many"), std::string::npos) << error;
  EXPECT_NE(
      only_error_of(
          R"({"contexton": 1, "vars": {"a": 1}, "stages": {"n": {"type": "toy.source", "count": "${b}"}}})")
          .find("there is no variable 'b'"),
      std::string::npos);
  EXPECT_THROW(parse_override("words"), ConfigError);
}

TEST(Plan, orders_nodes_after_their_inputs_and_writes_defaults_out) {
  const Plan plan = make_plan(R"({"contexton": 1, "stages": {
    "sum": {"type": "toy.sum", "squares": "sq"}, "sq": {"type": "toy.square", "numbers": "n"}, "n": {"type": "toy.source"}}})",
                              "f.json", {});
  ASSERT_EQ(plan.nodes.size(), 3u);
  EXPECT_EQ(plan.nodes[0].name, "n");
  EXPECT_EQ(plan.nodes[2].name, "sum");
  EXPECT_EQ(plan.resolved.at("stages").at("n").at("count"), 10);
  EXPECT_EQ(plan.drawing().edges.size(), 2u);
}

TEST(Plan, a_recipe_says_how_but_not_from_where) {
  const Plan plan = make_plan(kToyPipeline, "f.json", {{"numbers.bad", "[1]"}});
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                                 [&](const PlanNode& node) { return node.name == name; }) -
                                    plan.nodes.begin());
  };
  const Json recipe = plan.recipe(at("squares"), 0);
  EXPECT_EQ(recipe.at("output"), "squares.squares");
  EXPECT_EQ(recipe.at("stages").size(), 3u);
  EXPECT_FALSE(recipe.at("stages").at("numbers").contains("bad"));
  EXPECT_TRUE(recipe.at("stages").at("numbers").contains("count"));
  EXPECT_TRUE(plan.recipe(at("sum"), 0).is_null());
}

}  // namespace
}  // namespace contexton::toy
