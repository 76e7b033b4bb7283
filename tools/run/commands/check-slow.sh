# help: sanitizers over the whole suite, long fuzzing, long differential and learning runs (hours)
set -euo pipefail
source tools/run/setup.sh
set_up tools/run/packages-extra.txt
set_up_control_plane

sanitized() { # PRESET COMMAND-PREFIX...
  local preset=$1
  shift
  say "$preset"
  configure "$preset"
  compile "build/$preset"
  "$@" ctest --test-dir "build/$preset" -j2 --output-on-failure --no-tests=error
}

long_fuzz() {
  local seconds=${LEADLINE_FUZZ_SECONDS:-120} program name corpus
  configure fuzz
  compile build/fuzz fuzzers
  for program in build/fuzz/fuzz/*_fuzz; do
    name=$(basename "$program" _fuzz)
    say "fuzzing $name for $seconds s"
    # New inputs go to the cache; the seeds in the checkout stay as they are.
    corpus=$LEADLINE_CACHE/fuzz/$name
    mkdir -p "$corpus"
    "$program" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 \
      -artifact_prefix="$corpus/" "$corpus" "tests/fuzz/corpus/$name"
  done
}

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
sanitized asan-ubsan
# g++ 12's ThreadSanitizer cannot place its shadow where newer kernels randomise more bits.
sanitized tsan setarch "$(uname -m)" --addr-no-randomize
long_fuzz

say "the long forms of the tests"
configure release
compile build
LEADLINE_SLOW=1 run_tests build

say "the oldest API server we support"
KUBEBUILDER_ASSETS=$(/usr/bin/python3 -B tools/run/go_tools.py --oldest "$(find_go)")
export KUBEBUILDER_ASSETS
# Without the tests that set the newest kube-scheduler beside us: it does not run on this one.
run_tests build -R '\.(cases|crash|dry_run|kubernetes_client|leader_election|outage|volume_binding)_test$'
