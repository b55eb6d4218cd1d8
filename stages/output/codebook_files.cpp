// The files of a codebook: their form, and the checks when they are read.
#include "stages/output/codebook_files.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <opencv2/core/persistence.hpp>

#include "pipeline/errors.hpp"
#include "pipeline/npy.hpp"

namespace contexton {
namespace {

using nlohmann::ordered_json;

std::span<const float> word_values(const Codebook& codebook) {
  return {codebook.words.data(), static_cast<std::size_t>(codebook.words.size())};
}

std::string hash_of(std::span<const float> values) {
  return hash_bytes(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()))
      .hex();
}

// Of everything but the hash itself, with keys sorted and no spaces: a document may be reformatted, not
// changed.
std::string hash_of_rest(const ordered_json& document) {
  auto sorted = nlohmann::json::parse(document.dump());
  sorted.erase("hash");
  return hash_bytes(sorted.dump()).hex();
}

// The double that is written with as few digits as the float needs.
double in_few_digits(float value) {
  const std::string text = fmt::format("{}", value);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

const char* dtype_name(Rows::Type type) {
  return type == Rows::Type::uint8 ? "uint8" : "float32";
}

// One line per key, so that long lists stay out of the way of whoever reads the file.
std::string laid_out(const ordered_json& document) {
  std::string text;
  for (const auto& [key, value] : document.items())
    text += fmt::format("{}\n {}: {}", text.empty() ? "{" : ",", ordered_json(key).dump(), value.dump());
  return text + "\n}\n";
}

// In one gzip member without name or time, so that the bytes depend on the contents only.
std::string gzipped(const std::string& text) {
  constexpr int kGzipWindow = 15 + 16;  // the largest window; 16 asks for the gzip header
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib could not be started");
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib could not pack the codebook");
  return packed;
}

// ---- Finding the two files ----

struct CodebookPaths {
  fs::path document, array;
};

bool says_codebook(const fs::path& path) {
  std::string beginning(256, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return beginning.find(kCodebookFormat) != std::string::npos;
}

fs::path document_in_folder(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (entry->path().extension() == ".json" && entry->is_regular_file() && says_codebook(entry->path()))
      found.push_back(entry->path().filename().string());
  if (failure) throw InputError(folder.string(), "cannot be read: " + failure.message());
  if (found.empty()) throw InputError(folder.string(), "this folder holds no codebook (.json and .npy)");
  std::ranges::sort(found);
  if (found.size() > 1)
    throw InputError(folder.string(),
                     fmt::format("this folder holds {} codebooks; name one of them, such as {}", found.size(),
                                 found.front()));
  return folder / found.front();
}

CodebookPaths find_codebook(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) throw InputError(path.string(), "there is no such codebook file or folder");
  const fs::path given = fs::is_directory(status) ? document_in_folder(path) : path;
  const std::string extension = given.extension().string();
  if (extension != ".json" && extension != ".npy") {
    const bool for_opencv = given.filename().string().ends_with(".yml.gz");
    throw InputError(path.string(),
                     for_opencv
                         ? "is the form for OpenCV, which does not say how descriptors are made; name the "
                           ".json file beside it"
                         : "is not a codebook: a .json file, the .npy beside it, or their folder is needed");
  }
  CodebookPaths paths{given, given};
  paths.document.replace_extension(".json");
  paths.array.replace_extension(".npy");
  if (!fs::exists(paths.document))
    throw InputError(path.string(),
                     fmt::format("{} is missing beside it, without which these numbers cannot be "
                                 "used as a codebook",
                                 paths.document.filename().string()));
  if (!fs::exists(paths.array))
    throw InputError(path.string(),
                     fmt::format("{} with the words is missing beside it; both files are needed",
                                 paths.array.filename().string()));
  return paths;
}

// ---- Reading and checking ----

ordered_json parse_document(const fs::path& path) {
  const std::string text = read_text_file(path);
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::parse_error& error) {
    if (error.byte >= text.size()) throw InputError(path.string(), "is truncated: its JSON ends too early");
    throw InputError(path.string(), fmt::format("is damaged: it is not JSON at byte {}", error.byte));
  }
}

void check_document(const ordered_json& document, const fs::path& path) {
  const auto is = [&](const char* key, auto check) {
    return document.is_object() && document.contains(key) && check(document[key]);
  };
  if (!is("format", [](const ordered_json& format) { return format == kCodebookFormat; }))
    throw InputError(path.string(), fmt::format("is not a codebook but JSON of another kind (it lacks "
                                                "\"format\": \"{}\")",
                                                kCodebookFormat));
  if (!is("version", [](const ordered_json& version) { return version.is_number_integer(); }))
    throw InputError(path.string(), "is damaged: it does not say its format version");
  if (const auto version = document["version"].get<std::int64_t>(); version != kCodebookVersion)
    throw InputError(
        path.string(),
        fmt::format("has format version {}, but this program reads version {}; {}", version, kCodebookVersion,
                    version > kCodebookVersion ? "use a newer contexton" : "learn it again"));
  if (!is("hash", [](const ordered_json& hash) { return hash.is_object(); }) ||
      document["hash"].value("rest", "") != hash_of_rest(document))
    throw InputError(path.string(), "is damaged: its contents do not match the hash they were written with");
}

Codebook codebook_from(const ordered_json& document) {
  Codebook codebook;
  const auto dtype = document.at("dtype").get<std::string>();
  if (dtype != "uint8" && dtype != "float32") throw std::invalid_argument("unknown dtype " + dtype);
  codebook.descriptor_type = dtype == "uint8" ? Rows::Type::uint8 : Rows::Type::float32;
  document.at("counts").get_to(codebook.counts);
  document.at("documents").get_to(codebook.documents);
  document.at("images").get_to(codebook.images);
  document.at("descriptors").get_to(codebook.descriptors);
  document.at("learnt_from").get_to(codebook.learnt_from);
  document.at("objective").get_to(codebook.objective);
  document.at("seed").get_to(codebook.seed);
  codebook.recipe = document.at("recipe");
  const auto words = document.at("words").get<std::size_t>();
  if (codebook.counts.size() != words || codebook.documents.size() != words)
    throw std::invalid_argument("as many counts as words are needed");
  return codebook;
}

void read_words(Codebook& codebook, const ordered_json& document, const CodebookPaths& paths) {
  const NpyArray array(paths.array);
  const auto words = document.at("words").get<std::int64_t>(), dims = document.at("dims").get<std::int64_t>();
  const std::string other = paths.document.filename().string();
  if (array.type() != NpyType::f4 || array.one_dimensional() || array.rows() != words || array.cols() != dims)
    throw InputError(
        paths.array.string(),
        fmt::format("holds {} x {} {} numbers, but {} tells of {} words of {} float32 numbers: it is "
                    "not the array of this codebook",
                    array.rows(), array.cols(), npy_name(array.type()), other, words, dims));
  const std::span<const float> values = array.values<float>();
  if (document.at("hash").value("words", "") != hash_of(values))
    throw InputError(
        paths.array.string(),
        fmt::format("is damaged, or belongs to another codebook: the words do not match the hash in {}",
                    other));
  codebook.words = Eigen::Map<const Matrix>(values.data(), words, dims);
}

}  // namespace

std::string codebook_npy(const Codebook& codebook) {
  return npy_bytes(word_values(codebook), codebook.words.rows(), codebook.words.cols());
}

std::string codebook_json(const Codebook& codebook) {
  std::vector<double> idf;
  for (const float weight : codebook.idf()) idf.push_back(in_few_digits(weight));
  ordered_json document = {{"format", kCodebookFormat},
                           {"version", kCodebookVersion},
                           {"words", codebook.words.rows()},
                           {"dims", codebook.words.cols()},
                           {"dtype", dtype_name(codebook.descriptor_type)},
                           {"images", codebook.images},
                           {"descriptors", codebook.descriptors},
                           {"learnt_from", codebook.learnt_from},
                           {"objective", codebook.objective},
                           {"seed", codebook.seed},
                           {"recipe", codebook.recipe},
                           {"counts", codebook.counts},
                           {"documents", codebook.documents},
                           {"idf", std::move(idf)}};
  document["hash"] = {
      {"algorithm", "xxh3-128"}, {"words", hash_of(word_values(codebook))}, {"rest", hash_of_rest(document)}};
  return laid_out(document);
}

std::string codebook_yml_gz(const Codebook& codebook) {
  // cv::Mat has no view of constant memory; FileStorage only reads it.
  const cv::Mat words(static_cast<int>(codebook.words.rows()), static_cast<int>(codebook.words.cols()),
                      CV_32F, const_cast<float*>(codebook.words.data()));
  cv::FileStorage storage(".yml", cv::FileStorage::WRITE | cv::FileStorage::MEMORY);
  storage << "vocabulary" << words;
  return gzipped(storage.releaseAndGetString());
}

Codebook read_codebook(const std::filesystem::path& path) {
  const CodebookPaths paths = find_codebook(path);
  const ordered_json document = parse_document(paths.document);
  try {
    check_document(document, paths.document);
    Codebook codebook = codebook_from(document);
    read_words(codebook, document, paths);
    return codebook;
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(paths.document.string(), fmt::format("is damaged: {}", error.what()));
  }
}

}  // namespace contexton
