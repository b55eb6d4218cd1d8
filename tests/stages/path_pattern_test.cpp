// Globs, and patterns from images to their masks.
#include "stages/input/path_pattern.hpp"

#include <gtest/gtest.h>

namespace contexton {
namespace {

TEST(GlobPattern, the_part_without_wildcards_is_where_to_look) {
  EXPECT_EQ(GlobPattern("photos/*.jpg").folder(), "photos");
  EXPECT_EQ(GlobPattern("/data/a/**/x?.png").folder(), "/data/a");
  EXPECT_EQ(GlobPattern("*.jpg").folder(), ".");
}

TEST(GlobPattern, a_star_stays_inside_its_folder) {
  const GlobPattern glob("photos/*.jpg");
  EXPECT_TRUE(glob.matches("a.jpg"));
  EXPECT_FALSE(glob.matches("a.png"));
  EXPECT_FALSE(glob.matches("sub/a.jpg"));
  EXPECT_FALSE(glob.may_match_inside("sub"));
  EXPECT_FALSE(glob.matches(".a.jpg"));
}

TEST(GlobPattern, two_stars_stand_for_any_number_of_folders) {
  const GlobPattern glob("photos/**/b*/*.jpg");
  EXPECT_TRUE(glob.matches("b/a.jpg"));
  EXPECT_TRUE(glob.matches("x/y/bb/a.jpg"));
  EXPECT_FALSE(glob.matches("x/a.jpg"));
  EXPECT_FALSE(glob.matches("a.jpg"));
  EXPECT_FALSE(glob.matches(".git/b/a.jpg"));
  EXPECT_TRUE(glob.may_match_inside("x/y"));
  EXPECT_FALSE(glob.may_match_inside(".git"));
}

TEST(GlobPattern, only_folders_that_can_hold_matches_are_entered) {
  const GlobPattern glob("photos/c[ad]t/?.jpg");
  EXPECT_TRUE(glob.may_match_inside("cat"));
  EXPECT_TRUE(glob.may_match_inside("cdt"));
  EXPECT_FALSE(glob.may_match_inside("cot"));
  EXPECT_FALSE(glob.may_match_inside("cat/more"));
  EXPECT_TRUE(glob.matches("cat/1.jpg"));
  EXPECT_FALSE(glob.matches("cat/12.jpg"));
}

TEST(GlobPattern, two_stars_at_the_end_mean_all_files_below) {
  const GlobPattern glob("photos/**");
  EXPECT_TRUE(glob.matches("a.jpg"));
  EXPECT_TRUE(glob.matches("x/y/a.jpg"));
  EXPECT_TRUE(glob.may_match_inside("x/y"));
}

TEST(SidecarPattern, placeholders_are_filled_from_the_image_path) {
  EXPECT_EQ(SidecarPattern("{dir}/{stem}.mask.png").of("/photos/cat.jpg"), "/photos/cat.mask.png");
  EXPECT_EQ(SidecarPattern("{dir}/../masks/{name}").of("/photos/x/cat.jpg"), "/photos/x/../masks/cat.jpg");
  EXPECT_EQ(SidecarPattern("/masks/{stem}_{stem}.png").of("/photos/cat.jpg"), "/masks/cat_cat.png");
}

TEST(SidecarPattern, a_relative_result_lies_below_the_folder_of_the_image) {
  EXPECT_EQ(SidecarPattern("masks/{stem}.png").of("/photos/cat.jpg"), "/photos/masks/cat.png");
  EXPECT_EQ(SidecarPattern("{stem}.png").of("photos/cat.jpg"), "photos/cat.png");
  EXPECT_EQ(SidecarPattern("{dir}/{stem}.png").of("photos/cat.jpg"), "photos/cat.png");
  EXPECT_EQ(SidecarPattern("{stem}.png").of("cat.jpg"), "./cat.png");
}

TEST(SidecarPattern, a_placeholder_in_the_name_of_an_image_is_no_placeholder) {
  EXPECT_EQ(SidecarPattern("{dir}/{stem}.png").of("/photos/{name}.jpg"), "/photos/{name}.png");
}

TEST(SidecarPattern, patterns_that_cannot_be_meant_are_refused) {
  EXPECT_EQ(SidecarPattern("").problem(), "");
  EXPECT_EQ(SidecarPattern("{dir}/mask.png").problem(), "");
  EXPECT_NE(SidecarPattern("mask.png").problem().find("none of the placeholders"), std::string::npos);
  EXPECT_NE(SidecarPattern("{dir}/{stam}.png").problem().find("did you mean '{stem}'?"), std::string::npos);
  EXPECT_NE(SidecarPattern("{stem").problem().find("unknown placeholder '{stem'"), std::string::npos);
}

}  // namespace
}  // namespace contexton
