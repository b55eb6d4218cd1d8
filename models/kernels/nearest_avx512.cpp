// The nearest-word loops for AVX-512: 12 rows x 32 words stay in 24 of the 32 registers.
#include <immintrin.h>

#include "models/kernels/nearest_loops.hpp"

namespace contexton::kernels {
namespace {

// Some operations stand under a full mask: gcc 12 warns of an uninitialised value inside its own unmasked
// forms.
struct Avx512Simd {
  using Vector = __m512;
  using Indices = __m512i;
  using Doubles = __m512d;
  static constexpr int kLanes = 16;

  static Vector load(const float* p) { return _mm512_load_ps(p); }
  static void store(float* p, Vector v) { _mm512_store_ps(p, v); }
  static Indices load_indices(const std::int32_t* p) { return _mm512_load_si512(p); }
  static void store_indices(std::int32_t* p, Indices v) { _mm512_store_si512(p, v); }
  static Vector broadcast(float x) { return _mm512_set1_ps(x); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  static Vector max(Vector a, Vector b) { return _mm512_maskz_max_ps(0xffff, a, b); }
  static Vector min(Vector a, Vector b) { return _mm512_maskz_min_ps(0xffff, a, b); }
  static Indices index_if_greater(Vector a, Vector b, std::int32_t index, Indices otherwise) {
    return _mm512_mask_set1_epi32(otherwise, _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ), index);
  }
  static unsigned not_less(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_NLT_UQ); }

  // Unaligned, and converted.
  static Vector read_floats(const float* p) { return _mm512_loadu_ps(p); }
  static Vector read_floats(const std::uint8_t* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm512_maskz_cvtepi32_ps(0xffff, _mm512_maskz_cvtepu8_epi32(0xffff, bytes));
  }
  static void write_floats(float* p, Vector v) { _mm512_storeu_ps(p, v); }
  static Doubles read_doubles(const float* p) { return _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(p)); }
  static Doubles read_doubles(const std::uint8_t* p) {
    return _mm512_maskz_cvtepi32_pd(0xff, _mm256_cvtepu8_epi32(_mm_loadu_si64(p)));
  }
};

struct Avx512Level {
  using Simd = Avx512Simd;
  static constexpr int kTileRows = 12;
  static constexpr int kPanelGroups = 2;
};

}  // namespace

constinit const NearestKernels kAvx512Nearest = NearestLoops<Avx512Level>::table();

}  // namespace contexton::kernels
