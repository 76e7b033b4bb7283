# help: builds and runs the benchmarks; arguments go to each (--benchmark_filter=NAME)
set -euo pipefail
source tools/run/setup.sh
set_up tools/run/packages-extra.txt
configure release -B build/bench -DLEADLINE_BENCH=ON
compile build/bench benchmarks
for program in build/bench/benchmarks/*; do
  [[ -x $program && -f $program ]] || continue
  say "$(basename "$program")"
  "$program" "$@"
done
