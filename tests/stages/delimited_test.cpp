// Delimited text: quotes, line ends, line numbers, delimiters; and lists of paths made of it.
#include "stages/input/delimited.hpp"

#include <gtest/gtest.h>

#include "pipeline/errors.hpp"
#include "pipeline/files.hpp"
#include "stages/input/path_list.hpp"
#include "tests/stages/one_stage.hpp"

namespace contexton {
namespace {

using Cells = std::vector<std::string>;

std::vector<Cells> records(std::string_view text) {
  RecordReader reader(text, detect_delimiter(text));
  std::vector<Cells> all;
  Cells cells;
  while (reader.next(cells)) all.push_back(cells);
  return all;
}

TEST(Delimited, records_are_split_at_the_delimiter_that_the_first_line_uses) {
  const std::vector<Cells> expected{{"a", "b"}, {"1", "2"}};
  EXPECT_EQ(records("a,b\n1,2\n"), expected);
  EXPECT_EQ(records("a;b\n1;2"), expected);
  EXPECT_EQ(records("a\tb\r\n1\t2\r\n"), expected);
  EXPECT_EQ(records("1,5;2,5\n"), (std::vector<Cells>{{"1,5", "2,5"}}));
}

TEST(Delimited, quotes_protect_delimiters_quotes_spaces_and_line_ends) {
  EXPECT_EQ(records("\"a, b\",\"say \"\"hi\"\"\",\" c \"\n"),
            (std::vector<Cells>{{"a, b", "say \"hi\"", " c "}}));
  EXPECT_EQ(records("\"two\nlines\",x\n"), (std::vector<Cells>{{"two\nlines", "x"}}));
  EXPECT_EQ(records("\"a;b\",c\n"), (std::vector<Cells>{{"a;b", "c"}}));
}

TEST(Delimited, empty_cells_are_kept_and_blank_lines_passed_over) {
  EXPECT_EQ(records("\xEF\xBB\xBF"
                    "a,,b\n\n  \r\n,,\n"),
            (std::vector<Cells>{{"a", "", "b"}, {"", "", ""}}));
  EXPECT_EQ(records("a\tb\tc\n\t\t\n"), (std::vector<Cells>{{"a", "b", "c"}, {"", "", ""}}));
  EXPECT_TRUE(records("").empty());
  EXPECT_TRUE(records("\n \n").empty());
}

TEST(Delimited, line_numbers_count_lines_inside_quotes_and_blank_ones) {
  RecordReader reader("a\n\"x\ny\"\n\nb\n", ',');
  Cells cells;
  std::vector<std::size_t> lines;
  while (reader.next(cells)) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 2, 5}));
}

TEST(Delimited, a_quote_that_is_never_closed_is_an_error_with_its_line) {
  try {
    records("a,b\n\"c,d\ne,f\n");
    FAIL() << "read it";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
  }
}

TEST(PathList, lines_are_paths_except_comments_and_blank_ones) {
  const testing::TemporaryFolder folder;
  write_file(folder.path() / "list.txt", "# photos\n a b.jpg \r\n\n#x\nc.jpg");
  const auto entries = read_path_lines(folder.path() / "list.txt");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].path, "a b.jpg");
  EXPECT_EQ(entries[1].path, "c.jpg");
}

TEST(PathList, a_table_takes_its_columns_by_name) {
  const testing::TemporaryFolder folder;
  write_file(folder.path() / "t.csv", "size;label;path\n1;cat;\"a;b.jpg\"\n2;;c.jpg\n");
  const auto entries = read_path_table(folder.path() / "t.csv");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].path, "a;b.jpg");
  EXPECT_EQ(entries[0].label, "cat");
  EXPECT_EQ(entries[1].label, "");
}

TEST(PathList, damaged_tables_are_refused_with_the_reason) {
  const testing::TemporaryFolder folder;
  const auto reason = [&](const std::string& text) -> std::string {
    write_file(folder.path() / "t.csv", text);
    try {
      read_path_table(folder.path() / "t.csv");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(reason("").find("is empty"), std::string::npos);
  EXPECT_NE(reason("path,lable\na,b\n").find("no column 'label' in its first line (did you mean 'lable'?)"),
            std::string::npos);
  EXPECT_NE(reason("path,label\na\n").find("line 2 has 1 cells"), std::string::npos);
  EXPECT_NE(reason("path,label\na,x\na,y\n").find("line 3 labels a as 'y'"), std::string::npos);
  EXPECT_NE(reason("path,label\n,x\n").find("line 2 names no path"), std::string::npos);
  EXPECT_NE(reason("path,label\n\"a,x\n").find("never closed"), std::string::npos);
  EXPECT_EQ(reason("path,label\na,x\na,x\n"), "");
}

}  // namespace
}  // namespace contexton
