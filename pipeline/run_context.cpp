// Keys, services and stored artifacts, shared by whole-set stages and item passes.
#include "pipeline/run_context.hpp"

#include <time.h>

namespace contexton {
namespace {

// Raise when the layout of entries changes: old ones are then never found.
constexpr std::uint64_t kCacheFormat = 1;

}  // namespace

Key RunContext::stage_key(const NodeRun& node) const {
  const StageType& type = node.type();
  KeyBuilder builder;
  builder.add(kCacheFormat)
      .add(options.environment)
      .add(type.name)
      .add(static_cast<std::uint64_t>(type.version));
  builder.add(node.plan->params.dump());
  if (type.random) builder.add(plan.seed);
  for (std::size_t i = 0; i < type.inputs.size(); ++i) {
    if (type.inputs[i].each || !node.plan->inputs[i].connected) continue;
    builder.add(type.inputs[i].name).add(input(node, i).key);
  }
  for (const auto& [port, recipe] : node.recipes) builder.add(port).add(recipe.dump());
  return builder.key();
}

StageRun::Services RunContext::services(const NodeRun& node, const Key& seed_key,
                                        const fs::path& files) const {
  StageRun::Services services;
  services.seed = KeyBuilder().add(plan.seed).add(node.type().name).add(seed_key).key().low;
  services.memory = options.memory;
  services.stop = &stop;
  services.files_folder = files;
  services.recipes = &node.recipes;
  services.remember = [this](const Key& key, const std::function<std::string()>& make) {
    return cache.remember(key, make);
  };
  return services;
}

fs::path port_folder(const fs::path& entry, const PortInfo& port) {
  return entry / "ports" / port.name;
}

void save_items(const fs::path& folder, const ItemTable& items) {
  write_file(folder / "items.json", to_json(items).dump());
}

PortValue load_port(const CacheEntry& entry, const PortInfo& port, const Key& key) {
  const fs::path folder = port_folder(entry.folder, port);
  PortValue loaded;
  loaded.key = key;
  if (port.artifact->is_set)
    loaded.items = std::make_shared<const ItemTable>(
        item_table_from_json(nlohmann::json::parse(read_text_file(folder / "items.json"))));
  loaded.value = port.artifact->load(ArtifactReader(folder), loaded.items);
  return loaded;
}

void add_known_hashes(std::map<std::string, CacheFile>& known, const std::string& folder,
                      const ArtifactWriter& store) {
  for (const auto& array : store.array_hashes()) {
    const std::string path = folder + "/" + array.file;
    known[path] = {path, 0, kNpyHeaderSize, array.hash};
  }
}

double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace contexton
