// input.images: the images of a folder, glob or list, with classes, masks and ground truth.
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <span>
#include <tuple>

#include "pipeline/markup.hpp"
#include "pipeline/stage.hpp"
#include "stages/input/image_listing.hpp"
#include "stages/input/image_reader.hpp"
#include "stages/input/item_labels.hpp"
#include "stages/types/image_set.hpp"
#include "stages/types/labels.hpp"

namespace contexton {

enum class Unpaired { error, waive };

template <>
struct EnumNames<Unpaired> {
  static constexpr std::pair<Unpaired, const char*> values[] = {{Unpaired::error, "error"},
                                                                {Unpaired::waive, "waive"}};
};
template <>
struct EnumNames<Range16> {
  static constexpr std::pair<Range16, const char*> values[] = {{Range16::automatic, "automatic"},
                                                               {Range16::full, "full"}};
};

namespace {

constexpr std::size_t kExamples = 3;     // how many files an error names
constexpr std::size_t kThumbnails = 24;  // on the report page
constexpr int kThumbnailSide = 160;

// "a.jpg: reason; b.jpg: reason; and 5 more".
class Examples {
 public:
  void add(const std::string& item, const std::string& reason) {
    if (count_++ < kExamples) text_ += fmt::format("{}{}: {}", count_ > 1 ? "; " : "", item, reason);
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::string text() const {
    return count_ > kExamples ? fmt::format("{}; and {} more", text_, count_ - kExamples) : text_;
  }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

std::string why_none_found(const std::string& path, const ImageListing& listing) {
  std::string text = "no images found";
  if (listing.ignored_files > 0)
    text +=
        fmt::format("; {}, but none that is named like an image (.jpg .png .bmp .tif .pgm .ppm .webp .ras)",
                    listing.ignored_files == 1 ? "there is 1 file"
                                               : fmt::format("there are {} files", listing.ignored_files));
  else if (kind_of_image_path(path) == ImagePathKind::glob)
    text += "; nothing matches the pattern (** stands for any number of folders)";
  Examples skipped;
  for (const ListingRemark& remark : listing.skipped) skipped.add(remark.item, remark.text);
  if (skipped.count() > 0) text += "; could not be read: " + skipped.text();
  return text;
}

std::vector<InspectedImage> inspect_all(const std::vector<ListedImage>& listed, const DecodeOptions& options,
                                        const StageRun& run) {
  std::vector<InspectedImage> images(listed.size());
  std::atomic<std::size_t> done = 0;
  tbb::parallel_for(std::size_t{0}, listed.size(), [&](std::size_t i) {
    run.check_interrupt();
    images[i] = inspect_image(listed[i], options);
    run.progress(static_cast<double>(++done), static_cast<double>(listed.size()));
  });
  return images;
}

// Leaves the bad ones out, each with its reason in the ledger.
std::vector<InspectedImage> usable_images(std::vector<InspectedImage> images, const std::string& path,
                                          StageRun& run) {
  Examples bad;
  for (const InspectedImage& image : images)
    if (!image.problem.empty()) bad.add(image.listed.name, image.problem);
  if (bad.count() == images.size())
    throw InputError(path, fmt::format("none of the {} found can be used: {}",
                                       counted(images.size(), "image", "images"), bad.text()));
  for (const InspectedImage& image : images)
    if (!image.problem.empty()) run.skip(image.listed.name, image.problem);
  std::erase_if(images, [](const InspectedImage& image) { return !image.problem.empty(); });
  return images;
}

void settle_pairs(const std::vector<InspectedImage>& images, Unpaired unpaired, const std::string& path,
                  StageRun& run) {
  Examples problems;
  for (const InspectedImage& image : images)
    for (const std::string& problem : image.pairing_problems) {
      problems.add(image.listed.name, problem);
      if (unpaired == Unpaired::waive) run.note(image.listed.name, "used without its " + problem);
    }
  if (problems.count() > 0 && unpaired == Unpaired::error)
    throw InputError(path, fmt::format("masks or ground truth do not fit their images: {}; \"unpaired\": "
                                       "\"waive\" uses such images without",
                                       problems.text()));
}

// ---- the report

std::string size_text(const ImageSet::Source& source) {
  return fmt::format("{} x {}", source.width, source.height);
}

std::string describe_sizes(std::vector<ImageSet::Source> sources) {
  std::stable_sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) {
    return std::pair(std::int64_t{a.width} * a.height, a.width) <
           std::pair(std::int64_t{b.width} * b.height, b.width);
  });
  const std::string least = size_text(sources.front()), most = size_text(sources.back());
  if (least == most) return fmt::format("All are {} pixels.", least);
  return fmt::format("The smallest is {} pixels, the median {}, the largest {}.", least,
                     size_text(sources[sources.size() / 2]), most);
}

std::string thumbnail(const Image& image) {
  const int longest = std::max(image.pixels.cols, image.pixels.rows);
  cv::Mat small = image.pixels;
  if (longest > kThumbnailSide) {
    const double scale = static_cast<double>(kThumbnailSide) / longest;
    const auto reduced = [&](int side) { return std::max(1, cvRound(side * scale)); };
    cv::resize(image.pixels, small, {reduced(image.pixels.cols), reduced(image.pixels.rows)}, 0, 0,
               cv::INTER_AREA);
  }
  std::vector<unsigned char> bytes;
  cv::imencode(".jpg", small, bytes, {cv::IMWRITE_JPEG_QUALITY, 82});
  return {bytes.begin(), bytes.end()};
}

// Images evenly spread over the set. One that turns out to be damaged only here has no thumbnail: the stage
// that needs its pixels will say so.
ReportPictures some_pictures(const ImageSet& set, const StageRun& run) {
  const std::size_t count = std::min(kThumbnails, set.table->size());
  std::vector<ReportPicture> pictures(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    run.check_interrupt();
    const std::size_t item = i * set.table->size() / count;
    pictures[i].caption = set.table->names[item];
    try {
      const Key key = KeyBuilder().add("thumbnail").add(kThumbnailSide).add(set.table->keys[item]).key();
      pictures[i].thumbnail = run.remember(key, [&] { return thumbnail(set.fetch(item)); });
    } catch (const BadImage&) {
      pictures[i].thumbnail.clear();
    }
  });
  std::erase_if(pictures, [](const ReportPicture& picture) { return picture.thumbnail.empty(); });
  return {count < set.table->size() ? "Some of the images" : "The images", std::move(pictures)};
}

void tell(const ImageSet& set, std::size_t skipped, StageRun& run) {
  const ItemTable& table = *set.table;
  run.metric("images", static_cast<double>(table.size()));
  run.metric("classes", static_cast<double>(table.label_names.size()));
  run.metric("skipped", static_cast<double>(skipped));
  std::string facts = counted(table.size(), "image", "images");
  if (table.has_labels())
    facts += fmt::format(" in {}", counted(table.label_names.size(), "class", "classes"));
  facts += fmt::format(". {}", describe_sizes(set.sources));
  if (skipped > 0)
    facts += fmt::format(" {} skipped.", skipped == 1 ? "1 was" : fmt::format("{} were", skipped));
  run.report().add(ReportText{facts});
  if (table.has_labels()) run.report().add(class_table(table, "Images per class", "images"));
  run.report().add(some_pictures(set, run));
}

}  // namespace

struct ImageInput {
  std::string path, labels, mask, truth;
  bool gray = true, exif = true;
  int max_side = 0;
  std::int64_t max_pixels = DecodeOptions().max_pixels;
  Range16 range16 = Range16::automatic;
  Unpaired unpaired = Unpaired::error;
  std::int64_t limit = 0, sample = 0;

  static void describe(Description<ImageInput>& stage) {
    stage.named(
        "input.images",
        "Reads the images of a folder, a glob or a list, with their classes, masks and ground truth.");
    stage.source();
    stage.random();
    describe_where(stage);
    stage.param("gray", &ImageInput::gray).doc("read as one gray channel; false keeps three colour channels");
    stage.param("max_side", &ImageInput::max_side)
        .range(0, 100000)
        .unit("px")
        .doc(
            "images whose longer side exceeds this are reduced to it, with masks and ground truth; never "
            "enlarges; 0 = as they are");
    stage.param("exif", &ImageInput::exif)
        .doc(
            "turn photographs upright as their EXIF orientation says; not for masks drawn on unturned pixels "
            "of square images");
    stage.param("max_pixels", &ImageInput::max_pixels)
        .at_least(1)
        .unit("px")
        .doc("images of more pixels (width x height) are skipped before they are decoded");
    stage.param("range16", &ImageInput::range16)
        .doc(
            "how 16-bit samples become 8 bits: automatic maps the smallest of 8, 10, 12, 14, 16 bits that "
            "holds the brightest sample, full maps 0..65535, which keeps brightness comparable between "
            "images");
    stage.param("unpaired", &ImageInput::unpaired)
        .doc(
            "what to do with an image whose mask or truth is missing, unreadable, of another size, or whose "
            "mask is all 0: stop with an error, or use the image without it and note that");
    stage.param("sample", &ImageInput::sample)
        .at_least(0)
        .doc(
            "random images of each class to use, chosen by the seed; images without a class count as one "
            "class; 0 = all");
    stage.param("limit", &ImageInput::limit)
        .at_least(0)
        .doc("use only the first images by name, after sampling; 0 = all");
    stage.output<ImageSet>("images").doc("sorted by name; files that cannot be used are left out and listed");
    stage.output<Labels>("classes").doc("the class of each image");
  }

  void check(StageCheck& check) const {
    const auto report = [&](const char* param, const std::string& problem) {
      if (!problem.empty()) check.error(param, problem);
    };
    report("path", image_path_problem(path));
    report("labels", labels_problem(labels));
    report("mask", SidecarPattern(mask).problem());
    const bool builtin = kind_of_image_path(path) == ImagePathKind::builtin;
    if (builtin && !mask.empty()) check.error("mask", "built-in images have no files, so they have no masks");
    if (!builtin) report("truth", SidecarPattern(truth).problem());
  }

  Estimate estimate(std::span<const Estimate>) const {
    const ImageListing listing = chosen_images(0);
    std::vector<double> pixels(listing.images.size());
    tbb::parallel_for(std::size_t{0}, pixels.size(), [&](std::size_t i) {
      try {
        const auto [width, height] = decoded_size(listing.images[i], decode_options());
        pixels[i] = static_cast<double>(width) * height;
      } catch (const std::runtime_error&) {
        pixels[i] = 0;  // the run will say what is wrong with it
      }
    });
    Estimate estimate;
    for (const double count : pixels) {
      estimate.items += count > 0 ? 1 : 0;
      estimate.pixels += count;
      estimate.largest_item_pixels = std::max(estimate.largest_item_pixels, count);
    }
    if (const double bad = static_cast<double>(pixels.size()) - estimate.items; bad > 0)
      estimate.note = fmt::format("{} of {} files cannot be used", bad, pixels.size());
    return estimate;
  }

  std::tuple<ImageSet, Labels> run(StageRun& run) const {
    const ImageListing listing = chosen_images(run.seed());
    if (listing.images.empty()) throw InputError(path, why_none_found(path, listing));
    for (const ListingRemark& remark : listing.skipped) run.skip(remark.item, remark.text);
    for (const ListingRemark& remark : listing.notes) run.note(remark.item, remark.text);
    if (listing.ignored_files > 0)
      run.note(utf8_text(path), fmt::format("{} ignored: hidden or not named like images",
                                            counted(listing.ignored_files, "file", "files")));
    std::vector<InspectedImage> images =
        usable_images(inspect_all(listing.images, decode_options(), run), path, run);
    settle_pairs(images, unpaired, path, run);
    for (const InspectedImage& image : images)
      for (const std::string& note : image.notes) run.note(image.listed.name, note);

    const std::size_t skipped = listing.skipped.size() + listing.images.size() - images.size();
    ImageSet set = make_set(std::move(images));
    tell(set, skipped, run);
    Labels classes = labels_of(*set.table, "images");
    return {std::move(set), std::move(classes)};
  }

 private:
  // Parameters that say where the data is.
  static void describe_where(Description<ImageInput>& stage) {
    stage.param("path", &ImageInput::path)
        .required()
        .says_where()
        .doc(
            "a folder (with all folders in it), a glob such as \"photos/**/*.jpg\", one image, a text file "
            "with a path per line (relative to it; # begins a comment), a .csv with the columns path,label, "
            "or \"builtin:textures\"");
    stage.param("labels", &ImageInput::labels)
        .says_where()
        .doc(
            "where classes come from: empty takes the first folder below `path` (images directly in it have "
            "no class) or the label column of a .csv `path`, \"none\" gives no classes, or a .csv file with "
            "the columns path,label");
    stage.param("mask", &ImageInput::mask)
        .says_where()
        .doc(
            "pattern of each image's mask file (0 = ignore), with {dir}, {stem} and {name} of the image, for "
            "instance \"{dir}/{stem}.mask.png\"; without {dir} it is relative to the image's folder; mask "
            "files are not images of the set");
    stage.param("truth", &ImageInput::truth)
        .says_where()
        .doc(
            "pattern of each image's ground truth, like `mask`: a gray label map to score against; built-in "
            "images bring their own and ignore this");
  }

  [[nodiscard]] DecodeOptions decode_options() const { return {gray, max_side, exif, max_pixels, range16}; }

  [[nodiscard]] ImageListing chosen_images(std::uint64_t seed) const {
    ImageListing listing = list_images(path);
    pair_images(listing, SidecarPattern(mask), SidecarPattern(truth));
    label_images(listing, path, labels);
    choose_images(listing, sample, limit, seed);
    return listing;
  }

  [[nodiscard]] ImageSet make_set(std::vector<InspectedImage> images) const {
    ImageSet set;
    std::vector<std::string> names, classes;
    std::vector<Key> keys;
    for (const InspectedImage& image : images) {
      names.push_back(image.listed.name);
      classes.push_back(image.listed.label);
      keys.push_back(image.key);
      set.sources.push_back({image.listed.path, image.width, image.height});
    }
    set.table =
        std::make_shared<const ItemTable>(make_item_table(std::move(names), classes, std::move(keys)));
    set.channels = gray ? 1 : 3;
    const auto inspected = std::make_shared<const std::vector<InspectedImage>>(std::move(images));
    set.fetch = [inspected, options = decode_options()](std::size_t i) {
      return read_image(inspected->at(i), options);
    };
    return set;
  }
};
REGISTER_STAGE(ImageInput);

}  // namespace contexton
