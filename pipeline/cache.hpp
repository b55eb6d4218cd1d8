// Finished work on disk, found by content key. Safe to share between runs at the same time, and against being
// killed.
//
//   entries/ab/<key>/   entry.json (every file with its hash, and what the stage said), ports/<port>/*.npy,
//   files/@... work/<key>/         an entry in the making; work of a run that died is taken up again by the
//   next run of the same key shards/ab/<key>     a group of items inside an entry: {entry, first item}
//   blobs/ab/<key>      small derived things (thumbnails)
//
// An entry appears by one rename, complete. What a reader finds is checked against its hashes; a damaged
// entry is thrown away and made again. No fsync is needed for that reason.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/files.hpp"
#include "pipeline/hash.hpp"

namespace contexton {

struct CacheFile {
  std::string path;  // below the entry's folder
  std::uint64_t size = 0;
  std::uint64_t skip = 0;  // bytes at the beginning that the hash leaves out (the header of a growing array)
  Key hash;
};

struct CacheEntry {
  Key key;
  fs::path folder;
  nlohmann::json meta;
  std::vector<CacheFile> files;
};

// A folder in which an entry is being made; only one process at a time works in it.
struct CacheWork {
  Key key;
  fs::path folder;
  std::unique_ptr<FileLock> lock;
  ~CacheWork();            // removes what is not worth keeping: private folders
  bool resumable = false;  // false: a private folder, removed at the end
};

struct ShardPlace {
  Key entry;
  std::size_t first = 0;  // position of the shard's first item in the entry's domain
};

class Cache {
 public:
  Cache(fs::path folder, std::function<void(const std::string&)> warn);

  // A complete and undamaged entry, or null.
  std::shared_ptr<const CacheEntry> find(const Key& key);

  // Begins an entry. `resumable`: the same folder that an earlier, interrupted run used, when nobody else
  // works in it.
  std::unique_ptr<CacheWork> begin(const Key& key, bool resumable);
  // Completes it. Hashes that are known already are given, the others are computed. Somebody else's equal
  // entry may win.
  std::shared_ptr<const CacheEntry> commit(std::unique_ptr<CacheWork> work, nlohmann::json meta,
                                           const std::map<std::string, CacheFile>& known);

  std::optional<ShardPlace> find_shard(const Key& key) const;
  void put_shard(const Key& key, const ShardPlace& place) const;

  // The bytes `make` gives, remembered under the key.
  std::string remember(const Key& key, const std::function<std::string()>& make) const;

  // Deletes the entries used longest ago until at most `limit` bytes are left; keeps what was used within the
  // last hour.
  void prune(std::uint64_t limit);

 private:
  [[nodiscard]] fs::path entry_folder(const Key& key) const;
  std::shared_ptr<const CacheEntry> read_entry(const Key& key) const;  // throws when damaged

  fs::path folder_;
  std::function<void(const std::string&)> warn_;
  std::mutex mutex_;
  std::map<Key, std::weak_ptr<const CacheEntry>> verified_;  // checked once per process while in use
};

}  // namespace contexton
