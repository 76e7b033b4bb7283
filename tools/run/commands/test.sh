# help: builds everything and runs all tests; arguments go to ctest (-R NAME runs some)
set -euo pipefail
source tools/run/setup.sh
set_up
set_up_control_plane
configure release
compile build
run_tests build "$@"
