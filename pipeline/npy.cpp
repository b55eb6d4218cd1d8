// The .npy format, version 1.0 and 2.0 read, 1.0 written.
#include "pipeline/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

#include "pipeline/errors.hpp"

namespace contexton {
namespace {

struct TypeName {
  NpyType type;
  const char* code;
  std::size_t size;
  const char* name;
};
constexpr std::array<TypeName, 10> kTypes{{{NpyType::u1, "|u1", 1, "uint8"},
                                           {NpyType::i1, "|i1", 1, "int8"},
                                           {NpyType::u2, "<u2", 2, "uint16"},
                                           {NpyType::i2, "<i2", 2, "int16"},
                                           {NpyType::u4, "<u4", 4, "uint32"},
                                           {NpyType::i4, "<i4", 4, "int32"},
                                           {NpyType::u8, "<u8", 8, "uint64"},
                                           {NpyType::i8, "<i8", 8, "int64"},
                                           {NpyType::f4, "<f4", 4, "float32"},
                                           {NpyType::f8, "<f8", 8, "float64"}}};

const TypeName& entry_of(NpyType type) {
  for (const TypeName& entry : kTypes)
    if (entry.type == type) return entry;
  throw std::logic_error("unknown npy type");
}

// The text between quotes after 'key': in the header's dictionary.
std::string quoted_after(const std::string& header, const std::string& key) {
  const auto at = header.find("'" + key + "'");
  const auto open = at == std::string::npos ? at : header.find('\'', header.find(':', at));
  const auto close = open == std::string::npos ? open : header.find('\'', open + 1);
  return close == std::string::npos ? "" : header.substr(open + 1, close - open - 1);
}

std::vector<std::int64_t> shape_in(const std::string& header) {
  const auto at = header.find("'shape'");
  const auto open = at == std::string::npos ? at : header.find('(', at);
  const auto close = open == std::string::npos ? open : header.find(')', open);
  std::vector<std::int64_t> shape;
  if (close == std::string::npos) return {-1};
  const char* cursor = header.data() + open + 1;
  const char* end = header.data() + close;
  while (cursor < end) {
    if (*cursor == ' ' || *cursor == ',') {
      ++cursor;
      continue;
    }
    std::int64_t extent = -1;
    const auto result = std::from_chars(cursor, end, extent);
    if (result.ec != std::errc() || extent < 0) return {-1};
    shape.push_back(extent);
    cursor = result.ptr;
  }
  return shape;
}

}  // namespace

std::size_t npy_item_size(NpyType type) {
  return entry_of(type).size;
}
std::string npy_name(NpyType type) {
  return entry_of(type).name;
}

std::string npy_header(NpyType type, std::int64_t rows, std::int64_t cols) {
  const std::string shape = cols < 0 ? fmt::format("({},)", rows) : fmt::format("({}, {})", rows, cols);
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", entry_of(type).code, shape);
  text.resize(kNpyHeaderSize - 10 - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

NpyArray::NpyArray(const fs::path& path) : file_(std::make_shared<MappedFile>(path)), path_(path.string()) {
  const auto bytes = file_->bytes();
  const auto bad = [&](const std::string& reason) { throw InputError(path_, reason); };
  if (bytes.size() < 10 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    bad("is not a NumPy .npy file (its first bytes are not \\x93NUMPY)");
  const int major = bytes[6];
  const std::size_t start = major == 1 ? 10 : 12;
  if (major < 1 || major > 3 || bytes.size() < start) bad("has an unknown .npy version");
  std::size_t length = bytes[8] | static_cast<std::size_t>(bytes[9]) << 8;
  if (major > 1)
    length |= static_cast<std::size_t>(bytes[10]) << 16 | static_cast<std::size_t>(bytes[11]) << 24;
  if (start + length > bytes.size()) bad("is truncated inside its header");
  const std::string header(reinterpret_cast<const char*>(bytes.data()) + start, length);

  const std::string code = quoted_after(header, "descr");
  const TypeName* found = nullptr;
  for (const TypeName& entry : kTypes)
    if (code == entry.code || (entry.size == 1 && code.size() == 3 && code.substr(1) == entry.code + 1))
      found = &entry;
  if (found == nullptr) bad(fmt::format("holds '{}', which is not a plain little-endian number type", code));
  type_ = found->type;
  const auto order = header.find("'fortran_order'");
  if (order == std::string::npos) bad("has a header without fortran_order");
  const bool fortran = header.find("True", order) < header.find_first_of(",}", order);
  const std::vector<std::int64_t> shape = shape_in(header);
  if (shape.empty() || shape.size() > 2 || shape[0] < 0) bad("must be an array of one or two dimensions");
  one_dimensional_ = shape.size() == 1;
  rows_ = shape[0];
  cols_ = one_dimensional_ ? 1 : shape[1];
  if (fortran && rows_ > 1 && cols_ > 1)
    bad("is stored column by column; save it with numpy.ascontiguousarray");
  const std::size_t available = bytes.size() - start - length;
  const auto item = static_cast<std::int64_t>(found->size);
  if (cols_ > 0 && rows_ > static_cast<std::int64_t>(available) / item / cols_)
    bad(fmt::format("is truncated: {} x {} {} values need more than its {} data bytes", rows_, cols_,
                    found->name, available));
  data_ = bytes.data() + start + length;
}

void NpyArray::require_type(NpyType wanted) const {
  if (type_ != wanted)
    throw InputError(path_, fmt::format("holds {} where {} is needed", npy_name(type_), npy_name(wanted)));
}

double NpyArray::number(std::int64_t row, std::int64_t col) const {
  const auto at = static_cast<std::size_t>(row * cols_ + col);
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, static_cast<const std::uint8_t*>(data_) + at * sizeof value, sizeof value);
    return static_cast<double>(value);
  };
  switch (type_) {
    case NpyType::u1:
      return read(std::uint8_t{});
    case NpyType::i1:
      return read(std::int8_t{});
    case NpyType::u2:
      return read(std::uint16_t{});
    case NpyType::i2:
      return read(std::int16_t{});
    case NpyType::u4:
      return read(std::uint32_t{});
    case NpyType::i4:
      return read(std::int32_t{});
    case NpyType::u8:
      return read(std::uint64_t{});
    case NpyType::i8:
      return read(std::int64_t{});
    case NpyType::f4:
      return read(float{});
    case NpyType::f8:
      return read(double{});
  }
  throw std::logic_error("unknown npy type");
}

}  // namespace contexton
