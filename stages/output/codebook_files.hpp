// Codebooks as files for whoever uses them next: an array, a JSON document that explains it, and OpenCV's
// form.
//
//   NAME.npy      words x dims, float32, C order
//   NAME.json     what the words are for and how their descriptors are made; see `codebook_json`
//   NAME.yml.gz   cv::FileStorage with the node `vocabulary`, for cv::BOWImgDescriptorExtractor
//
// The JSON document and the array belong together: the document holds a hash of the array and one of itself,
// so that a damaged, cut or mixed-up pair is noticed.
#pragma once

#include <filesystem>
#include <string>

#include "stages/types/codebook.hpp"

namespace contexton {

inline constexpr const char* kCodebookFormat = "contexton-codebook";
inline constexpr int kCodebookVersion = 1;

// Whole files, ready to be written; the same bytes for the same codebook.
[[nodiscard]] std::string codebook_npy(const Codebook& codebook);
// Keys: format, version, words, dims, dtype (of the descriptors), images, descriptors, learnt_from,
// objective, seed, recipe, counts, documents, idf, hash {algorithm, words, rest}.
[[nodiscard]] std::string codebook_json(const Codebook& codebook);
[[nodiscard]] std::string codebook_yml_gz(const Codebook& codebook);

// Reads a codebook back from its .json, from the .npy beside it, or from a folder that holds one codebook.
// Throws InputError that says what is wrong: no such file, the other file missing, damaged, cut, not a
// codebook, or of a format version this program does not know.
[[nodiscard]] Codebook read_codebook(const std::filesystem::path& path);

}  // namespace contexton
