# Sourced by every command: the caches, and how much runs at a time.

LEADLINE_CACHE=${LEADLINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/leadline}
export LEADLINE_CACHE
export CCACHE_DIR=${CCACHE_DIR:-$LEADLINE_CACHE/ccache}
export NINJA_STATUS='[%f/%t %e s] '
mkdir -p "$LEADLINE_CACHE"

say() { echo "== $*" >&2; }

fail() {
  echo "./run: $*" >&2
  exit 1
}

# A translation unit with Beast in it takes up to 1.5 GB.
jobs_that_fit() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 1024 / 1536) }' /proc/meminfo)
  echo $((memory < 1 ? 1 : memory < cores ? memory : cores))
}
