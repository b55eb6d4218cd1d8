// Descriptor files: mapped, checked in parallel, and given one content key per image.
#include "stages/input/descriptor_files.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "pipeline/errors.hpp"
#include "pipeline/npy.hpp"

namespace contexton {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;  // fixed, so that keys do not depend on threads

bool in_place_floats(const NpyArray& array) {
  return array.type() == NpyType::f4 && reinterpret_cast<std::uintptr_t>(array.data()) % alignof(float) == 0;
}

// ---- headers

NpyArray open_rows(const std::string& path) {
  NpyArray rows{fs::path(path)};
  if (rows.one_dimensional())
    throw InputError(path, "has one dimension; two are needed, a row per descriptor");
  if (rows.type() != NpyType::u1 && rows.type() != NpyType::f4)
    throw InputError(path, fmt::format("holds {}; descriptors are uint8 or float32 (numpy: "
                                       "array.astype('float32'))",
                                       npy_name(rows.type())));
  if (rows.rows() == 0 || rows.cols() == 0)
    throw InputError(path, fmt::format("is empty: {} x {}", rows.rows(), rows.cols()));
  if (rows.cols() > std::numeric_limits<int>::max()) throw InputError(path, "has too many columns");
  if (rows.type() == NpyType::f4 && !in_place_floats(rows))
    throw InputError(path,
                     "does not begin its numbers at a multiple of 4 bytes; save it again with numpy.save");
  return rows;
}

NpyArray open_positions(const std::string& path, std::int64_t count) {
  NpyArray positions{fs::path(path)};
  if (positions.cols() < 2 || positions.cols() > 4)
    throw InputError(path, fmt::format("has {} columns; positions are x, y and optionally scale and angle",
                                       positions.cols()));
  if (positions.rows() != count)
    throw InputError(path, fmt::format("has {} rows for {} descriptors", positions.rows(), count));
  return positions;
}

std::vector<std::int64_t> read_offsets(const std::string& path, std::int64_t count) {
  const NpyArray array{fs::path(path)};
  const auto bad = [&](const std::string& reason) { throw InputError(path, reason); };
  if (array.cols() != 1) bad(fmt::format("has {} columns; offsets need one", array.cols()));
  if (array.type() == NpyType::f4 || array.type() == NpyType::f8)
    bad(fmt::format("holds {}; offsets are integers", npy_name(array.type())));
  if (array.rows() < 2)
    bad("needs at least two offsets: where the first image's rows begin and where they end");
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(array.rows()));
  for (std::int64_t i = 0; i < array.rows(); ++i) {
    const double offset = array.number(i, 0);
    if (offset < 0 || offset > static_cast<double>(count))
      bad(fmt::format("offset {} (element {}) is not a row between 0 and {}", offset, i, count));
    offsets.push_back(static_cast<std::int64_t>(offset));
    if (i > 0 && offsets[static_cast<std::size_t>(i)] < offsets[static_cast<std::size_t>(i - 1)])
      bad(fmt::format("goes down from {} to {} at element {}", offsets[static_cast<std::size_t>(i - 1)],
                      offsets[static_cast<std::size_t>(i)], i));
  }
  if (offsets.front() != 0) bad(fmt::format("begins with {}; the first offset is 0", offsets.front()));
  if (offsets.back() != count)
    bad(fmt::format("ends with {}; the last offset is the number of descriptors, {}", offsets.back(), count));
  return offsets;
}

// ---- contents

// The first number that is not finite, or nothing. Each block answers for itself; the first answer counts.
std::optional<std::int64_t> first_not_finite(std::span<const float> values, const StopPoint& stop_point) {
  constexpr std::size_t kBlock = 1 << 20;
  const std::size_t blocks = (values.size() + kBlock - 1) / kBlock;
  std::vector<std::int64_t> found(blocks, -1);
  tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t block) {
    stop_point();
    const auto part = values.subspan(block * kBlock, std::min(kBlock, values.size() - block * kBlock));
    // All ones in the exponent: NaN or infinite. An OR over integers, because it runs at the speed of memory.
    constexpr std::uint32_t kExponent = 0x7f800000;
    bool any = false;
    for (const float value : part) any |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent;
    if (!any) return;
    const auto bad =
        std::find_if_not(part.begin(), part.end(), [](float value) { return std::isfinite(value); });
    found[block] = static_cast<std::int64_t>(block * kBlock) + (bad - part.begin());
  });
  for (const std::int64_t at : found)
    if (at >= 0) return at;
  return std::nullopt;
}

void require_finite(const NpyArray& array, const std::string& path, const StopPoint& stop_point) {
  if (const auto at = first_not_finite(array.values<float>(), stop_point))
    throw InputError(path,
                     fmt::format("element [{}, {}] is {}, not a finite number", *at / array.cols(),
                                 *at % array.cols(), array.number(*at / array.cols(), *at % array.cols())));
}

// x, y[, scale[, angle]] of each row; what is not given keeps its default.
std::vector<Keypoint> read_keypoints(const NpyArray& positions, const std::string& path,
                                     const StopPoint& stop_point) {
  std::vector<Keypoint> keypoints(static_cast<std::size_t>(positions.rows()));
  std::vector<std::int64_t> bad_row(static_cast<std::size_t>(positions.rows() / kRowsPerBlock + 1), -1);
  tbb::parallel_for(
      tbb::blocked_range<std::int64_t>(0, static_cast<std::int64_t>(bad_row.size()), 1),
      [&](const auto& range) {
        for (std::int64_t block = range.begin(); block < range.end(); ++block) {
          stop_point();
          const std::int64_t end = std::min((block + 1) * kRowsPerBlock, positions.rows());
          for (std::int64_t r = end - 1; r >= block * kRowsPerBlock; --r) {
            float numbers[4] = {0, 0, 1, 0};
            for (std::int64_t c = 0; c < positions.cols(); ++c)
              numbers[c] = static_cast<float>(positions.number(r, c));
            const bool usable =
                std::all_of(numbers, numbers + 4, [](float n) { return std::isfinite(n); }) && numbers[2] > 0;
            if (!usable) bad_row[static_cast<std::size_t>(block)] = r;
            keypoints[static_cast<std::size_t>(r)] = {numbers[0], numbers[1], numbers[2], numbers[3]};
          }
        }
      });
  for (const std::int64_t row : bad_row)
    if (row >= 0)
      throw InputError(path,
                       fmt::format("row {}: x, y, scale and angle must be finite, and scale positive", row));
  return keypoints;
}

// Smallest image that holds all points.
std::pair<int, int> extent(std::span<const Keypoint> keypoints) {
  float x = -1, y = -1;
  for (const Keypoint& keypoint : keypoints) {
    x = std::max(x, keypoint.x);
    y = std::max(y, keypoint.y);
  }
  const auto reach = [](float most) {
    constexpr float kLargest = 1 << 24;
    return static_cast<int>(std::clamp(std::floor(most), -1.0F, kLargest)) + 1;
  };
  return {reach(x), reach(y)};
}

// One key per image over its rows and positions. Long images are hashed in blocks, at the same time.
std::vector<Key> image_keys(const Primitives& primitives, const StopPoint& stop_point) {
  struct Block {
    std::int64_t first, last;
  };
  std::vector<Block> blocks;
  std::vector<std::size_t> first_block{0};
  for (std::size_t i = 0; i + 1 < primitives.offsets.size(); ++i) {
    for (std::int64_t row = primitives.offsets[i]; row < primitives.offsets[i + 1]; row += kRowsPerBlock)
      blocks.push_back({row, std::min(row + kRowsPerBlock, primitives.offsets[i + 1])});
    first_block.push_back(blocks.size());
  }
  std::vector<Key> block_keys(blocks.size());
  tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t b) {
    stop_point();
    const auto [first, last] = blocks[b];
    const Rows rows = primitives.descriptors.slice(first, last);
    const auto points =
        primitives.keypoints.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    block_keys[b] = KeyBuilder()
                        .add_raw(rows.data, static_cast<std::size_t>(rows.count) * rows.row_bytes())
                        .add_raw(points.data(), points.size_bytes())
                        .key();
  });
  std::vector<Key> keys;
  for (std::size_t i = 0; i + 1 < first_block.size(); ++i) {
    KeyBuilder builder;
    builder.add("descriptors").add(static_cast<std::uint64_t>(primitives.descriptors.dims));
    builder.add(static_cast<std::uint64_t>(primitives.descriptors.type));
    builder.add(static_cast<std::uint64_t>(primitives.offsets[i + 1] - primitives.offsets[i]));
    for (std::size_t b = first_block[i]; b < first_block[i + 1]; ++b) builder.add(block_keys[b]);
    keys.push_back(builder.key());
  }
  return keys;
}

ItemTable table_of(std::vector<Key> keys) {
  ItemTable table;
  const std::size_t digits = std::max<std::size_t>(4, std::to_string(keys.size() - 1).size());
  for (std::size_t i = 0; i < keys.size(); ++i) table.names.push_back(fmt::format("image_{:0{}}", i, digits));
  table.labels.assign(keys.size(), kNoLabel);
  table.keys = std::move(keys);
  return table;
}

struct Mapped {
  NpyArray descriptors;
  std::vector<Keypoint> keypoints;
};

}  // namespace

Primitives open_descriptors(const DescriptorFiles& files, const StopPoint& stop_point) {
  const auto mapped = std::make_shared<Mapped>(Mapped{open_rows(files.path), {}});
  const NpyArray& rows = mapped->descriptors;
  Primitives primitives;
  primitives.offsets = files.offsets.empty() ? std::vector<std::int64_t>{0, rows.rows()}
                                             : read_offsets(files.offsets, rows.rows());
  const int dims = static_cast<int>(rows.cols());
  if (rows.type() == NpyType::f4) {
    require_finite(rows, files.path, stop_point);
    primitives.descriptors = Rows(rows.values<float>(), dims);
  } else {
    primitives.descriptors = Rows(rows.values<std::uint8_t>(), dims);
  }
  if (files.positions.empty())
    mapped->keypoints.resize(static_cast<std::size_t>(rows.rows()));
  else
    mapped->keypoints =
        read_keypoints(open_positions(files.positions, rows.rows()), files.positions, stop_point);
  primitives.keypoints = mapped->keypoints;
  primitives.owner = mapped;
  primitives.mapped = {std::shared_ptr<const NpyArray>(mapped, &rows)};
  for (std::size_t i = 0; i + 1 < primitives.offsets.size(); ++i) {
    const auto first = static_cast<std::size_t>(primitives.offsets[i]);
    const auto size = static_cast<std::size_t>(primitives.offsets[i + 1]) - first;
    primitives.sizes.push_back(files.positions.empty() ? std::pair(0, 0)
                                                       : extent(primitives.keypoints.subspan(first, size)));
  }
  primitives.table = std::make_shared<const ItemTable>(table_of(image_keys(primitives, stop_point)));
  return primitives;
}

std::vector<DescriptorFilesProblem> descriptor_files_problems(const DescriptorFiles& files) {
  std::vector<DescriptorFilesProblem> problems;
  std::int64_t count = -1;
  const auto attempt = [&](const std::string& param, const auto& open) {
    try {
      open();
    } catch (const InputError& error) {
      problems.push_back({param, error.what()});
    }
  };
  attempt("path", [&] { count = open_rows(files.path).rows(); });
  if (count < 0) return problems;  // the others are measured against it
  if (!files.positions.empty()) attempt("positions", [&] { open_positions(files.positions, count); });
  if (!files.offsets.empty()) attempt("offsets", [&] { read_offsets(files.offsets, count); });
  return problems;
}

}  // namespace contexton
