// Tests of report sections as JSON and of the page made from them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "pipeline/report_blocks.hpp"
#include "pipeline/report_page.hpp"
#include "pipeline/report_section.hpp"
#include "tests/pipeline/markup_check.hpp"

namespace contexton {
namespace {

using nlohmann::json;
using namespace std::string_literals;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The first bytes of a PNG of 160 by 120: all that the page looks at.
const std::string kThumbnail = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\xa0\0\0\0\x78\x08\2\0\0\0"s;

const std::string kHostile = "<script>alert('x')</script> \"&\xFF\n.png";

ReportSection section_with_everything() {
  ReportSection section;
  section.add(ReportText{"A paragraph: ü, 木, \"quotes\"."});
  section.add(ReportPictures{"Overlays", {{kThumbnail, "/overlays/a b.png", "first"}, {"", "", ""}}});
  section.add(ReportPlot{"Objective",
                         "iteration",
                         "value",
                         {{"a", {1, 2, 3}, {0.1, 1.0 / 3.0, 5e-324}}, {"b", {}, {-0.0, 1e300}}},
                         true,
                         false,
                         true});
  section.add(ReportTable{
      "Words", {"word", "count"}, {{"caf\u00e9", 3}, {nullptr, 0.1}, {true, 18446744073709551615u}}});
  section.add(ReportLegend{"Phrases", {{0x0072B2, "sky"}, {0xFFFFFF, ""}}});
  return section;
}

ReportSection through_text(const ReportSection& section) {
  return section_from_json(json::parse(to_json(section).dump()));
}

// ---- Sections as JSON ----

TEST(ReportSection, comes_back_from_json_exactly) {
  const ReportSection section = section_with_everything();
  EXPECT_EQ(section_from_json(to_json(section)), section);
  EXPECT_EQ(through_text(section), section);
  EXPECT_EQ(through_text(ReportSection{}), ReportSection{});
  EXPECT_EQ(to_json(through_text(section)).dump(), to_json(section).dump());
}

TEST(ReportSection, keeps_integers_and_floats_apart) {
  ReportSection section;
  section.add(ReportTable{"", {"a"}, {{1}, {1.0}}});
  const auto table = std::get<ReportTable>(through_text(section).blocks[0]);
  EXPECT_TRUE(table.rows[0][0].is_number_integer());
  EXPECT_TRUE(table.rows[1][0].is_number_float());
}

TEST(ReportSection, keeps_numbers_that_json_cannot_hold) {
  ReportSection section;
  section.add(ReportPlot{"", "", "", {{"", {kNan, kInfinity, -kInfinity}, {1, 2, 3}}}});
  section.add(ReportTable{"", {"a"}, {{kNan, kInfinity, -kInfinity, "nan"}}});
  const ReportSection back = through_text(section);
  const std::vector<double>& x = std::get<ReportPlot>(back.blocks[0]).series[0].x;
  EXPECT_TRUE(std::isnan(x[0]));
  EXPECT_EQ(x[1], kInfinity);
  EXPECT_EQ(x[2], -kInfinity);
  const std::vector<json>& row = std::get<ReportTable>(back.blocks[1]).rows[0];
  EXPECT_TRUE(std::isnan(row[0].get<double>()));
  EXPECT_EQ(row[1].get<double>(), kInfinity);
  EXPECT_EQ(row[2].get<double>(), -kInfinity);
  EXPECT_EQ(row[3], "nan");
}

TEST(ReportSection, keeps_texts_that_are_not_utf8) {
  ReportSection section;
  section.add(ReportText{"caf\xE9"});
  section.add(ReportPictures{"\xFF", {{std::string("\0\xFF\x80", 3), "/\xE9.png", "\xE9.png"}}});
  section.add(ReportTable{"", {"\xFE"}, {{"\xE9"}, {json{{"base64", "x"}}}, {json::array({1, "a"})}}});
  section.add(ReportLegend{"", {{1, "\xE9"}}});
  EXPECT_EQ(through_text(section), section);
}

TEST(ReportSection, damaged_json_is_an_error_that_says_so) {
  const json good = to_json(section_with_everything());
  for (const json& damaged :
       {json(), json::array(), json::parse(R"({"blocks":{}})"),
        json::parse(R"({"blocks":[{"kind":"song"}]})"), json::parse(R"({"blocks":[{}]})")}) {
    EXPECT_THROW(section_from_json(damaged), std::runtime_error) << damaged;
  }
  json bad_thumbnail = good;
  bad_thumbnail["blocks"][1]["pictures"][0]["thumbnail"] = "???";
  EXPECT_THROW(section_from_json(bad_thumbnail), std::runtime_error);
  json bad_number = good;
  bad_number["blocks"][2]["series"][0]["y"][0] = "many";
  try {
    section_from_json(bad_number);
    FAIL() << "took a word for a number";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("\"many\" is not a number"), std::string::npos) << error.what();
  }
}

// ---- Blocks ----

std::string render(ReportBlock block, const std::string& node = "node") {
  ReportSection section;
  section.add(std::move(block));
  return render_blocks(section, node);
}

TEST(ReportBlocks, every_kind_is_well_formed) {
  EXPECT_TRUE(is_well_formed(render_blocks(section_with_everything(), "node")));
}

TEST(ReportBlocks, pictures_link_to_the_file_beside_the_page) {
  const std::string html =
      render(ReportPictures{"", {{kThumbnail, "/overlays/a b#1.png", "cap"}}}, "over lay");
  EXPECT_NE(html.find("href=\"over%20lay/overlays/a%20b%231.png\""), html.npos);
  EXPECT_NE(html.find("alt=\"cap\""), html.npos);
  EXPECT_NE(html.find("loading=\"lazy\""), html.npos);
  EXPECT_NE(html.find("width=\"160\" height=\"120\""), html.npos);
  EXPECT_NE(html.find("src=\"data:image/png;base64,iVBORw0KGgo"), html.npos);
  EXPECT_NE(render(ReportPictures{"", {{kThumbnail, ".png", ""}}}).find("href=\"node.png\""),
            std::string::npos);
}

TEST(ReportBlocks, a_picture_without_file_is_no_link_and_one_without_preview_no_image) {
  EXPECT_EQ(render(ReportPictures{"", {{kThumbnail, "", "cap"}}}).find("<a "), std::string::npos);
  const std::string html = render(ReportPictures{"", {{"not a picture", "/a.png", "cap"}}});
  EXPECT_EQ(html.find("<img"), html.npos);
  EXPECT_NE(html.find("<a href=\"node/a.png\">"), html.npos);
}

TEST(ReportBlocks, the_first_24_pictures_are_shown_and_the_rest_is_folded) {
  const auto pictures = [](std::size_t count) {
    return render(ReportPictures{"", std::vector<ReportPicture>(count, {kThumbnail, "/a.png", "cap"})});
  };
  EXPECT_EQ(pictures(24).find("<details>"), std::string::npos);
  const std::string html = pictures(60);
  const std::size_t fold = html.find("<details><summary>36 more</summary>");
  ASSERT_NE(fold, html.npos);
  EXPECT_EQ(count_of(html.substr(0, fold), "<img"), 24u);
  EXPECT_EQ(count_of(html, "<img"), 60u);
  EXPECT_TRUE(is_well_formed(html));
}

TEST(ReportBlocks, numbers_in_tables_carry_their_full_value_for_sorting) {
  const std::string html = render_table(
      {"", {"n", "text"}, {{12345.678901, "b"}, {7, "a"}, {kNan, ""}, {-kInfinity, "c"}, {nullptr, 5}}});
  EXPECT_NE(html.find("data-v=\"12345.678901\">12,346</td>"), html.npos);
  EXPECT_NE(html.find("data-v=\"7\">7</td>"), html.npos);
  EXPECT_NE(html.find("data-v=\"NaN\">NaN</td>"), html.npos);
  EXPECT_NE(html.find("data-v=\"-Infinity\">−∞</td>"), html.npos);
  EXPECT_NE(html.find("<td></td>"), html.npos);
  EXPECT_NE(html.find("<table class=\"sortable\">"), html.npos);
  EXPECT_EQ(count_of(html, "aria-sort=\"none\""), 2u);
  EXPECT_EQ(count_of(html, "<button type=\"button\">"), 2u) << "headers must be reachable by keyboard";
  EXPECT_NE(html.find("aria-sort=\"none\" class=\"number\"><button type=\"button\">n<"), html.npos);
}

TEST(ReportBlocks, ragged_rows_are_filled_and_cut_to_the_columns) {
  const std::string html = render_table({"", {"a", "b"}, {{1}, {1, 2, 3}}});
  EXPECT_EQ(count_of(html, "<td"), 4u);
  EXPECT_TRUE(is_well_formed(html));
}

TEST(ReportBlocks, very_long_tables_say_what_they_leave_out) {
  const std::string html = render_table({"", {"a"}, std::vector<std::vector<json>>(5001, {1})});
  EXPECT_EQ(count_of(html, "<td"), 5000u);
  EXPECT_NE(html.find("The first 5,000 of 5,001 rows."), html.npos);
}

TEST(ReportBlocks, legends_show_their_colours) {
  const std::string html = render(ReportLegend{"Phrases", {{0x0072B2, "sky"}, {0x00000A, "night"}}});
  EXPECT_NE(html.find("background:#0072b2\"></i>sky"), html.npos);
  EXPECT_NE(html.find("background:#00000a\"></i>night"), html.npos);
}

TEST(ReportBlocks, plots_that_follow_each_other_share_a_row) {
  ReportSection section;
  section.add(ReportPlot{});
  section.add(ReportPlot{});
  section.add(ReportText{"between"});
  section.add(ReportPlot{});
  const std::string html = render_blocks(section, "node");
  EXPECT_EQ(count_of(html, "<div class=\"block charts\">"), 2u);
  EXPECT_TRUE(is_well_formed(html));
}

// ---- The page ----

ReportPage small_page() {
  ReportPage page;
  page.title = "codebook";
  page.facts = {{"Images", "500"}, {"Seed", "7"}};
  page.graph = {{{"images", "input.images", true}, {"words", "encode.codebook"}},
                {{"images", "images", "words", "images", "ImageSet"}}};
  page.nodes.push_back({"images", "input.images", "Reads images.", {{"path", "a folder"}}, {}, {}});
  page.nodes.push_back({"words",
                        "encode.codebook",
                        "Learns words.",
                        {{"words", 200}, {"tolerance", 1e-4}},
                        {{"objective", 0.182345}, {"nmi", kNan}},
                        section_with_everything()});
  page.inputs = 500;
  return page;
}

TEST(ReportPage, is_well_formed_and_loads_nothing) {
  const std::string html = render_report(small_page());
  EXPECT_TRUE(is_well_formed(html));
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_NE(html.find("default-src 'none'"), html.npos);
  EXPECT_EQ(html.find("<link"), html.npos);
  EXPECT_EQ(html.find("@import"), html.npos);
  const std::regex outside(R"re((src|href)="(https?:|//|file:))re");
  EXPECT_FALSE(std::regex_search(html, outside));
}

TEST(ReportPage, its_parts_stand_in_order) {
  const std::string html = render_report(small_page());
  std::size_t before = 0;
  for (const char* part : {"<nav", "<h1>codebook</h1>", "<dt>Seed</dt><dd>7</dd>", "id=\"graph\"", "<svg",
                           "id=\"figures\"", "id=\"stage-words\"", "A paragraph", "id=\"quiet\"",
                           "id=\"stage-images\"", "id=\"ledger\"", "<script>"}) {
    const std::size_t at = html.find(part);
    ASSERT_NE(at, html.npos) << part;
    EXPECT_GT(at, before) << part;
    before = at;
  }
}

TEST(ReportPage, every_link_into_the_page_has_a_target) {
  ReportPage page = small_page();
  page.nodes[1].name = page.graph.nodes[1].name = "words & <ü>";
  page.graph.edges[0].to = page.nodes[1].name;
  page.ledger = {{"images", "a.png", "skipped", "empty"}};
  const std::string html = render_report(page);
  const std::regex link("href=\"#([^\"]+)\"");
  std::size_t links = 0;
  for (std::sregex_iterator it(html.begin(), html.end(), link), end; it != end; ++it, ++links) {
    EXPECT_EQ(count_of(html, fmt::format("id=\"{}\"", (*it)[1].str())), 1u) << (*it)[1];
  }
  EXPECT_GE(links, 10u);
}

TEST(ReportPage, figures_are_written_for_people) {
  const std::string html = render_report(small_page());
  EXPECT_NE(html.find("<dd>0.1823</dd>"), html.npos);
  EXPECT_NE(html.find("<dd>NaN</dd>"), html.npos);
}

TEST(ReportPage, parameters_are_shown_as_they_were_set) {
  const std::string html = render_report(small_page());
  EXPECT_NE(html.find("<summary>2 parameters</summary>"), html.npos);
  EXPECT_NE(html.find("<dt>tolerance</dt><dd>0.0001</dd>"), html.npos);
  EXPECT_NE(html.find("<dt>path</dt><dd>a folder</dd>"), html.npos);
}

TEST(ReportPage, many_figures_are_folded) {
  ReportPage page = small_page();
  for (int i = 0; i < 28; ++i) page.nodes[0].metrics.emplace_back(fmt::format("m{}", i), i);
  const std::string html = render_report(page);
  EXPECT_NE(html.find("<details><summary>6 more</summary>"), html.npos);
  EXPECT_TRUE(is_well_formed(html));
}

TEST(ReportPage, the_ledger_says_how_many_of_how_many) {
  ReportPage page = small_page();
  for (int i = 0; i < 12; ++i) page.ledger.push_back({"images", std::to_string(i), "skipped", "empty file"});
  page.ledger.push_back({"points", "3", "skipped", "again"});  // the same input twice is one input
  page.ledger.push_back({"images", "99", "noted", "rotated by its EXIF tag"});
  const std::string html = render_report(page);
  EXPECT_NE(html.find("<p>12 of 500 images skipped; 1 note.</p>"), html.npos);
  EXPECT_NE(html.find("rotated by its EXIF tag"), html.npos);
  page.inputs = 0;
  page.inputs_name = "rows";
  EXPECT_NE(render_report(page).find("<p>12 rows skipped; 1 note.</p>"), std::string::npos);
}

TEST(ReportPage, an_empty_ledger_says_that_nothing_was_skipped) {
  const std::string html = render_report(small_page());
  EXPECT_NE(html.find("<p>Nothing was skipped.</p>"), html.npos);
  EXPECT_EQ(html.find("<dt>Skipped</dt>"), html.npos);
}

TEST(ReportPage, a_run_without_anything_still_has_a_page) {
  const std::string html = render_report({});
  EXPECT_TRUE(is_well_formed(html));
  EXPECT_EQ(html.find("id=\"graph\""), html.npos);
  EXPECT_EQ(html.find("id=\"figures\""), html.npos);
}

TEST(ReportPage, the_same_input_gives_the_same_bytes) {
  EXPECT_EQ(render_report(small_page()), render_report(small_page()));
}

TEST(ReportPage, no_text_from_outside_reaches_the_page_unescaped) {
  ReportPage page;
  page.title = kHostile;
  page.facts = {{kHostile, kHostile}};
  page.inputs_name = kHostile;
  page.graph = {{{kHostile, kHostile, true}, {"b", kHostile}},
                {{kHostile, kHostile, "b", kHostile, kHostile}}};
  ReportNode node{kHostile,        kHostile, kHostile, {{kHostile, kHostile}, {"list", {kHostile}}},
                  {{kHostile, 1}}, {}};
  page.nodes.push_back(node);
  node.section.add(ReportText{kHostile});
  node.section.add(ReportPictures{kHostile, {{kThumbnail, "/" + kHostile, kHostile}}});
  node.section.add(ReportPlot{kHostile, kHostile, kHostile, {{kHostile, {1}, {2}}, {kHostile, {1}, {3}}}});
  node.section.add(ReportTable{kHostile, {kHostile}, {{kHostile}, {json{{kHostile, kHostile}}}}});
  node.section.add(ReportLegend{kHostile, {{0xFF00FF00, kHostile}}});
  node.name += "2";
  page.nodes.push_back(node);
  page.ledger = {{kHostile, kHostile, "skipped", kHostile}};
  const std::string html = render_report(page);
  EXPECT_TRUE(is_well_formed(html));
  EXPECT_EQ(count_of(html, "<script"), 1u) << "the page's own";
  EXPECT_EQ(html.find('\xFF'), html.npos);
}

}  // namespace
}  // namespace contexton
