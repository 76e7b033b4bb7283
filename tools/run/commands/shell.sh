# help: a shell with the demo cluster up, KUBECONFIG set and kubectl on PATH; gone when it exits
set -euo pipefail
source tools/run/setup.sh
set_up
set_up_control_plane
configure release
compile build programs
exec /usr/bin/python3 -B tools/demo/demo.py --shell "$@"
