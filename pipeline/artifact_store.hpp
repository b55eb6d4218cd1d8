// How an artifact is kept on disk: a folder of .npy arrays, which may grow row by row, and one JSON document.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "pipeline/files.hpp"
#include "pipeline/hash.hpp"
#include "pipeline/npy.hpp"

namespace contexton {

// Writes one artifact. Not thread-safe. Errors (a full disk) throw RunError.
class ArtifactWriter {
 public:
  explicit ArtifactWriter(fs::path folder);
  // Continues what was there at a checkpoint: rows beyond it are cut off. Throws if what is left is not what
  // was written.
  ArtifactWriter(fs::path folder, const nlohmann::json& checkpoint);
  ~ArtifactWriter();
  ArtifactWriter(const ArtifactWriter&) = delete;
  ArtifactWriter& operator=(const ArtifactWriter&) = delete;

  // Adds rows to array `name`, which `artifact_reader.array(name)` gives back. cols < 0: one-dimensional.
  template <class T>
  void append(const std::string& name, std::int64_t cols, std::span<const T> values) {
    append_raw(name, npy_type_of<T>(), cols, values.data(), values.size_bytes());
  }
  void append_raw(const std::string& name, NpyType type, std::int64_t cols, const void* bytes,
                  std::size_t size);
  [[nodiscard]] std::int64_t rows(const std::string& name) const;  // 0 where nothing was added yet

  nlohmann::json& document() { return document_; }

  [[nodiscard]] nlohmann::json checkpoint();  // what the second constructor needs
  void finish();                              // completes headers and writes the document
  // Hash of each array's data, known without reading it back: file name, bytes to skip, hash.
  struct ArrayHash {
    std::string file;
    Key hash;
  };
  [[nodiscard]] std::vector<ArrayHash> array_hashes() const;

 private:
  class Array;
  fs::path folder_;
  std::map<std::string, std::unique_ptr<Array>> arrays_;
  nlohmann::json document_ = nlohmann::json::object();
};

class ArtifactReader {
 public:
  explicit ArtifactReader(fs::path folder);
  [[nodiscard]] NpyArray array(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] const nlohmann::json& document() const { return document_; }

 private:
  fs::path folder_;
  nlohmann::json document_;
};

}  // namespace contexton
