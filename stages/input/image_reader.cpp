// Inspection and reading of single images.
#include "stages/input/image_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <span>
#include <tuple>

#include "pipeline/files.hpp"

#include "stages/input/builtin_textures.hpp"
#include "stages/input/finish_image.hpp"
#include "stages/input/item_labels.hpp"
#include "stages/input/label_map.hpp"

namespace contexton {
namespace {

const cv::Size kBuiltinSize(1024, 768);  // as builtin_textures.hpp says

using ReadLabels = cv::Mat (*)(std::span<const std::uint8_t>, const ImageHeader&, const DecodeOptions&);

// The size decode_image gives an image of that header.
cv::Size reduced_size(const ImageHeader& header, int max_side) {
  const int longest = std::max(header.width, header.height);
  if (max_side <= 0 || longest <= max_side) return {header.width, header.height};
  const double scale = static_cast<double>(max_side) / longest;
  const auto reduced = [&](int side) { return std::max(1, static_cast<int>(std::lround(side * scale))); };
  return {reduced(header.width), reduced(header.height)};
}

// max_pixels is left out: it decides whether an image is read, not what comes of it.
Key item_key(const InspectedImage& image, const DecodeOptions& options) {
  KeyBuilder builder;
  builder.add("image").add(image.file_key).add(image.mask_key).add(image.truth_key);
  builder.add(std::uint64_t{options.gray}).add(static_cast<std::uint64_t>(options.max_side));
  builder.add(std::uint64_t{options.exif}).add(static_cast<std::uint64_t>(options.range16));
  return builder.key();
}

std::vector<std::string> notes_on(const ImageHeader& header, const DecodeOptions& options) {
  std::vector<std::string> notes;
  if (header.bits == 16)
    notes.emplace_back(options.range16 == Range16::full
                           ? "16-bit samples; 0..65535 is mapped to 8 bits"
                           : "16-bit samples; the range in use is mapped to 8 bits");
  else if (header.bits > 16)
    notes.push_back(fmt::format("{}-bit samples are mapped to 8 bits", header.bits));
  if (header.format == ImageFormat::jpeg && header.channels == 4)
    notes.emplace_back("CMYK colours are converted");
  else if (header.channels == 2 || header.channels == 4)
    notes.emplace_back(
        "has an alpha channel; transparent parts are put on white, fully transparent ones ignored");
  if (options.exif && header.orientation != 1)
    notes.push_back(fmt::format("turned upright (EXIF orientation {})", header.orientation));
  return notes;
}

// Reads a mask or truth to find out whether it can be used; if not, forgets it and says why.
Key inspect_sidecar(fs::path& path, const char* role, ReadLabels read, const ImageHeader& header,
                    const DecodeOptions& options, std::vector<std::string>& problems) {
  if (path.empty()) return {};
  try {
    const std::vector<std::uint8_t> bytes = read_file_bytes(path);
    static_cast<void>(read(bytes, header, options));
    return hash_bytes(bytes);
  } catch (const BadImage& bad) {
    problems.push_back(fmt::format("{} {}: {}", role, utf8_text(path.string()), bad.what()));
    path.clear();
    return {};
  }
}

Image draw_builtin(std::size_t index, const DecodeOptions& options) {
  const BuiltinTexture texture = make_builtin_texture(index);
  RawImage raw;
  raw.pixels = texture.pixels;
  Image image = finish_image(std::move(raw), 1, options);
  cv::resize(texture.truth, image.truth, image.pixels.size(), 0, 0, cv::INTER_NEAREST);
  return image;
}

void inspect_builtin(InspectedImage& image, const DecodeOptions& options) {
  image.drawn = std::make_shared<DrawnImage>();
  image.file_key =
      KeyBuilder().add("builtin:textures").add(kBuiltinTextureVersion).add(image.listed.builtin).key();
  std::tie(image.width, image.height) = decoded_size(image.listed, options);
}

// A copy that a stage may scribble on.
Image copied(const Image& image) {
  Image copy = image;
  copy.pixels = image.pixels.clone();
  copy.truth = image.truth.clone();
  return copy;
}

void inspect_file(InspectedImage& image, const DecodeOptions& options) {
  ImageHeader header;
  {
    const std::vector<std::uint8_t> bytes = read_file_bytes(image.listed.path);
    header = probe_image(bytes, options);
    image.file_key = hash_bytes(bytes);
  }
  const cv::Size size = reduced_size(header, options.max_side);
  image.width = size.width;
  image.height = size.height;
  image.notes = notes_on(header, options);
  image.mask_key =
      inspect_sidecar(image.listed.mask, "mask", read_mask, header, options, image.pairing_problems);
  image.truth_key =
      inspect_sidecar(image.listed.truth, "truth", read_truth, header, options, image.pairing_problems);
}

// What was inspected is what the cache keys speak of; other bytes must not come in under them.
std::vector<std::uint8_t> read_unchanged(const fs::path& path, const Key& key) {
  std::vector<std::uint8_t> bytes = read_file_bytes(path);
  if (hash_bytes(bytes) != key)
    throw BadImage(ImageFault::damaged, fmt::format("{} was changed during the run", path.string()));
  return bytes;
}

cv::Mat read_sidecar(const fs::path& path, const Key& key, ReadLabels read, const ImageHeader& header,
                     const DecodeOptions& options, cv::Size size) {
  if (path.empty()) return {};
  cv::Mat labels = read(read_unchanged(path, key), header, options);
  if (labels.size() != size) cv::resize(labels, labels, size, 0, 0, cv::INTER_NEAREST);
  return labels;
}

}  // namespace

InspectedImage inspect_image(const ListedImage& listed, const DecodeOptions& options) {
  InspectedImage image;
  image.listed = listed;
  try {
    if (listed.path.empty())
      inspect_builtin(image, options);
    else
      inspect_file(image, options);
    image.key = item_key(image, options);
  } catch (const BadImage& bad) {
    image.problem = bad.what();
  }
  return image;
}

Image read_image(const InspectedImage& inspected, const DecodeOptions& options) {
  const ListedImage& listed = inspected.listed;
  if (inspected.drawn) {
    DrawnImage& drawn = *inspected.drawn;
    std::call_once(drawn.once, [&] { drawn.image = draw_builtin(listed.builtin, options); });
    return copied(drawn.image);
  }
  const std::vector<std::uint8_t> bytes = read_unchanged(listed.path, inspected.file_key);
  const ImageHeader header = probe_image(bytes, options);
  Image image = decode_image(bytes, options);
  const cv::Size size = image.pixels.size();
  const cv::Mat mask = read_sidecar(listed.mask, inspected.mask_key, read_mask, header, options, size);
  if (image.mask.empty())
    image.mask = mask;
  else if (!mask.empty())
    cv::bitwise_and(image.mask, mask, image.mask);  // transparent parts stay out
  image.truth = read_sidecar(listed.truth, inspected.truth_key, read_truth, header, options, size);
  return image;
}

std::pair<int, int> decoded_size(const ListedImage& image, const DecodeOptions& options) {
  ImageHeader header;
  if (image.path.empty()) {
    header.width = kBuiltinSize.width;
    header.height = kBuiltinSize.height;
  } else {
    if (!fs::is_regular_file(image.path))  // opening a pipe would wait for its writer
      throw BadImage(ImageFault::unreadable, "is not a regular file");
    const MappedFile file(image.path);
    header = probe_image(file.bytes(), options);
  }
  const cv::Size size = reduced_size(header, options.max_side);
  return {size.width, size.height};
}

}  // namespace contexton
