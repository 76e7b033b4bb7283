# help: this list
set -euo pipefail
echo "usage: ./run COMMAND [ARGUMENTS]"
echo
for name in demo test build shell bench format check-slow help; do
  printf '  %-11s %s\n' "$name" "$(sed -n 's/^# help: //p' "tools/run/commands/$name.sh")"
done
cat <<'TEXT'

Each installs what it needs first: Debian packages (tools/run/packages*.txt) and the control plane's
Go programs (tests/tools), which are built once, in about ten minutes on two cores.
LEADLINE_CACHE (default ~/.cache/leadline) keeps what outlives a checkout. KUBEBUILDER_ASSETS, where
set, names a directory with kube-apiserver, etcd and kubectl to use instead of building them.
TEXT
