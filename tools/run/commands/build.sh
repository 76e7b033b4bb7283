# help: the release programs, in build/bin, and the control plane's programs in the cache
set -euo pipefail
source tools/run/setup.sh
set_up
set_up_control_plane
configure release
compile build programs
say "programs are in build/bin"
