// The cache's files. Renames make entries appear whole; hashes make damage visible.
#include "pipeline/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "pipeline/errors.hpp"

namespace contexton {
namespace {

// A text file that begins with the hash of the rest.
void write_sealed(const fs::path& path, const std::string& body) {
  write_file(path, hash_bytes(body).hex() + "\n" + body);
}

std::string read_sealed(const fs::path& path) {
  const std::string text = read_text_file(path);
  if (text.size() < 33 || text[32] != '\n' ||
      hash_bytes(std::string_view(text).substr(33)).hex() != text.substr(0, 32))
    throw InputError(path.string(), "is damaged");
  return text.substr(33);
}

// Unique in this process and among processes.
std::string private_suffix() {
  static std::atomic<unsigned> counter{0};
  return fmt::format(".{}.{}", ::getpid(), counter.fetch_add(1));
}

// Small files that may be written by several runs at once: one rename, last one wins, all equal.
void write_sealed_by_rename(const fs::path& path, const std::string& body) {
  make_folders(path.parent_path());
  const fs::path beside = path.string() + private_suffix();
  write_sealed(beside, body);
  fs::rename(beside, path);
}

void remove_quietly(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

void touch(const fs::path& path) {
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

void verify(const fs::path& folder, const CacheFile& file) {
  const fs::path path = folder / file.path;
  const MappedFile mapped(path);
  if (mapped.bytes().size() != file.size || file.skip > file.size)
    throw InputError(path.string(), "has another size than when it was written");
  if (hash_bytes(mapped.bytes().subspan(file.skip)) != file.hash)
    throw InputError(path.string(), "is damaged");
}

std::uint64_t folder_size(const fs::path& folder) {
  std::uint64_t size = 0;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code missing;
    if (it->is_regular_file(missing)) size += it->file_size(missing);
  }
  return size;
}

// Work folders with a private name whose process is gone.
void remove_abandoned_work(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && name.find('.') != std::string::npos) {
      const FileLock lock(entry.path().string() + ".lock");
      if (lock.held()) {
        remove_quietly(entry.path());
        remove_quietly(entry.path().string() + ".lock");
      }
    }
  }
}

}  // namespace

CacheWork::~CacheWork() {
  if (resumable || folder.empty()) return;
  remove_quietly(folder);
  remove_quietly(folder.string() + ".lock");
}

Cache::Cache(fs::path folder, std::function<void(const std::string&)> warn)
    : folder_(std::move(folder)), warn_(std::move(warn)) {
  make_folders(folder_ / "entries");
  make_folders(folder_ / "work");
  remove_abandoned_work(folder_ / "work");
}

fs::path Cache::entry_folder(const Key& key) const {
  const std::string hex = key.hex();
  return folder_ / "entries" / hex.substr(0, 2) / hex;
}

std::shared_ptr<const CacheEntry> Cache::read_entry(const Key& key) const {
  auto entry = std::make_shared<CacheEntry>();
  entry->key = key;
  entry->folder = entry_folder(key);
  const auto json = nlohmann::json::parse(read_sealed(entry->folder / "entry.json"));
  entry->meta = json.at("meta");
  for (const auto& file : json.at("files"))
    entry->files.push_back(
        {file.at(0), file.at(1), file.at(2), Key::from_hex(file.at(3).get<std::string>())});
  tbb::parallel_for(std::size_t{0}, entry->files.size(),
                    [&](std::size_t i) { verify(entry->folder, entry->files[i]); });
  return entry;
}

std::shared_ptr<const CacheEntry> Cache::find(const Key& key) {
  {
    const std::scoped_lock lock(mutex_);
    if (auto known = verified_[key].lock()) return known;
  }
  const fs::path folder = entry_folder(key);
  if (!fs::exists(folder)) return nullptr;
  try {
    auto entry = read_entry(key);
    touch(folder / "entry.json");
    const std::scoped_lock lock(mutex_);
    verified_[key] = entry;
    return entry;
  } catch (const std::exception& problem) {
    if (!fs::exists(folder)) return nullptr;  // somebody pruned it meanwhile
    warn_(fmt::format("a cache entry is damaged and will be made again ({})", problem.what()));
    const fs::path aside = folder_ / "work" / (key.hex() + private_suffix());
    std::error_code error;
    fs::rename(folder, aside, error);
    remove_quietly(aside);
    return nullptr;
  }
}

std::unique_ptr<CacheWork> Cache::begin(const Key& key, bool resumable) {
  auto work = std::make_unique<CacheWork>();
  work->key = key;
  if (resumable) {
    const fs::path folder = folder_ / "work" / key.hex();
    auto lock = std::make_unique<FileLock>(folder.string() + ".lock");
    if (lock->held()) {
      work->folder = folder;
      work->lock = std::move(lock);
      work->resumable = true;
      make_folders(folder);
      return work;
    }
  }
  work->folder = folder_ / "work" / (key.hex() + private_suffix());
  work->lock = std::make_unique<FileLock>(work->folder.string() + ".lock");
  make_folders(work->folder);
  return work;
}

std::shared_ptr<const CacheEntry> Cache::commit(std::unique_ptr<CacheWork> work, nlohmann::json meta,
                                                const std::map<std::string, CacheFile>& known) {
  std::vector<CacheFile> files;
  for (const auto& item : fs::recursive_directory_iterator(work->folder)) {
    if (!item.is_regular_file()) continue;
    const std::string path = item.path().lexically_relative(work->folder).generic_string();
    if (const auto found = known.find(path); found != known.end()) {
      files.push_back(found->second);
      files.back().path = path;
      files.back().size = item.file_size();
    } else {
      const MappedFile mapped(item.path());
      files.push_back({path, mapped.bytes().size(), 0, hash_bytes(mapped.bytes())});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const CacheFile& a, const CacheFile& b) { return a.path < b.path; });
  nlohmann::json list = nlohmann::json::array();
  for (const CacheFile& file : files) list.push_back({file.path, file.size, file.skip, file.hash.hex()});
  write_sealed(work->folder / "entry.json", nlohmann::json{{"meta", meta}, {"files", list}}.dump());

  auto entry = std::make_shared<CacheEntry>(
      CacheEntry{work->key, entry_folder(work->key), std::move(meta), std::move(files)});
  make_folders(entry->folder.parent_path());
  std::error_code error;
  fs::rename(work->folder, entry->folder, error);
  if (error) {
    // Another run made the same entry first; ours is equal by construction.
    if (!fs::exists(entry->folder / "entry.json"))
      throw RunError(fmt::format("cannot write {}: {}", entry->folder.string(), error.message()));
    remove_quietly(work->folder);
  }
  remove_quietly(work->folder.string() + ".lock");
  work->folder.clear();
  const std::scoped_lock lock(mutex_);
  verified_[entry->key] = entry;
  return entry;
}

std::optional<ShardPlace> Cache::find_shard(const Key& key) const {
  const std::string hex = key.hex();
  try {
    const auto json = nlohmann::json::parse(read_sealed(folder_ / "shards" / hex.substr(0, 2) / hex));
    return ShardPlace{Key::from_hex(json.at("entry").get<std::string>()),
                      json.at("first").get<std::size_t>()};
  } catch (const std::exception&) {
    return std::nullopt;  // absent or damaged: the same to us
  }
}

void Cache::put_shard(const Key& key, const ShardPlace& place) const {
  const std::string hex = key.hex();
  write_sealed_by_rename(folder_ / "shards" / hex.substr(0, 2) / hex,
                         nlohmann::json{{"entry", place.entry.hex()}, {"first", place.first}}.dump());
}

std::string Cache::remember(const Key& key, const std::function<std::string()>& make) const {
  const std::string hex = key.hex();
  const fs::path path = folder_ / "blobs" / hex.substr(0, 2) / hex;
  try {
    return read_sealed(path);
  } catch (const std::exception&) {
    std::string bytes = make();
    write_sealed_by_rename(path, bytes);
    return bytes;
  }
}

void Cache::prune(std::uint64_t limit) {
  struct Candidate {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t size;
  };
  std::vector<Candidate> candidates;
  std::uint64_t total = 0;
  std::error_code error;
  const auto consider = [&](const fs::path& folder, const fs::path& stamp) {
    std::error_code missing;
    const auto used = fs::last_write_time(stamp, missing);
    const std::uint64_t size = folder_size(folder);
    total += size;
    if (!missing) candidates.push_back({folder, used, size});
  };
  for (const auto& group : fs::directory_iterator(folder_ / "entries", error))
    for (const auto& entry : fs::directory_iterator(group.path(), error))
      consider(entry.path(), entry.path() / "entry.json");
  for (const auto& work : fs::directory_iterator(folder_ / "work", error))
    if (work.is_directory(error)) consider(work.path(), work.path());
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.used < b.used; });
  const auto recent = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const Candidate& candidate : candidates) {
    if (total <= limit || candidate.used > recent) break;
    const fs::path aside = folder_ / "work" / (candidate.path.filename().string() + private_suffix());
    fs::rename(candidate.path, aside, error);
    remove_quietly(aside);
    total -= candidate.size;
  }
}

}  // namespace contexton
