# help: formats all C++ sources with clang-format 14; --check only says what it would change
set -euo pipefail
source tools/run/setup.sh
set_up tools/run/packages-extra.txt
arguments=(-i)
[[ ${1:-} == --check ]] && arguments=(--dry-run -Werror)
git ls-files -z --cached --others --exclude-standard '*.cc' '*.h' |
  xargs -0 --no-run-if-empty clang-format-14 "${arguments[@]}"
