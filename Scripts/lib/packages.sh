# shellcheck shell=bash
# Checks for the packages that a script needs and installs missing ones.
#
# A need is written PROBE=PACKAGE. Probing for the thing itself rather than asking the package
# manager keeps the usual case (all there) free of processes and works on every distribution.
# PROBE is a command, an absolute path, pkg-config:NAME or python:MODULE.

# shellcheck source-path=SCRIPTDIR source=report.sh
source "${BASH_SOURCE[0]%/*}/report.sh"

# Administration tools live where an ordinary user's PATH does not look.
PATH=$PATH:/usr/sbin:/sbin

probe_succeeds() {
    case $1 in
        /*) [[ -e $1 ]] ;;
        pkg-config:*) pkg-config --exists "${1#*:}" 2>/dev/null ;;
        python:*) has_python_module "${1#*:}" ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# A package belongs to the system's interpreter, which may not be the first one in PATH.
has_python_module() {
    local python
    for python in python3 /usr/bin/python3; do
        ! "$python" -c "import $1" 2>/dev/null || return 0
    done
    return 1
}

# Prints the packages of the unmet needs, one per line.
missing_packages() {
    local need
    for need in "$@"; do
        probe_succeeds "${need%%=*}" || printf '%s\n' "${need#*=}"
    done | sort -u
}

# The lock timeout lets two scripts started at once take turns.
apt_get() {
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@" </dev/null 2>&1
}

# Update the package lists only if they are absent (container images) or outdated, since it takes
# seconds.
apt_install() {
    local log
    log=$(apt_get install --yes --no-install-recommends "$@") && return
    log=$(apt_get update && apt_get install --yes --no-install-recommends "$@") && return
    printf '%s\n' "$log" >&2
    return 1
}

# Prints the system's package manager: apt-get, dnf, pacman or zypper.
package_manager() {
    local manager
    for manager in apt-get dnf pacman zypper; do
        ! command -v "$manager" >/dev/null || { echo "$manager"; return; }
    done
}

# installation PACKAGE...: prints the command that installs these packages of Debian here.
installation() {
    local names=${BASH_SOURCE[0]%/*}/package-names column command
    case $(package_manager) in
        dnf) column=2 command='dnf install' ;;
        pacman) column=3 command='pacman -S' ;;
        zypper) column=4 command='zypper install' ;;
        *) return 1 ;;
    esac
    printf 'sudo %s' "$command"
    printf '%s\n' "$@" | awk -v column="$column" '
        NR == FNR { name[$1] = $column; next }
        { print $1 in name ? name[$1] : $1 }' "$names" - | sort -u | sed 's/^/ /' | tr -d '\n'
}

# require_packages PROBE=PACKAGE...
require_packages() {
    local missing command
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0

    if [[ $(package_manager) != apt-get ]]; then
        command=$(installation "${missing[@]}") \
            || fail "$exit_unavailable" "missing: ${missing[*]} (Debian's package names);" \
                "install them with this system's package manager"
        fail "$exit_unavailable" "packages are missing; run: $command"
    fi
    ((EUID == 0)) \
        || fail "$exit_unavailable" "missing: ${missing[*]}; run: sudo apt-get install ${missing[*]}"

    say "installing ${missing[*]}"
    apt_install "${missing[@]}" \
        || fail "$exit_unavailable" "apt-get could not install ${missing[*]}; its messages stand above"
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} == 0)) \
        || fail "$exit_unavailable" "installed, but still not usable: ${missing[*]}; is PATH complete?"
}
