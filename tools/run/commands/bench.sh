# help: runs the benchmarks; arguments go to each. With --cluster: beside kube-scheduler, see --help
set -euo pipefail
source tools/run/setup.sh

if [[ ${1:-} == --cluster ]]; then
  shift
  set_up
  set_up_control_plane
  configure release
  compile build leadline-scheduler
  exec /usr/bin/python3 -B tests/bench/cluster_bench.py "$@"
fi

set_up tools/run/packages-extra.txt
configure release -B build/bench -DLEADLINE_BENCH=ON
compile build/bench benchmarks
for program in build/bench/benchmarks/*; do
  [[ -x $program && -f $program ]] || continue
  say "$(basename "$program")"
  "$program" "$@"
done
