// Which files make a set of images: folders, globs, lists, links, labels, pairs, samples.
#include "stages/input/image_listing.hpp"

#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "pipeline/errors.hpp"
#include "pipeline/files.hpp"
#include "pipeline/item_table.hpp"
#include "stages/input/builtin_textures.hpp"
#include "tests/stages/one_stage.hpp"

namespace contexton {
namespace {

using testing::TemporaryFolder;
using Names = std::vector<std::string>;

// Listing never opens images, so any content will do.
class ImageListingTest : public ::testing::Test {
 protected:
  void touch(const std::string& name) const { write(name, "x"); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder.path() / name).parent_path());
    write_file(folder.path() / name, text);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder.path() / name).string(); }

  TemporaryFolder folder;
};

Names names(const ImageListing& listing) {
  Names all;
  for (const ListedImage& image : listing.images) all.push_back(image.name);
  return all;
}
Names labels(const ImageListing& listing) {
  Names all;
  for (const ListedImage& image : listing.images) all.push_back(image.label);
  return all;
}
std::string problem_of(const std::string& path) {
  return image_path_problem(path);
}

TEST_F(ImageListingTest, a_folder_gives_its_images_at_all_depths_in_byte_order) {
  for (const char* name : {"b.JPG", "a/z.png", "a/y/2.tif", "a/y/10.webp", "B.bmp"}) touch(name);
  EXPECT_EQ(names(list_images(folder.path())),
            (Names{"B.bmp", "a/y/10.webp", "a/y/2.tif", "a/z.png", "b.JPG"}));
}

TEST_F(ImageListingTest, hidden_and_other_files_are_ignored_and_counted) {
  for (const char* name : {"a.png", "notes.txt", ".hidden.png", "._a.png", ".git/x.png", "Thumbs.db"})
    touch(name);
  const ImageListing listing = list_images(folder.path());
  EXPECT_EQ(names(listing), (Names{"a.png"}));
  EXPECT_EQ(listing.ignored_files, 4U);  // what lies in a hidden folder is not even counted
}

TEST_F(ImageListingTest, unicode_and_spaces_in_paths_are_kept) {
  touch("Größe 日本/my photo ü.png");
  const ImageListing listing = list_images(folder.path());
  EXPECT_EQ(names(listing), (Names{"Größe 日本/my photo ü.png"}));
  EXPECT_TRUE(fs::exists(listing.images[0].path));
}

TEST_F(ImageListingTest, a_name_that_is_not_utf8_can_still_be_written_as_json) {
  touch("caf\xE9.png");
  const ImageListing listing = list_images(folder.path());
  EXPECT_EQ(names(listing), (Names{"caf%E9.png"}));
  EXPECT_TRUE(fs::exists(listing.images[0].path));
}

TEST_F(ImageListingTest, links_are_followed_and_loops_end) {
  touch("set/a/1.png");
  touch("elsewhere/2.png");
  fs::create_directory_symlink(folder.path() / "set", folder.path() / "set/a/loop");
  fs::create_directory_symlink(folder.path() / "elsewhere", folder.path() / "set/linked");
  fs::create_symlink(folder.path() / "elsewhere/2.png", folder.path() / "set/alias.png");
  const ImageListing listing = list_images(at("set"));
  EXPECT_EQ(names(listing), (Names{"a/1.png", "alias.png", "linked/2.png"}));
  ASSERT_EQ(listing.notes.size(), 1U);
  EXPECT_EQ(listing.notes[0].item, "a/loop");
}

TEST_F(ImageListingTest, a_linked_folder_of_the_set_keeps_its_own_name) {
  touch("z_real/1.png");
  fs::create_directory_symlink(folder.path() / "z_real", folder.path() / "a_link");
  EXPECT_EQ(names(list_images(folder.path())), (Names{"z_real/1.png"}));
}

TEST_F(ImageListingTest, links_to_nothing_and_to_themselves_are_skipped_with_the_reason) {
  touch("a.png");
  fs::create_symlink(folder.path() / "gone.png", folder.path() / "dangling.png");
  fs::create_symlink(folder.path() / "self.png", folder.path() / "self.png");
  const ImageListing listing = list_images(folder.path());
  EXPECT_EQ(names(listing), (Names{"a.png"}));
  ASSERT_EQ(listing.skipped.size(), 2U);
  EXPECT_EQ(listing.skipped[0].item, "dangling.png");
  EXPECT_NE(listing.skipped[0].text.find("does not exist"), std::string::npos);
  EXPECT_EQ(listing.skipped[1].item, "self.png");
  EXPECT_NE(listing.skipped[1].text.find("symbolic links"), std::string::npos);
}

// Permissions do not bind root; the file-system user of this one thread is somebody else for a while.
class AsNobody {
 public:
  AsNobody() {
    if (::geteuid() == 0) ::setfsuid(65534);
  }
  ~AsNobody() {
    if (::geteuid() == 0) ::setfsuid(0);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
};

TEST_F(ImageListingTest, an_unreadable_folder_is_skipped_inside_and_an_error_on_top) {
  touch("open/a.png");
  touch("closed/b.png");
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(folder.path() / "closed", fs::perms::none);
  {
    const AsNobody nobody;
    if (std::error_code error;
        fs::directory_iterator(at("closed"), error) != fs::directory_iterator() || !error)
      GTEST_SKIP() << "this system lets anybody read closed folders";
    const ImageListing listing = list_images(folder.path());
    EXPECT_EQ(names(listing), (Names{"open/a.png"}));
    ASSERT_EQ(listing.skipped.size(), 1U);
    EXPECT_EQ(listing.skipped[0].item, "closed");
    EXPECT_EQ(listing.skipped[0].text, "Permission denied");
    EXPECT_THROW(list_images(at("closed")), InputError);
    EXPECT_NE(problem_of(at("closed")).find("Permission denied"), std::string::npos);
  }
  fs::permissions(folder.path() / "closed", fs::perms::owner_all);
}

TEST_F(ImageListingTest, a_glob_gives_what_matches_named_from_its_fixed_part) {
  for (const char* name : {"p/a.jpg", "p/b.png", "p/x/c.jpg", "p/x/y/d.jpg", "q/e.jpg"}) touch(name);
  EXPECT_EQ(names(list_images(at("p/*.jpg"))), (Names{"a.jpg"}));
  EXPECT_EQ(names(list_images(at("p/**/*.jpg"))), (Names{"a.jpg", "x/c.jpg", "x/y/d.jpg"}));
  EXPECT_EQ(names(list_images(at("p/*/*"))), (Names{"x/c.jpg"}));
  EXPECT_EQ(names(list_images(at("[pq]/?.jpg"))), (Names{"p/a.jpg", "q/e.jpg"}));
  EXPECT_TRUE(list_images(at("p/*.gif")).images.empty());
}

TEST_F(ImageListingTest, a_folder_whose_name_looks_like_a_glob_is_a_folder) {
  touch("photos [1]/a.jpg");
  EXPECT_EQ(names(list_images(at("photos [1]"))), (Names{"a.jpg"}));
}

TEST_F(ImageListingTest, a_text_list_gives_its_paths_relative_to_itself) {
  touch("list.dir/a.png");
  write("list.dir/list.txt", "# mine\na.png\nsub dir/not there.png\n\na.png\n./sub/../b.png\n");
  const ImageListing listing = list_images(at("list.dir/list.txt"));
  EXPECT_EQ(names(listing), (Names{"a.png", "b.png", "sub dir/not there.png"}));
  EXPECT_EQ(listing.images[0].path, folder.path() / "list.dir/a.png");
  ASSERT_EQ(listing.notes.size(), 1U);
  EXPECT_NE(listing.notes[0].text.find("more than once"), std::string::npos);
}

TEST_F(ImageListingTest, names_never_leave_the_folder_even_when_a_list_does) {
  write("lists/l.txt", at("data/cat/a.png") + "\n../data/dog/b.png\n");
  const ImageListing listing = list_images(at("lists/l.txt"));
  EXPECT_EQ(names(listing), (Names{"cat/a.png", "dog/b.png"}));
}

TEST_F(ImageListingTest, a_csv_list_brings_labels) {
  write("l.csv", "path,label\nb.png,dog\na.png,\"big, cat\"\nc.png,\n");
  ImageListing listing = list_images(at("l.csv"));
  label_images(listing, at("l.csv"), "");
  EXPECT_EQ(names(listing), (Names{"a.png", "b.png", "c.png"}));
  EXPECT_EQ(labels(listing), (Names{"big, cat", "dog", ""}));
  label_images(listing, at("l.csv"), "none");
  EXPECT_EQ(labels(listing), (Names{"", "", ""}));
}

TEST_F(ImageListingTest, one_image_is_a_set) {
  touch("a.png");
  EXPECT_EQ(names(list_images(at("a.png"))), (Names{"a.png"}));
}

TEST_F(ImageListingTest, builtin_images_are_listed_by_name) {
  const ImageListing listing = list_images("builtin:textures");
  ASSERT_EQ(listing.images.size(), builtin_texture_count());
  for (const ListedImage& image : listing.images) EXPECT_EQ(image.name, builtin_texture_name(image.builtin));
}

TEST_F(ImageListingTest, the_first_folder_level_is_the_class) {
  for (const char* name : {"cat/1.png", "cat/more/2.png", "dog/3.png", "4.png"}) touch(name);
  ImageListing listing = list_images(folder.path());
  label_images(listing, folder.path(), "");
  EXPECT_EQ(names(listing), (Names{"4.png", "cat/1.png", "cat/more/2.png", "dog/3.png"}));
  EXPECT_EQ(labels(listing), (Names{"", "cat", "cat", "dog"}));
}

TEST_F(ImageListingTest, a_label_table_may_name_images_from_their_folder_or_from_its_own) {
  for (const char* name : {"set/x/1.png", "set/2.png", "set/3.png"}) touch(name);
  write("tables/labels.csv", "path,label\nx/1.png,one\n../set/2.png,two\nother.png,no\n");
  ImageListing listing = list_images(at("set"));
  label_images(listing, at("set"), at("tables/labels.csv"));
  EXPECT_EQ(names(listing), (Names{"2.png", "3.png", "x/1.png"}));
  EXPECT_EQ(labels(listing), (Names{"two", "", "one"}));
  ASSERT_EQ(listing.notes.size(), 1U);
  EXPECT_NE(listing.notes[0].text.find("does not name 1 of 3 images"), std::string::npos);
}

TEST_F(ImageListingTest, a_label_table_of_other_images_is_an_error) {
  touch("set/1.png");
  write("labels.csv", "path,label\nx.png,one\n");
  ImageListing listing = list_images(at("set"));
  EXPECT_THROW(label_images(listing, at("set"), at("labels.csv")), InputError);
}

TEST_F(ImageListingTest, masks_and_truth_are_not_images_of_the_set) {
  for (const char* name : {"a.png", "a.mask.png", "b.png", "truth/a.png", "truth/b.png"}) touch(name);
  ImageListing listing = list_images(folder.path());
  pair_images(listing, SidecarPattern("{dir}/{stem}.mask.png"), SidecarPattern("truth/{name}"));
  EXPECT_EQ(names(listing), (Names{"a.png", "b.png"}));
  EXPECT_EQ(listing.images[0].mask, folder.path() / "a.mask.png");
  EXPECT_EQ(listing.images[1].mask, folder.path() / "b.mask.png");  // where it should be
  EXPECT_EQ(listing.images[1].truth, folder.path() / "truth/b.png");
}

TEST_F(ImageListingTest, a_pattern_that_leads_to_the_image_itself_is_an_error) {
  touch("a.png");
  ImageListing listing = list_images(folder.path());
  EXPECT_THROW(pair_images(listing, SidecarPattern("{dir}/{name}"), SidecarPattern("")), InputError);
}

TEST_F(ImageListingTest, limit_keeps_the_first_images) {
  for (const char* name : {"a.png", "b.png", "c.png"}) touch(name);
  ImageListing listing = list_images(folder.path());
  choose_images(listing, 0, 2, 1);
  EXPECT_EQ(names(listing), (Names{"a.png", "b.png"}));
}

TEST_F(ImageListingTest, a_sample_takes_so_many_of_each_class_and_depends_only_on_the_seed) {
  for (int i = 0; i < 20; ++i) {
    touch("cat/" + std::to_string(i) + ".png");
    if (i < 3) touch("dog/" + std::to_string(i) + ".png");
    if (i < 8) touch(std::to_string(i) + ".png");
  }
  const auto sampled = [&](std::uint64_t seed, std::int64_t limit = 0) {
    ImageListing listing = list_images(folder.path());
    label_images(listing, folder.path(), "");
    choose_images(listing, 5, limit, seed);
    return listing;
  };
  const ImageListing first = sampled(1);
  const Names classes = labels(first);
  EXPECT_EQ(std::count(classes.begin(), classes.end(), "cat"), 5);
  EXPECT_EQ(std::count(classes.begin(), classes.end(), "dog"), 3);
  EXPECT_EQ(std::count(classes.begin(), classes.end(), ""), 5);
  const Names chosen = names(first);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_EQ(names(sampled(1)), chosen);
  std::set<Names> different;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) different.insert(names(sampled(seed)));
  EXPECT_GE(different.size(), 9U);
  EXPECT_EQ(names(sampled(1, 4)), Names(chosen.begin(), chosen.begin() + 4));
}

TEST_F(ImageListingTest, another_class_does_not_change_the_sample_of_a_class) {
  for (int i = 0; i < 20; ++i) touch("cat/" + std::to_string(i) + ".png");
  const auto cats = [&] {
    ImageListing listing = list_images(folder.path());
    label_images(listing, folder.path(), "");
    choose_images(listing, 4, 0, 3);
    std::erase_if(listing.images, [](const ListedImage& image) { return image.label != "cat"; });
    return names(listing);
  };
  const Names before = cats();
  touch("ape/1.png");
  EXPECT_EQ(cats(), before);
}

TEST_F(ImageListingTest, paths_that_cannot_be_used_are_described) {
  touch("photos/a.png");
  EXPECT_EQ(problem_of(at("photos")), "");
  EXPECT_EQ(problem_of("builtin:textures"), "");
  EXPECT_EQ(problem_of(at("photos/*.png")), "");
  EXPECT_NE(problem_of("").find("no path"), std::string::npos);
  EXPECT_NE(problem_of("builtin:texture").find("did you mean 'builtin:textures'?"), std::string::npos);
  EXPECT_NE(problem_of(at("photo")).find("photo does not exist (did you mean 'photos'?)"), std::string::npos);
  EXPECT_NE(problem_of(at("nowhere/*.png")).find("nowhere: No such file"), std::string::npos);
  write("bad.csv", "file,label\n");
  EXPECT_NE(problem_of(at("bad.csv")).find("no column 'path'"), std::string::npos);
  write("video.mp4", std::string("\0\0\1", 3));
  EXPECT_NE(problem_of(at("video.mp4")).find("neither an image nor a text file"), std::string::npos);
}

TEST_F(ImageListingTest, label_parameters_that_cannot_be_used_are_described) {
  EXPECT_EQ(labels_problem(""), "");
  EXPECT_EQ(labels_problem("none"), "");
  EXPECT_NE(labels_problem(at("gone.csv")).find("does not exist"), std::string::npos);
  write("t.csv", "path,class\na,b\n");
  EXPECT_NE(labels_problem(at("t.csv")).find("no column 'label'"), std::string::npos);
}

}  // namespace
}  // namespace contexton
