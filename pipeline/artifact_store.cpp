// Growing arrays on disk. Every array keeps a running hash, so that a checkpoint can be verified when work
// goes on.
#include "pipeline/artifact_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "pipeline/errors.hpp"

namespace contexton {
namespace {

[[noreturn]] void cannot_write(const fs::path& path) {
  throw RunError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

}  // namespace

class ArtifactWriter::Array {
 public:
  Array(fs::path path, NpyType type, std::int64_t cols) : path_(std::move(path)), type_(type), cols_(cols) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) cannot_write(path_);
    write_header();
  }

  Array(fs::path path, NpyType type, std::int64_t cols, std::size_t size, const Key& expected)
      : path_(std::move(path)), type_(type), cols_(cols), size_(size) {
    if (fs::file_size(path_) < kNpyHeaderSize + size)
      throw RunError(path_.string() + " is shorter than its checkpoint");
    {
      const MappedFile file(path_);
      hash_.add_raw(file.bytes().data() + kNpyHeaderSize, size);
    }
    if (hash_.key() != expected) throw RunError(path_.string() + " is not what its checkpoint says");
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor_ < 0 || ::ftruncate(descriptor_, static_cast<off_t>(kNpyHeaderSize + size)) != 0)
      cannot_write(path_);
  }

  ~Array() { ::close(descriptor_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  void append(const void* bytes, std::size_t size) {
    hash_.add_raw(bytes, size);
    const char* cursor = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t written = ::pwrite(descriptor_, cursor, size, static_cast<off_t>(kNpyHeaderSize + size_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) cannot_write(path_);
      cursor += written;
      size -= static_cast<std::size_t>(written);
      size_ += static_cast<std::size_t>(written);
    }
  }

  void write_header() {
    const std::string header = npy_header(type_, rows(), cols_);
    if (::pwrite(descriptor_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
      cannot_write(path_);
  }

  [[nodiscard]] std::int64_t rows() const {
    const std::size_t row = npy_item_size(type_) * static_cast<std::size_t>(cols_ < 0 ? 1 : cols_);
    return row == 0 ? 0 : static_cast<std::int64_t>(size_ / row);
  }
  [[nodiscard]] bool is(NpyType type, std::int64_t cols) const { return type == type_ && cols == cols_; }
  [[nodiscard]] Key hash() const { return hash_.key(); }
  [[nodiscard]] nlohmann::json checkpoint() const {
    return {{"type", static_cast<int>(type_)}, {"cols", cols_}, {"bytes", size_}, {"hash", hash().hex()}};
  }

 private:
  fs::path path_;
  NpyType type_;
  std::int64_t cols_;
  std::size_t size_ = 0;
  KeyBuilder hash_;
  int descriptor_ = -1;
};

ArtifactWriter::ArtifactWriter(fs::path folder) : folder_(std::move(folder)) {
  make_folders(folder_);
}

ArtifactWriter::ArtifactWriter(fs::path folder, const nlohmann::json& checkpoint)
    : folder_(std::move(folder)), document_(checkpoint.at("document")) {
  for (const auto& [name, array] : checkpoint.at("arrays").items())
    arrays_[name] =
        std::make_unique<Array>(folder_ / (name + ".npy"), static_cast<NpyType>(array.at("type").get<int>()),
                                array.at("cols").get<std::int64_t>(), array.at("bytes").get<std::size_t>(),
                                Key::from_hex(array.at("hash").get<std::string>()));
}

ArtifactWriter::~ArtifactWriter() = default;

void ArtifactWriter::append_raw(const std::string& name, NpyType type, std::int64_t cols, const void* bytes,
                                std::size_t size) {
  auto& array = arrays_[name];
  if (!array) array = std::make_unique<Array>(folder_ / (name + ".npy"), type, cols);
  if (!array->is(type, cols))
    throw std::logic_error("array " + name + " changes its type or width while it is written");
  array->append(bytes, size);
}

std::int64_t ArtifactWriter::rows(const std::string& name) const {
  const auto found = arrays_.find(name);
  return found == arrays_.end() ? 0 : found->second->rows();
}

nlohmann::json ArtifactWriter::checkpoint() {
  nlohmann::json arrays = nlohmann::json::object();
  for (const auto& [name, array] : arrays_) arrays[name] = array->checkpoint();
  return {{"arrays", arrays}, {"document", document_}};
}

void ArtifactWriter::finish() {
  for (const auto& [name, array] : arrays_) array->write_header();
  write_file(folder_ / "artifact.json", document_.dump());
}

std::vector<ArtifactWriter::ArrayHash> ArtifactWriter::array_hashes() const {
  std::vector<ArrayHash> hashes;
  for (const auto& [name, array] : arrays_) hashes.push_back({name + ".npy", array->hash()});
  return hashes;
}

ArtifactReader::ArtifactReader(fs::path folder)
    : folder_(std::move(folder)),
      document_(nlohmann::json::parse(read_text_file(folder_ / "artifact.json"))) {}

NpyArray ArtifactReader::array(const std::string& name) const {
  return NpyArray(folder_ / (name + ".npy"));
}

bool ArtifactReader::has(const std::string& name) const {
  return fs::exists(folder_ / (name + ".npy"));
}

}  // namespace contexton
