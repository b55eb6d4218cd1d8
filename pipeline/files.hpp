// Files that appear whole or not at all, and read-only memory maps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace contexton {

namespace fs = std::filesystem;

// Throws InputError that names the path and the system's reason.
std::string read_text_file(const fs::path& path);

// Writes beside the target, fsyncs, then renames: a reader sees the old file or the new one, never a part.
// Makes missing parent folders. Throws RunError with the system's reason (a full disk, no permission).
void write_file_atomically(const fs::path& path, std::string_view bytes);

// Plain write without fsync, for places that are checked by a hash when read back. Throws RunError.
void write_file(const fs::path& path, std::string_view bytes);

void make_folders(const fs::path& folder);  // throws RunError with the reason

// A file mapped read-only. Its bytes stay valid while it lives, even when the file is deleted meanwhile.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path);  // throws InputError
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  // Gives the memory of what was read back to the system; reading it again brings it back. Thread-safe.
  void release_pages() const;

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

// An advisory lock on a file, held while this lives; the system drops it when the process dies.
class FileLock {
 public:
  // Takes the lock if nobody has it. `held()` says whether it worked.
  explicit FileLock(const fs::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  [[nodiscard]] bool held() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

}  // namespace contexton
