// How SIFT descriptors are kept: uint8 by the convention of VLFeat and OpenCV, or unit-norm float32; plain or
// RootSIFT.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "models/rows.hpp"
#include "pipeline/stage.hpp"

namespace contexton {

inline constexpr int kSiftDims = 128;  // 4 x 4 spatial bins of 8 orientations

template <>
struct EnumNames<Rows::Type> {
  static constexpr std::pair<Rows::Type, const char*> values[] = {{Rows::Type::uint8, "uint8"},
                                                                  {Rows::Type::float32, "float32"}};
};

// bytes[i] = 512 values[i], rounded to the nearest integer (ties to even) and clipped to 0 .. 255. `values`
// are those of unit-norm descriptors; both spans are equally long.
void to_descriptor_bytes(std::span<const float> values, std::span<std::uint8_t> bytes);

// Scales every row of kSiftDims values to l2 norm 1; a row of zeros stays as it is.
void make_unit_norm(std::span<float> rows);

// RootSIFT (Arandjelovic & Zisserman 2012): every row becomes the square root of its l1-normalised self,
// which has l2 norm 1. Values below zero, left by rounding in a box filter, count as zero; a row without a
// positive value becomes zero.
void make_root_sift(std::span<float> rows);

}  // namespace contexton
