# shellcheck shell=bash
# Builds linkcond's release binary when its sources have changed. The caller sets `repository`.

# shellcheck source-path=SCRIPTDIR source=packages.sh
source "${BASH_SOURCE[0]%/*}/packages.sh"

readonly build_packages=(
    pkg-config=pkg-config pkg-config:libnl-3.0=libnl-3-dev
    pkg-config:libnl-route-3.0=libnl-route-3-dev pkg-config:libsystemd=libsystemd-dev ip=iproute2
    pkg-config:expat=libexpat1-dev
    # What `linkcond run` itself starts, and the first command of README.md.
    nft=nftables curl=curl python3=python3
)
release_binary=${repository:?}/.build/release/linkcond
# The binary's own time will not do: SwiftPM leaves it alone when a change does not alter it.
build_stamp=$repository/.build/linkcond-release-stamp

# Directories count as well, since a deleted file shows in nothing else.
release_is_current() {
    [[ -x $release_binary && -e $build_stamp ]] || return 1
    local input inputs=()
    for input in Package.swift Sources Profiles Plugins; do
        [[ ! -e $repository/$input ]] || inputs+=("$repository/$input")
    done
    [[ -z $(find "${inputs[@]}" -newer "$build_stamp" -print -quit) ]]
}

require_swift() {
    local version hint=''
    [[ -z ${SUDO_USER:-} ]] || hint="; under sudo keep your PATH: sudo env PATH=\"\$PATH\" ..."
    command -v swift >/dev/null || fail "$exit_unavailable" \
        "no Swift toolchain in PATH; get 6.2 or later from https://swift.org/install$hint"
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')
    [[ $(printf '%s\n' 6.2 "$version" | sort --version-sort | head -n 1) == 6.2 ]] \
        || fail "$exit_unavailable" "Swift ${version:-of unknown version} is too old;" \
            "get 6.2 or later from https://swift.org/install"
}

# build_release_product PRODUCT
build_release_product() {
    local log
    log=$(LINKCOND_STATIC=1 swift build --package-path "$repository" -c release --product "$1" \
        --static-swift-stdlib -Xlinker -s </dev/null 2>&1) && return
    printf '%s\n' "$log" >&2
    say "the build failed; the compiler's messages stand above"
    return "$exit_internal"
}

# The stamp bears the time at which the build began, so that what is edited meanwhile counts.
build_release() {
    local stamp
    require_packages "${build_packages[@]}"
    require_swift
    say "building linkcond (the first time takes some minutes, later ones less)"
    mkdir -p "$repository/.build"
    stamp=$(mktemp "$build_stamp.XXXXXX")
    local product
    for product in linkcond linkcond-bus; do
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
