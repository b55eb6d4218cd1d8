// Which images belong to a set: finds the files, names and labels them, and pairs them with masks and truth.
//
// Everything here looks at names only; whether a file is a good image is found out by who reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "stages/input/path_pattern.hpp"

namespace contexton {

struct ListedImage {
  std::filesystem::path path;   // empty for a built-in image
  std::size_t builtin = 0;      // which built-in image, where path is empty
  std::string name;             // unique, UTF-8: the path below the set's folder, with "/"
  std::string label;            // class; empty = none
  std::filesystem::path mask;   // empty = none wanted; else where it should be
  std::filesystem::path truth;  // the same for the label map
};

struct ListingRemark {
  std::string item, text;
};

struct ImageListing {
  std::vector<ListedImage> images;     // sorted by name, byte by byte
  std::vector<ListingRemark> skipped;  // folders and files that could not be listed
  std::vector<ListingRemark> notes;
  std::size_t ignored_files = 0;  // hidden, or not named like images
};

// What a user can write for a set of images.
enum class ImagePathKind { missing, folder, glob, image_file, text_list, csv_list, builtin };
ImagePathKind kind_of_image_path(const std::string& path);

// What is wrong with a path of images, or with a `labels` parameter, as far as can be told without walking
// through folders; empty if nothing is.
std::string image_path_problem(const std::string& path);
std::string labels_problem(const std::string& labels);

// All images of a folder (recursive), a glob, a list of paths, or a built-in set, with the labels that a
// .csv list gives. Names are relative to the folder, to the part of a glob without wildcards, or to a list's
// folder (to the deepest folder that holds all images, where some lie outside of the list's). Throws
// InputError.
ImageListing list_images(const std::string& path);

// `labels` "": the first folder level of each name, except where a .csv list gave labels; "none"; or a .csv
// file with the columns path,label, whose paths are names of the set or lead to its images from the file's
// folder. Throws InputError.
void label_images(ImageListing& listing, const std::string& path, const std::string& labels);

// Fills in where masks and truth should be, and takes those files out of the set's images. Built-in images
// are left as they are. Throws InputError when a pattern leads from an image to itself.
void pair_images(ImageListing& listing, const SidecarPattern& mask, const SidecarPattern& truth);

// Keeps `sample` random images of each class (those without a class count as one), then the first `limit`; 0
// keeps all. Which images a class loses depends only on the seed and the names in it.
void choose_images(ImageListing& listing, std::int64_t sample, std::int64_t limit, std::uint64_t seed);

}  // namespace contexton
