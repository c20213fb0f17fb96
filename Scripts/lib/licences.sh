# shellcheck shell=bash
# The licences of everything that linkcond's programs contain, found out by linking them once more. The
# caller sets `repository` and `work`.

: "${repository:?}" "${exit_internal:?}"

# These are part of others that do not come with their licences.
readonly licence_packages=(pkg-config:icu-uc=libicu-dev jq=jq)
readonly rule='=============================================================================='

# write_licences FILE: one text with a section for each part.
write_licences() {
    local objects modules=() libraries=() files file
    require_packages "${licence_packages[@]}"
    objects=$(
        linked_objects linkcond && linked_objects linkcond-bus && linked_objects linkcond-api
    )
    mapfile -t modules < <(sed -n 's|.*/\.build/.*/\([^/]*\)\.build/.*|\1|p' <<<"$objects" | sort -u)
    mapfile -t libraries < <(grep -v '/\.build/' <<<"$objects" | sort -u)
    ((${#modules[@]} && ${#libraries[@]})) || fail "$exit_internal" 'nothing is linked, it seems'
    files=$(module_licences "${modules[@]}")
    {
        printf 'The programs of linkcond contain these parts.\n'
        section linkcond "$repository/LICENSE"
        while read -r file; do
            section "${file#"$repository/.build/checkouts/"}" "$file"
        done <<<"$files"
        library_licences "${libraries[@]}"
    } >"$1"
}

# linked_objects PRODUCT: prints the objects and static libraries that the linker puts into it.
linked_objects() {
    local line command=() trace=${work:?}/link-trace
    line=$(awk -v output="/release/$1\"]" '
        /^    outputs: / { found = substr($0, length($0) - length(output) + 1) == output }
        found && /^    args: / { sub(/^    args: /, ""); print; exit }
    ' "$repository/.build/release.yaml")
    mapfile -t command < <(jq -r '.[]' <<<"$line")
    [[ " ${command[*]} " == *' -static-stdlib '* ]] \
        || fail "$exit_internal" "how $1 was linked is not in .build/release.yaml"
    "${command[@]}" -o "$work/relinked" -Xlinker --trace >"$trace" 2>&1 || {
        cat "$trace" >&2
        fail "$exit_internal" "$1 cannot be linked again"
    }
    rm -f "$work/relinked"
    sed -n 's/(.*//; s/:.*//; /\.[ao]$/p' "$trace" | sort -u
}

# module_licences MODULE...: prints the licence files of the packages that have them.
module_licences() {
    local module directory package
    for module in "$@"; do
        directory=$(module_sources "$module") || fail "$exit_internal" "where is the module $module?"
        [[ $directory == "$repository"/.build/checkouts/* ]] || continue
        package=${directory#"$repository/.build/checkouts/"}
        package=$repository/.build/checkouts/${package%%/*}
        compgen -G "$package/LICENSE*" || fail "$exit_internal" "$package has no licence"
        compgen -G "$package/NOTICE*" || true
        compgen -G "$directory/LICENSE*" || true
    done | sort -u
}

# module_sources MODULE: prints their directory. SwiftPM lists the sources of modules in Swift.
module_sources() {
    local list=$repository/.build/release/$1.build/sources source
    if [[ -s $list ]]; then
        source=$(head -n 1 "$list") source=${source#\'} source=${source%\'}
        dirname "$source"
    else
        find "$repository/Sources" "$repository"/.build/checkouts/*/Sources -type d -name "$1" \
            -print -quit | grep .
    fi
}

# library_licences FILE...: of the toolchain and the system.
library_licences() {
    local library swift package owners=()
    swift=$(swiftc -print-target-info | jq -r .paths.runtimeResourcePath)
    for library in "$@"; do
        [[ $(readlink -f "$library") != "$(readlink -f "$swift")"* ]] || continue
        package=$(owner "$library") || fail "$exit_internal" "whose file is $library?"
        owners+=("$package")
    done
    section 'The standard library of Swift, Foundation and Dispatch' \
        "$(readlink -f "$swift/../../share/swift/LICENSE.txt")"
    [[ " $* " != *FoundationICU* ]] \
        || section 'International Components for Unicode, in Foundation' \
            /usr/share/doc/libicu-dev/copyright
    while read -r package; do
        section "From Debian's package $package" "/usr/share/doc/$package/copyright"
    done < <(printf '%s\n' "${owners[@]}" | sort -u)
}

# owner FILE: prints the package that a file belongs to, by either of its names.
owner() {
    local file
    for file in "$1" "/usr${1#/usr}" "${1#/usr}"; do
        ! dpkg-query --search "$file" 2>/dev/null | sed 's/:.*//' | grep . || return 0
    done
    return 1
}

# section TITLE FILE
section() {
    [[ -s $2 ]] || fail "$exit_internal" "$2 is missing, the licence of: $1"
    printf '\n%s\n%s\n%s\n\n' "$rule" "$1" "$rule"
    cat "$2"
}

# common_licences FILE: prints those that Debian's texts refer to.
common_licences() {
    local licence
    while read -r licence; do
        section "${licence##*/}" "$licence"
    done < <(grep -oE '/usr/share/common-licenses/[A-Za-z]+(-[0-9.]*[0-9])?' "$1" | sort -u)
}
