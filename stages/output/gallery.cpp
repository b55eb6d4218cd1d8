// Stage output.gallery: the most typical patches of each word, in rows.
#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "pipeline/stage.hpp"
#include "stages/output/drawing.hpp"
#include "stages/output/gallery_picks.hpp"
#include "stages/output/gallery_picture.hpp"
#include "stages/output/label_style.hpp"
#include "stages/types/image_set.hpp"

namespace contexton {
namespace {

constexpr std::size_t kRowsPerReportPicture = 20;
constexpr double kLargestPicture = 100e6;  // pixels

// A patch to cut: where from, and where it belongs.
struct Cut {
  std::int64_t row = 0;
  cv::Mat* patch = nullptr;
};

// What is needed of one image.
struct ImageCuts {
  std::size_t image = 0;  // in the primitives' table
  std::vector<Cut> cuts;
  std::string problem;  // why it could not be used
};

std::vector<GalleryLine> empty_lines(const std::vector<GalleryRow>& rows, const LabelStyle& style,
                                     double total) {
  std::vector<GalleryLine> lines;
  for (const GalleryRow& row : rows) {
    GalleryLine line;
    line.title = style.name(row.label);
    line.subtitle = fmt::format("{}   {:.1f}%", row.count, 100 * static_cast<double>(row.count) / total);
    line.colour = style.colours[row.label];
    line.patches.resize(row.picks.size());
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ImageCuts> cuts_by_image(const std::vector<GalleryRow>& rows, std::vector<GalleryLine>& lines) {
  std::map<std::size_t, std::vector<Cut>> by_image;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t p = 0; p < rows[r].picks.size(); ++p)
      by_image[rows[r].picks[p].image].push_back({rows[r].picks[p].row, &lines[r].patches[p]});
  std::vector<ImageCuts> all;
  for (auto& [image, cuts] : by_image) all.push_back({image, std::move(cuts), {}});
  return all;
}

struct DrawGallery {
  int patches = 12;
  int patch = 48;
  int rows = 100;
  double size = 12;

  static void describe(Description<DrawGallery>& stage) {
    stage.named("output.gallery", "Draws the most typical patches of each word in a row, as one PNG.");
    stage.param("patches", &DrawGallery::patches)
        .range(1, 100)
        .doc("patches per word, nearest first, at most one per image until images run out");
    stage.param("patch", &DrawGallery::patch).range(16, 256).unit("px").doc("side of a patch in the picture");
    stage.param("rows", &DrawGallery::rows).range(1, 5000).doc("at most so many words, the commonest first");
    stage.param("size", &DrawGallery::size)
        .range(0.1, 100)
        .unit("scales")
        .doc("side of a patch in the image; 12 is about what a SIFT descriptor sees");
    stage.input<ImageSet>("images").doc("the images the primitives were found in");
    stage.input<Primitives>("primitives").doc("where the patches lie");
    stage.input<Labels>("labels").doc("the word of every primitive, with its distance to the word");
  }

  void check(StageCheck& check) const {
    const double pixels = static_cast<double>(rows) * patches * patch * patch;
    if (pixels > kLargestPicture)
      check.error("rows",
                  fmt::format("{} x {} patches of {} px make a picture of {:.0f} Mpixel, more than {:.0f}; "
                              "lower rows, patches or patch",
                              rows, patches, patch, pixels / 1e6, kLargestPicture / 1e6));
  }

  Estimate estimate(std::span<const Estimate> inputs) const {
    Estimate expected;
    expected.work_bytes = 6.0 * rows * patches * patch * patch + 8 * 4 * inputs[0].largest_item_pixels;
    return expected;
  }

  void run(const ImageSet& images, const Primitives& primitives, const Labels& labels, StageRun& run) const {
    refuse_other_labels(primitives, labels);
    const LabelStyle style = style_of(labels);
    const std::vector<GalleryRow> chosen = pick_typical(
        primitives, labels, style.counts, static_cast<std::size_t>(rows), static_cast<std::size_t>(patches));
    std::vector<GalleryLine> lines = empty_lines(chosen, style, static_cast<double>(primitives.size()));
    std::vector<ImageCuts> cuts = cuts_by_image(chosen, lines);
    cut_all(cuts, images, primitives, run);
    for (const ImageCuts& image : cuts)
      if (!image.problem.empty())
        run.note(primitives.table->names[image.image],
                 fmt::format("{} of its patches are left out of the gallery: {}", image.cuts.size(),
                             image.problem));
    publish(lines, style, labels, run);
  }

 private:
  static void refuse_other_labels(const Primitives& primitives, const Labels& labels) {
    if (static_cast<std::int64_t>(labels.values.size()) != primitives.size())
      throw std::runtime_error(fmt::format(
          "labels are of {} {}, but there are {} primitives: connect labels made from these primitives",
          labels.values.size(), labels.of, primitives.size()));
    if (primitives.size() == 0) throw std::runtime_error("there are no primitives to show");
  }

  void cut_all(std::vector<ImageCuts>& cuts, const ImageSet& images, const Primitives& primitives,
               const StageRun& run) const {
    const auto index = index_by_name(*images.table);
    // A pipeline rather than a loop, because its tokens bound how many images are decoded at once.
    const std::size_t bytes = std::max<std::size_t>(1, 4 * images.largest_item_bytes());
    const std::size_t at_once = std::clamp<std::size_t>(
        run.memory() / bytes, 1, static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
    std::size_t next = 0;
    std::atomic<std::size_t> done = 0;
    const auto next_image = [&](tbb::flow_control& flow) -> ImageCuts* {
      if (next < cuts.size()) return &cuts[next++];
      flow.stop();
      return nullptr;
    };
    const auto cut = [&](ImageCuts* image) {
      cut_image(*image, images, index, primitives);
      run.progress(static_cast<double>(++done), static_cast<double>(cuts.size()));
    };
    tbb::parallel_pipeline(at_once,
                           tbb::make_filter<void, ImageCuts*>(tbb::filter_mode::serial_in_order, next_image) &
                               tbb::make_filter<ImageCuts*, void>(tbb::filter_mode::parallel, cut));
  }

  void cut_image(ImageCuts& image, const ImageSet& images,
                 const std::unordered_map<std::string_view, std::size_t>& index,
                 const Primitives& primitives) const {
    const auto found = index.find(primitives.table->names[image.image]);
    if (found == index.end()) {
      image.problem = "it is not among the images";
      return;
    }
    cv::Mat pixels;
    try {
      pixels = images.item(found->second).pixels;
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      image.problem = error.what();
      return;
    }
    // The images given may be larger or smaller than those the primitives were found in.
    const int found_width = primitives.sizes[image.image].first;
    const float scale =
        found_width > 0 ? static_cast<float>(pixels.cols) / static_cast<float>(found_width) : 1;
    for (const Cut& cut : image.cuts) {
      Keypoint keypoint = primitives.keypoints[static_cast<std::size_t>(cut.row)];
      if (!std::isfinite(keypoint.x + keypoint.y + keypoint.scale + keypoint.angle)) continue;
      keypoint.x = (keypoint.x + 0.5F) * scale - 0.5F;
      keypoint.y = (keypoint.y + 0.5F) * scale - 0.5F;
      *cut.patch = cut_patch(pixels, keypoint, size * static_cast<double>(keypoint.scale * scale), patch);
    }
  }

  void publish(const std::vector<GalleryLine>& lines, const LabelStyle& style, const Labels& labels,
               StageRun& run) const {
    const int titles = title_width(lines);
    run.write_file(".png", encode_png(draw_gallery(lines, patches, patch, titles)));
    run.report().add(ReportText{
        fmt::format("{} of {} words, commonest first; per word its number of primitives and its {} patches, "
                    "turned upright{}.",
                    lines.size(), style.size(), labels.distances.empty() ? "first" : "most typical",
                    labels.distances.empty() ? " (distances to the words are not known)" : "")});
    ReportPictures pictures{"Words and their patches", {}};
    for (std::size_t first = 0; first < lines.size(); first += kRowsPerReportPicture) {
      const std::size_t last = std::min(first + kRowsPerReportPicture, lines.size());
      const cv::Mat part =
          draw_gallery(std::span(lines).subspan(first, last - first), patches, patch, titles);
      pictures.pictures.push_back({encode_thumbnail(part, 1200), ".png",
                                   fmt::format("words {} to {} by frequency", first + 1, last)});
    }
    run.report().add(std::move(pictures));
  }
};

REGISTER_STAGE(DrawGallery);

}  // namespace
}  // namespace contexton
