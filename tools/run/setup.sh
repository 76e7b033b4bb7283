# Sourced: the parts that commands are made of, each quick when there is nothing to do.
source tools/run/environment.sh
source tools/run/packages.sh
source tools/run/go.sh

# Everything to build, and the control plane for tests and demo.
set_up() {
  install_packages tools/run/packages.txt "$@"
}

set_up_control_plane() {
  if /usr/bin/python3 -B tools/run/go_tools.py --missing; then
    local go
    go=$(find_go)
    /usr/bin/python3 -B tools/run/go_tools.py "$go"
  fi
}

# configure PRESET [CMAKE ARGUMENTS]: quiet unless it fails.
configure() {
  local log
  log=$(mktemp)
  if ! cmake --preset "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "cmake --preset $1 failed"
  fi
  rm -f "$log"
}

# compile DIRECTORY [TARGET...]
compile() {
  local directory=$1
  shift
  say "building $directory${*:+ ($*)}"
  cmake --build "$directory" -j "$(jobs_that_fit)" ${*:+--target "$@"}
}

# run_tests DIRECTORY [CTEST ARGUMENTS]
run_tests() {
  local directory=$1
  shift
  ctest --test-dir "$directory" -j2 --output-on-failure --no-tests=error "$@"
}
