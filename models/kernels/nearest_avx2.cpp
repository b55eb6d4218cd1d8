// The nearest-word loops for AVX2 with FMA: 6 rows x 16 words stay in 12 of the 16 registers.
#include <immintrin.h>

#include "models/kernels/nearest_loops.hpp"

namespace contexton::kernels {
namespace {

struct Avx2Simd {
  using Vector = __m256;
  using Indices = __m256i;
  using Doubles = __m256d;
  static constexpr int kLanes = 8;

  static Vector load(const float* p) { return _mm256_load_ps(p); }
  static void store(float* p, Vector v) { _mm256_store_ps(p, v); }
  static Indices load_indices(const std::int32_t* p) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void store_indices(std::int32_t* p, Indices v) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), v);
  }
  static Vector broadcast(float x) { return _mm256_set1_ps(x); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  static Vector max(Vector a, Vector b) { return _mm256_max_ps(a, b); }
  static Vector min(Vector a, Vector b) { return _mm256_min_ps(a, b); }
  static Indices index_if_greater(Vector a, Vector b, std::int32_t index, Indices otherwise) {
    const __m256i greater = _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_GT_OQ));
    return _mm256_blendv_epi8(otherwise, _mm256_set1_epi32(index), greater);
  }
  static unsigned not_less(Vector a, Vector b) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NLT_UQ)));
  }

  // Unaligned, and converted.
  static Vector read_floats(const float* p) { return _mm256_loadu_ps(p); }
  static Vector read_floats(const std::uint8_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadu_si64(p)));
  }
  static void write_floats(float* p, Vector v) { _mm256_storeu_ps(p, v); }
  static Doubles read_doubles(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
  static Doubles read_doubles(const std::uint8_t* p) {
    return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_loadu_si32(p)));
  }
};

struct Avx2Level {
  using Simd = Avx2Simd;
  static constexpr int kTileRows = 6;
  static constexpr int kPanelGroups = 1;
};

}  // namespace

constinit const NearestKernels kAvx2Nearest = NearestLoops<Avx2Level>::table();

}  // namespace contexton::kernels
