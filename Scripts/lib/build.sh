# shellcheck shell=bash
# Builds linkcond's release binary when its sources have changed. The caller sets `repository`.

# shellcheck source-path=SCRIPTDIR source=packages.sh
source "${BASH_SOURCE[0]%/*}/packages.sh"

readonly build_packages=(
    pkg-config=pkg-config pkg-config:libnl-3.0=libnl-3-dev
    pkg-config:libsystemd=libsystemd-dev pkg-config:expat=libexpat1-dev
    pkg-config:yaml-0.1=libyaml-dev
    pkg-config:libcurl=libcurl4-openssl-dev
    pkg-config:libcrypto=libssl-dev ip=iproute2
    # Programs that `linkcond run` starts, and the first command of README.md.
    nft=nftables curl=curl python3=python3
)
release_binary=${repository:?}/.build/release/linkcond
# Its time and its contents identify the sources that were built. The binary's own time is not enough:
# SwiftPM does not touch it when a change does not alter it.
build_stamp=$repository/.build/linkcond-release-stamp

# Prints the inputs of the binary, one per line.
build_inputs() {
    local input
    for input in Package.swift VERSION Sources Profiles Plugins; do
        [[ ! -e $repository/$input ]] || printf '%s\n' "$repository/$input"
    done
}

# Prints a digest of the sources, independent of their location.
source_digest() {
    local inputs
    mapfile -t inputs < <(build_inputs)
    (cd "$repository" && find "${inputs[@]#"$repository/"}" -type f -print0 | sort --zero-terminated \
        | xargs --null sha256sum | sha256sum | cut -d ' ' -f 1)
}

# Directories count, too, since nothing else shows a deleted file. If the same sources were written
# again, as by a checkout, their contents decide.
release_is_current() {
    [[ -x $release_binary && -e $build_stamp ]] || return 1
    local inputs
    mapfile -t inputs < <(build_inputs)
    [[ -n $(find "${inputs[@]}" -newer "$build_stamp" -print -quit) ]] || return 0
    local began
    began=$(date '+@%s.%N')
    [[ $(<"$build_stamp") == "$(source_digest)" ]] || return 1
    # Makes the next check fast. It may fail if somebody else owns the stamp.
    touch --date "$began" "$build_stamp" 2>/dev/null || true
}

swift_installation() {
    local site=https://download.swift.org/swiftly/linux archive
    archive=swiftly-$(uname -m).tar.gz
    case $(package_manager) in
        apt-get) echo "curl -O $site/$archive && tar -xf $archive && ./swiftly init" ;;
        dnf) echo 'sudo dnf install swift-lang' ;;
        pacman) echo 'yay -S swift-bin (from the AUR)' ;;
        *) echo 'https://swift.org/install' ;;
    esac
}

require_swift() {
    local version hint=''
    [[ -z ${SUDO_USER:-} ]] || hint="; under sudo keep your PATH: sudo env PATH=\"\$PATH\" ..."
    command -v swift >/dev/null || fail "$exit_unavailable" "no Swift in PATH, which only building" \
        "linkcond needs, not its packages; get 6.2 or later: $(swift_installation)$hint"
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')
    [[ $(printf '%s\n' 6.2 "$version" | sort --version-sort | head -n 1) == 6.2 ]] \
        || fail "$exit_unavailable" "Swift ${version:-of unknown version} is too old;" \
            "get 6.2 or later from https://swift.org/install"
}

# swift_build ARGUMENT...
swift_build() {
    swift build --package-path "$repository" "$@" </dev/null 2>&1
}

# Builds tests, or what is read from a debug build: without an index, which only tests of XCTest would
# need (see Tests/XCTMain.swift), and without debug information. Both take time. LINKCOND_WHOLE_MODULES
# is for who builds once: compiling each module at a time takes a quarter less, but no edit is small then.
# debug_build ARGUMENT...
debug_build() {
    local flag flags=()
    if [[ -n ${LINKCOND_WHOLE_MODULES:-} ]]; then
        for flag in -disable-batch-mode -whole-module-optimization -num-threads 2; do
            flags+=(-Xswiftc "$flag")
        done
    fi
    LINKCOND_NO_PLUGIN=1 swift_build --disable-index-store -debug-info-format none \
        "${flags[@]}" "$@"
}

# Only Debian and Ubuntu have all of them. Without, the program needs the libraries of this system.
has_static_libraries() {
    local library
    for library in libc.a libexpat.a libnl-3.a libyaml.a; do
        [[ $(clang -print-file-name="$library") == /* ]] || return
    done
}

# build_release_product PRODUCT
build_release_product() {
    local log strip=(-Xlinker -s)
    # Who counts the calls of a probe needs its symbols.
    [[ $1 != *Probe ]] || strip=()
    log=$(
        ! has_static_libraries || export LINKCOND_STATIC=1
        swift_build -c release --product "$1" --static-swift-stdlib -debug-info-format none \
            "${strip[@]}"
    ) && return
    printf '%s\n' "$log" >&2
    say "the build failed; the compiler's messages stand above"
    return "$exit_internal"
}

# The stamp has the start time of the build, so that later edits count as changes.
build_release() {
    local stamp
    require_swift
    require_packages "${build_packages[@]}"
    say "building linkcond (the first time takes some minutes, later ones less)"
    mkdir -p "$repository/.build"
    stamp=$(mktemp "$build_stamp.XXXXXX")
    source_digest >"$stamp"
    local product
    for product in linkcond linkcond-bus linkcond-api; do
        build_release_product "$product" || {
            rm -f "$stamp"
            exit "$exit_internal"
        }
    done
    mv -f "$stamp" "$build_stamp"
}

ensure_release() {
    release_is_current || build_release
}
