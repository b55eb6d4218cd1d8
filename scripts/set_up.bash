# Sourced by the launchers: installs missing Debian packages and builds. Quick when there is nothing to do.
# Messages go to stderr, so that what the program prints can be piped.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(g++ cmake ninja-build pkg-config libopencv-core-dev libopencv-imgproc-dev libopencv-imgcodecs-dev
  libopencv-features2d-dev libvlfeat-dev libeigen3-dev libtbb-dev nlohmann-json3-dev libcli11-dev libfmt-dev
  libxxhash-dev libjpeg62-turbo-dev libpng-dev libtiff-dev zlib1g-dev)
test_packages=(libgtest-dev python3 python3-numpy)

say() { echo "contexton: $*" >&2; }

# Installs those of the named packages that are missing.
install_missing() {
  local missing=() package
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii *//p')
  for package in "$@"; do
    grep -qxF "$package" <<<"$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    say "these Debian packages, or what your system calls them, are needed: ${missing[*]}"
    return 1
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { say "needs root or sudo to install: ${missing[*]}"; return 1; }
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    say "installing failed"
    return 1
  fi
  rm -f "$log"
}

# Configures once and builds a preset's targets; says nothing when all is up to date.
build() {
  local preset=$1 folder="$root/build/$1" log
  shift
  [ -f "$folder/build.ninja" ] || say "building (once; a few minutes)"
  log=$(mktemp)
  if ! { { [ -f "$folder/build.ninja" ] || (cd "$root" && cmake --preset "$preset"); } && ninja -C "$folder" "$@"; } >"$log" 2>&1; then
    grep -E -A 20 'error|FAILED|CMake Error' "$log" | head -n 60 >&2 || tail -n 40 "$log" >&2
    rm -f "$log"
    say "building failed"
    return 1
  fi
  rm -f "$log"
}
