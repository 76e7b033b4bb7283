# help: all programs, in build/bin; with --debug in build/debug/bin, for gdb
set -euo pipefail
source tools/run/setup.sh
set_up
set_up_control_plane
preset=release directory=build
case ${1:-} in
  "") ;;
  --debug) preset=debug directory=build/debug ;;
  *) fail "build takes no argument but --debug" ;;
esac
configure "$preset"
compile "$directory" programs
say "programs are in $directory/bin"
