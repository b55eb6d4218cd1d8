// The nearest-word loops in plain C++ for any CPU: four floats at a time, as the compiler's vector type.
#include "models/kernels/nearest_loops.hpp"

namespace contexton::kernels {
namespace {

struct PlainSimd {
  using Vector = float __attribute__((vector_size(16), may_alias));
  using Indices = std::int32_t __attribute__((vector_size(16), may_alias));
  using Doubles = double __attribute__((vector_size(16)));
  static constexpr int kLanes = 4;

  static Vector load(const float* p) { return *reinterpret_cast<const Vector*>(p); }
  static void store(float* p, Vector v) { *reinterpret_cast<Vector*>(p) = v; }
  static Indices load_indices(const std::int32_t* p) { return *reinterpret_cast<const Indices*>(p); }
  static void store_indices(std::int32_t* p, Indices v) { *reinterpret_cast<Indices*>(p) = v; }
  static Vector broadcast(float x) { return Vector{x, x, x, x}; }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }
  static Vector max(Vector a, Vector b) { return a > b ? a : b; }
  static Vector min(Vector a, Vector b) { return a < b ? a : b; }
  static Indices index_if_greater(Vector a, Vector b, std::int32_t index, Indices otherwise) {
    return a > b ? Indices{index, index, index, index} : otherwise;
  }
  static unsigned not_less(Vector a, Vector b) {
    const Indices less_vector = a < b;
    std::int32_t less[kLanes];
    __builtin_memcpy(less, &less_vector, sizeof(less));
    unsigned lanes = 0;
    for (int l = 0; l < kLanes; ++l) lanes |= (less[l] == 0 ? 1U : 0U) << l;
    return lanes;
  }

  // Unaligned, and converted.
  template <class T>
  static Vector read_floats(const T* p) {
    return Vector{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]),
                  static_cast<float>(p[3])};
  }
  static void write_floats(float* p, Vector v) { __builtin_memcpy(p, &v, sizeof(v)); }
  template <class T>
  static Doubles read_doubles(const T* p) {
    return Doubles{static_cast<double>(p[0]), static_cast<double>(p[1])};
  }
};

struct PlainLevel {
  using Simd = PlainSimd;
  static constexpr int kTileRows = 2;
  static constexpr int kPanelGroups = 1;
};

}  // namespace

constinit const NearestKernels kScalarNearest = NearestLoops<PlainLevel>::table();

}  // namespace contexton::kernels
