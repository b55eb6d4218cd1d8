// File primitives on POSIX calls, so that every failure carries the system's own reason.
#include "pipeline/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "pipeline/errors.hpp"

namespace contexton {
namespace {

// Closes on every way out.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void cannot_write(const fs::path& path, int error) {
  throw RunError(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
}

void write_all(int descriptor, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_write(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_new(const fs::path& path, std::string_view bytes, bool sync) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) cannot_write(path, errno);
  write_all(file.get(), bytes, path);
  if (sync && ::fsync(file.get()) != 0) cannot_write(path, errno);
}

}  // namespace

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw RunError(fmt::format("cannot make folder {}: {}", folder.string(), error.message()));
}

std::string read_text_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw InputError(path.string(), std::strerror(errno));
  std::string text;
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_size > 0)
    text.reserve(static_cast<std::size_t>(status.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(path.string(), std::strerror(errno));
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

void write_file(const fs::path& path, std::string_view bytes) {
  write_new(path, bytes, false);
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  static std::atomic<unsigned> counter{0};
  if (path.has_parent_path()) make_folders(path.parent_path());
  const fs::path beside = path.parent_path() / fmt::format(".{}.{}.{}.part", path.filename().string(),
                                                           ::getpid(), counter.fetch_add(1));
  try {
    write_new(beside, bytes, true);
    if (::rename(beside.c_str(), path.c_str()) != 0) cannot_write(path, errno);
  } catch (...) {
    ::unlink(beside.c_str());
    throw;
  }
}

MappedFile::MappedFile(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw InputError(path.string(), std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw InputError(path.string(), std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw InputError(path.string(), "is not a regular file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* map = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (map == MAP_FAILED) throw InputError(path.string(), std::strerror(errno));
  data_ = static_cast<const std::uint8_t*>(map);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

void MappedFile::release_pages() const {
  if (data_ != nullptr) ::madvise(const_cast<std::uint8_t*>(data_), size_, MADV_DONTNEED);
}

FileLock::FileLock(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return;
  // The holder before us may have deleted the file between our open and our lock: then the lock guards
  // nothing.
  struct stat ours {
  }, there{};
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &ours) == 0 &&
      ::stat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino)
    descriptor_ = descriptor;
  else
    ::close(descriptor);
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace contexton
