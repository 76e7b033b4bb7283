# Sourced: install_packages FILE... installs the Debian packages listed there that are missing.

listed_packages() { grep -hv '^#' "$@"; }

missing_packages() {
  local installed
  # dpkg-query fails for a package it never heard of; that one is missing too.
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $(listed_packages "$@") \
    2>/dev/null | sed -n 's/^installed //p' || true)
  comm -23 <(listed_packages "$@" | sort -u) <(sort -u <<<"$installed")
}

confirm_packages() {
  local old_boost
  old_boost=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' libboost1.74-dev 2>/dev/null \
    | sed -n 's/^installed //p' || true)
  say "Debian packages to install:" $1
  if [[ -n $old_boost && $1 == *boost1.81* ]]; then
    say "libboost1.81-dev replaces libboost1.74-dev, which is installed and will be removed"
    [[ -t 0 || -n ${CI:-} ]] || fail "remove libboost1.74-dev yourself, or run this in a terminal"
  fi
  if [[ -t 0 && -z ${CI:-} ]]; then
    local answer
    read -r -p "Install them with apt-get${2:+ (through sudo)}? [Y/n] " answer
    [[ -z $answer || $answer == [yY]* ]] || fail "not installed; nothing was changed"
  fi
}

install_packages() {
  command -v dpkg-query >/dev/null ||
    fail "this is no Debian: install what tools/run/packages.txt lists in your system's own way"
  local missing sudo=
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [[ -z $missing ]] && return
  if ((EUID != 0)); then
    sudo=sudo
    command -v sudo >/dev/null || fail "as root, please: apt-get install $missing"
  fi
  confirm_packages "$missing" "$sudo"
  $sudo apt-get -q update
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $missing
}
