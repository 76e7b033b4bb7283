# help: 70 Pods on 12 nodes, placed by our scheduler and by kube-scheduler; --keep stays up
set -euo pipefail
source tools/run/setup.sh
set_up
set_up_control_plane
configure release
compile build programs
exec /usr/bin/python3 -B tools/demo/demo.py "$@"
