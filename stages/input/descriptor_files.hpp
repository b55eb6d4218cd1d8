// Local descriptors from .npy files, memory-mapped: the rows are never copied.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/hash.hpp"
#include "stages/types/primitives.hpp"

namespace contexton {

struct DescriptorFiles {
  std::string path;       // N x d, uint8 or float32
  std::string positions;  // N x 2..4: x, y, scale, angle; any number type; empty = none
  std::string offsets;    // image i has the rows offsets[i] .. offsets[i+1]-1; empty = one image
};

// Called now and then from several threads; may throw to stop the work.
using StopPoint = std::function<void()>;

// Maps the files and checks them: shapes, order of the offsets, numbers that are not finite. Throws
// InputError that names the file and the row. The table has names and content keys, and no labels. Where
// positions are given, an image is as large as they reach; otherwise all are at (0, 0) and sizes are 0.
Primitives open_descriptors(const DescriptorFiles& files, const StopPoint& stop_point);

// What is wrong with the files, from their headers alone.
struct DescriptorFilesProblem {
  std::string param, text;
};
std::vector<DescriptorFilesProblem> descriptor_files_problems(const DescriptorFiles& files);

}  // namespace contexton
