// Tests of codebook files: read back by contexton, NumPy and OpenCV, and refused with the reason when broken.
#include <gtest/gtest.h>

#include <cstdlib>
#include <opencv2/core/persistence.hpp>
#include <opencv2/features2d.hpp>

#include "pipeline/errors.hpp"
#include "pipeline/files.hpp"
#include "stages/output/codebook_files.hpp"
#include "tests/stages/feature_images.hpp"
#include "tests/stages/one_stage.hpp"
#include "tests/stages/small_sets.hpp"

namespace contexton::testing {
namespace {

// A codebook's three files in a folder of their own.
class CodebookFiles : public ::testing::Test {
 protected:
  CodebookFiles() {
    write_file(json_, codebook_json(codebook_));
    write_file(npy_, codebook_npy(codebook_));
    write_file(yml_, codebook_yml_gz(codebook_));
  }

  // Why `path` cannot be read; empty if it can.
  static std::string refusal(const fs::path& path) {
    try {
      static_cast<void>(read_codebook(path));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  void expect_refused(const fs::path& path, const std::string& reason) {
    const std::string why = refusal(path);
    EXPECT_NE(why.find(reason), std::string::npos) << "said: " << why;
    EXPECT_NE(why.find(folder_.path().string()), std::string::npos) << "does not name a path: " << why;
  }
  // Changes the document and leaves its hash as it was.
  void change_json(const std::string& from, const std::string& to) {
    std::string text = read_text_file(json_);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_file(json_, text.replace(at, from.size(), to));
  }

  const TemporaryFolder folder_;
  const Codebook codebook_ = codebook_of(random_matrix(20, 16, 1));
  const fs::path json_ = folder_.path() / "words.json", npy_ = folder_.path() / "words.npy",
                 yml_ = folder_.path() / "words.yml.gz";
};

void expect_same(const Codebook& read, const Codebook& written) {
  EXPECT_EQ(read.words, written.words);
  EXPECT_EQ(read.descriptor_type, written.descriptor_type);
  EXPECT_EQ(read.counts, written.counts);
  EXPECT_EQ(read.documents, written.documents);
  EXPECT_EQ(read.images, written.images);
  EXPECT_EQ(read.descriptors, written.descriptors);
  EXPECT_EQ(read.learnt_from, written.learnt_from);
  EXPECT_EQ(read.objective, written.objective);
  EXPECT_EQ(read.seed, written.seed);
  EXPECT_EQ(read.recipe, written.recipe);
}

TEST_F(CodebookFiles, come_back_as_they_were_from_either_file_or_the_folder) {
  expect_same(read_codebook(json_), codebook_);
  expect_same(read_codebook(npy_), codebook_);
  expect_same(read_codebook(folder_.path()), codebook_);
}

TEST_F(CodebookFiles, a_codebook_without_recipe_and_of_floats_comes_back) {
  Codebook plain = codebook_;
  plain.recipe = nullptr;
  plain.descriptor_type = Rows::Type::float32;
  write_file(json_, codebook_json(plain));
  expect_same(read_codebook(json_), plain);
}

TEST_F(CodebookFiles, the_document_may_be_reformatted) {
  const std::string text = read_text_file(json_);
  write_file(json_, nlohmann::ordered_json::parse(text).dump(4));
  expect_same(read_codebook(json_), codebook_);
  write_file(json_, nlohmann::json::parse(text).dump());  // sorts the keys
  EXPECT_EQ(refusal(json_), "");
}

TEST_F(CodebookFiles, other_json_files_in_the_folder_do_not_matter) {
  write_file(folder_.path() / "run.json", R"({"status": "done"})");
  expect_same(read_codebook(folder_.path()), codebook_);
}

TEST_F(CodebookFiles, a_folder_with_none_or_several_is_refused) {
  const fs::path other = folder_.path() / "other.json";
  fs::copy_file(json_, other);
  expect_refused(folder_.path(), "holds 2 codebooks; name one of them, such as other.json");
  fs::remove(other);
  fs::remove(json_);
  expect_refused(folder_.path(), "holds no codebook");
}

TEST_F(CodebookFiles, a_missing_file_is_named) {
  expect_refused(folder_.path() / "nothing.json", "no such codebook file or folder");
  fs::remove(npy_);
  expect_refused(json_, "words.npy with the words is missing");
  write_file(npy_, codebook_npy(codebook_));
  fs::remove(json_);
  expect_refused(npy_, "words.json is missing");
}

TEST_F(CodebookFiles, files_of_another_kind_are_refused) {
  expect_refused(yml_, "is the form for OpenCV");
  write_file(folder_.path() / "words.txt", "1 2 3");
  expect_refused(folder_.path() / "words.txt", "is not a codebook");
  for (const char* other :
       {R"({"status": "done"})", "[1, 2]", "17", R"({"format": "another"})", R"({"format": 3})"}) {
    write_file(json_, other);
    expect_refused(json_, "JSON of another kind");
  }
  write_file(json_, codebook_json(codebook_));
  write_file(npy_, "an essay on bricks");
  expect_refused(json_, "is not a NumPy .npy file");
}

TEST_F(CodebookFiles, a_newer_format_is_refused_as_such) {
  change_json("\"version\": 1", "\"version\": 2");
  expect_refused(json_, "has format version 2, but this program reads version 1; use a newer contexton");
}

TEST_F(CodebookFiles, a_cut_file_is_refused_at_every_length) {
  const std::string text = read_text_file(json_), array = read_text_file(npy_);
  for (std::size_t length = 0; length + 2 < text.size(); length += 37) {
    write_file(json_, text.substr(0, length));
    expect_refused(json_, "truncated");
  }
  write_file(json_, text);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{5}, std::size_t{60}, std::size_t{128}, array.size() - 1}) {
    write_file(npy_, array.substr(0, length));
    EXPECT_NE(refusal(json_), "") << length;
  }
  write_file(npy_, array.substr(0, array.size() - 1));
  expect_refused(json_, "is truncated");
}

TEST_F(CodebookFiles, any_changed_value_of_the_document_is_noticed) {
  const std::string text = read_text_file(json_);
  const auto expect_damage = [&](const std::string& from, const std::string& to) {
    write_file(json_, text);
    change_json(from, to);
    expect_refused(json_, "is damaged");
  };
  expect_damage("\"images\": 10", "\"images\": 11");
  expect_damage("10.5", "10.25");
  expect_damage("\"dtype\": \"uint8\"", "\"dtype\": \"float32\"");
  expect_damage("[100,99", "[100,98");
  expect_damage("\"rest\":\"", "\"rest\":\"0");
  expect_damage("\"hash\"", "\"hush\"");
  expect_damage("\"version\": 1", "\"version\": \"1\"");
  expect_damage("{", "{,");
}

TEST_F(CodebookFiles, every_changed_byte_of_the_words_is_noticed) {
  const std::string array = read_text_file(npy_);
  for (std::size_t at = 128; at < array.size(); at += 61) {
    std::string changed = array;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write_file(npy_, changed);
    expect_refused(json_, "words do not match the hash in words.json");
  }
}

TEST_F(CodebookFiles, the_array_of_another_codebook_is_noticed) {
  write_file(npy_, codebook_npy(codebook_of(random_matrix(20, 16, 2))));
  expect_refused(json_, "belongs to another codebook");
  write_file(npy_, codebook_npy(codebook_of(random_matrix(20, 8, 2))));
  expect_refused(npy_, "holds 20 x 8 float32 numbers, but words.json tells of 20 words of 16");
  write_file(npy_, npy_bytes(std::span<const double>(std::vector<double>(320)), 20, 16));
  expect_refused(npy_, "holds 20 x 16 float64 numbers");
}

TEST_F(CodebookFiles, the_same_codebook_gives_the_same_bytes) {
  EXPECT_EQ(codebook_json(codebook_), codebook_json(read_codebook(json_)));
  EXPECT_EQ(codebook_npy(codebook_), codebook_npy(read_codebook(json_)));
  const std::string packed = codebook_yml_gz(codebook_);
  EXPECT_EQ(packed, codebook_yml_gz(read_codebook(json_)));
  EXPECT_EQ(packed.substr(4, 4), std::string(4, '\0')) << "the gzip header holds a time";
}

TEST_F(CodebookFiles, opencv_reads_the_words_without_loss) {
  cv::FileStorage storage(yml_.string(), cv::FileStorage::READ);
  cv::Mat vocabulary;
  storage["vocabulary"] >> vocabulary;
  ASSERT_EQ(vocabulary.type(), CV_32F);
  ASSERT_EQ(vocabulary.rows, 20);
  ASSERT_EQ(vocabulary.cols, 16);
  EXPECT_EQ(Eigen::Map<const Matrix>(vocabulary.ptr<float>(), 20, 16), codebook_.words);
}

TEST_F(CodebookFiles, numpy_reads_the_array_and_python_the_document) {
  if (std::system(
          "python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3 with numpy is not installed";
  const fs::path script = folder_.path() / "read.py", read_back = folder_.path() / "read.npy";
  write_file(script, R"(
import json, math, sys, numpy
folder = sys.argv[1]
words = numpy.load(folder + '/words.npy')
document = json.load(open(folder + '/words.json'))
assert words.shape == (20, 16) and words.dtype == numpy.float32, (words.shape, words.dtype)
assert (document['words'], document['dims'], document['dtype']) == (20, 16, 'uint8')
assert document['format'] == 'contexton-codebook' and document['version'] == 1
assert document['seed'] == 18446744073709551615
assert document['recipe']['stages']['points']['edge'] == 10.5
assert document['counts'][0] == 100 and len(document['documents']) == 20
for documents, idf in zip(document['documents'], document['idf']):
    assert abs(idf - (math.log((1 + document['images']) / (1 + documents)) + 1)) < 1e-6
numpy.save(folder + '/read.npy', words)
)");
  const std::string python =
      std::system("python3 -c 'import numpy' 2>/dev/null") == 0 ? "python3 " : "/usr/bin/python3 ";
  ASSERT_EQ(std::system((python + script.string() + " " + folder_.path().string()).c_str()), 0);
  const NpyArray array(read_back);
  EXPECT_EQ(Eigen::Map<const Matrix>(array.values<float>().data(), 20, 16), codebook_.words);
}

TEST(OutputCodebook, writes_all_three_files_which_input_codebook_reads) {
  const Codebook codebook = codebook_of(random_matrix(5, 3, 4));
  OneStage write("output.codebook", nlohmann::ordered_json::object());
  write.run_for_files(&codebook);
  EXPECT_EQ(write.outcome.files, (std::vector<std::string>{".npy", ".json", ".yml.gz"}));
  OneStage read("input.codebook", {{"path", write.file(".json").string()}});
  expect_same(read.run<Codebook>(), codebook);
  OneStage missing("input.codebook", {{"path", "/nowhere/codebook.json"}});
  EXPECT_THROW(missing.run<Codebook>(), InputError);
}

TEST(OutputCodebook, input_codebook_says_where_and_must_be_told) {
  const StageType* type = Registry::global().find("input.codebook");
  EXPECT_TRUE(type->source);
  EXPECT_TRUE(type->find_param("path")->required);
  EXPECT_TRUE(type->find_param("path")->says_where);
}

// OpenCV's SIFT descriptors are float32 that hold whole numbers 0 .. 255, ours the same numbers as uint8: the
// nearest words, and therefore the histograms, are equal.
TEST(OutputCodebook, opencv_makes_the_same_histogram_as_encode_bow) {
  const cv::Mat learnt = blobs(320, 240, 1), other = blobs(320, 240, 2);
  const auto sift = cv::SIFT::create();
  const auto primitives_in = [&](const cv::Mat& image, std::vector<cv::KeyPoint>& keypoints) {
    cv::Mat descriptors;
    sift->detectAndCompute(image, {}, keypoints, descriptors);
    cv::Mat bytes;
    descriptors.convertTo(bytes, CV_8U);
    return image_with(std::vector<std::uint8_t>(bytes.datastart, bytes.dataend), 128);
  };
  std::vector<cv::KeyPoint> ignored, keypoints;
  const Primitives primitives = primitives_of<std::uint8_t>({primitives_in(learnt, ignored)});
  const ImagePrimitives image = primitives_in(other, keypoints);
  ASSERT_GT(keypoints.size(), 50U);

  OneStage learn("encode.codebook", {{"words", 30}});
  const auto codebook = learn.run<Codebook>(&primitives);
  OneStage write("output.codebook", nlohmann::ordered_json::object());
  write.run_for_files(&codebook);
  OneStage encode("encode.bow", {{"normalize", "l1"}});
  const auto ours = encode.run<VectorItem>(&image, &codebook).values;

  cv::Mat vocabulary, theirs;
  cv::FileStorage(write.file(".yml.gz").string(), cv::FileStorage::READ)["vocabulary"] >> vocabulary;
  cv::BOWImgDescriptorExtractor extractor(sift, cv::makePtr<cv::BFMatcher>(cv::NORM_L2));
  extractor.setVocabulary(vocabulary);
  extractor.compute(other, keypoints, theirs);
  ASSERT_EQ(theirs.cols, 30);
  for (int word = 0; word < 30; ++word)
    EXPECT_NEAR(ours[static_cast<std::size_t>(word)], theirs.at<float>(0, word), 1e-6) << word;
}

}  // namespace
}  // namespace contexton::testing
