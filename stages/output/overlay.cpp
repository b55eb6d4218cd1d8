// Stage output.overlay: a picture of each image with its primitives, coloured by label.
#include <fmt/format.h>

#include "pipeline/stage.hpp"
#include "stages/made_once.hpp"
#include "stages/output/overlay_picture.hpp"
#include "stages/types/image_set.hpp"

namespace contexton {

template <>
struct EnumNames<MarkShape> {
  static constexpr std::pair<MarkShape, const char*> values[] = {{MarkShape::disc, "disc"},
                                                                 {MarkShape::square, "square"}};
};

namespace {

constexpr std::size_t kLargestLegend = 16;
constexpr int kThumbnailSide = 320;

Key key_of(const Labels& labels) {
  KeyBuilder key;
  key.add(labels.of).add(std::string_view(reinterpret_cast<const char*>(labels.values.data()),
                                          labels.values.size() * sizeof(std::int32_t)));
  for (const std::string& name : labels.names) key.add(name);
  return key.key();
}

std::span<const std::int32_t> labels_of(const ImagePrimitives& image, const Labels* labels) {
  if (labels == nullptr) return {};
  const auto first = static_cast<std::size_t>(image.first_row);
  if (labels->values.size() < first + image.size())
    throw std::runtime_error(fmt::format(
        "labels are of {} {}, but this image's primitives are rows {} to {}: connect labels made from "
        "these primitives",
        labels->values.size(), labels->of, first, first + image.size() - 1));
  return std::span(labels->values).subspan(first, image.size());
}

ReportLegend report_legend(const LabelStyle& style) {
  ReportLegend legend{"Labels", {}};
  for (std::size_t label = 0; label < style.size(); ++label)
    legend.entries.emplace_back(style.colours[label], style.name(label));
  return legend;
}

struct DrawOverlays {
  int max_side = 1024;
  MarkShape style = MarkShape::disc;
  double opacity = 0.4;
  double size = 4;
  MadeOnce<LabelStyle> label_style;  // not a parameter: the colours, the same for all images

  static void describe(Description<DrawOverlays>& stage) {
    stage.named("output.overlay", "Draws each image's primitives over it, coloured by label, as PNG.");
    stage.working_memory(8);
    stage.param("max_side", &DrawOverlays::max_side)
        .range(64, 16384)
        .unit("px")
        .doc("larger images are drawn smaller; much smaller ones are enlarged by a whole number, at most 4");
    stage.param("style", &DrawOverlays::style)
        .doc("shape of a mark; a hand or the square's side shows the angle where primitives have one");
    stage.param("opacity", &DrawOverlays::opacity)
        .range(0, 1)
        .doc("of a mark's inside; 0 draws outlines only, better where marks overlap much");
    stage.param("size", &DrawOverlays::size)
        .range(0.1, 100)
        .unit("scales")
        .doc("diameter of a mark; 12 is about what a SIFT descriptor sees, 4 leaves neighbours visible");
    stage.each<ImageSet>("images").doc("the images the primitives were found in");
    stage.each<Primitives>("primitives").doc("what is drawn");
    stage.input<Labels>("labels").optional().doc("a label per primitive; without it all have one colour");
  }

  void run(const Image& image, const ImagePrimitives& primitives, const Labels* labels, StageRun& run) const {
    const std::span<const std::int32_t> own_labels = labels_of(primitives, labels);
    std::shared_ptr<const LabelStyle> look = std::make_shared<const LabelStyle>();
    if (labels != nullptr) look = label_style.get(key_of(*labels), [&] { return style_of(*labels); });
    const cv::Mat picture =
        overlay_picture(image, primitives, own_labels, *look,
                        {.max_side = max_side, .shape = style, .opacity = opacity, .size = size});
    const bool legend = labels != nullptr && look->size() > 0 && look->size() <= kLargestLegend;

    const std::string file = "/" + run.item().stem + ".png";
    run.write_file(file, encode_png(legend ? with_legend(picture, own_labels, *look) : picture));
    run.report().add(
        ReportPictures{"Overlays",
                       {{encode_thumbnail(picture, kThumbnailSide), file,
                         fmt::format("{} ({} primitives)", run.item().name, primitives.size())}}});
    if (legend) run.report().add(report_legend(*look));
  }
};

REGISTER_STAGE(DrawOverlays);

}  // namespace
}  // namespace contexton
