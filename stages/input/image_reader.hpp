// Reads listed images: first a look at each file, its mask and its truth, later the pixels when asked for.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/hash.hpp"
#include "stages/input/decode.hpp"
#include "stages/input/image_listing.hpp"
#include "stages/types/image.hpp"

namespace contexton {

// A built-in image: drawn when its pixels are first asked for, then kept, because drawing takes longer than
// keeping.
struct DrawnImage {
  std::once_flag once;
  Image image;
};

// A listed image after the look at its files.
struct InspectedImage {
  ListedImage listed;                         // mask and truth are empty where they cannot be used
  std::string problem;                        // why the image cannot be used; empty = it can
  std::vector<std::string> pairing_problems;  // of its mask and truth, each naming the file
  std::vector<std::string> notes;             // what the header says that a user should know
  int width = 0, height = 0;                  // as decoded, upright and after max_side
  Key key;                                    // content of all its files and how they are decoded
  Key file_key, mask_key, truth_key;          // content of each file
  std::shared_ptr<DrawnImage> drawn;          // a built-in image
};

// Reads, hashes and probes the image, and decodes its mask and truth. Nothing of the files is kept in memory.
// Never throws for a bad file. Thread-safe.
InspectedImage inspect_image(const ListedImage& image, const DecodeOptions& options);

// The pixels, with mask and truth in the same size. Thread-safe. Throws BadImage, also when a file is not the
// one that was inspected.
Image read_image(const InspectedImage& image, const DecodeOptions& options);

// Width and height of the image as decoded, from its header; only the needed parts of the file are read.
// Throws BadImage or InputError.
std::pair<int, int> decoded_size(const ListedImage& image, const DecodeOptions& options);

}  // namespace contexton
