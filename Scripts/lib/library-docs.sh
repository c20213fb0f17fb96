# shellcheck shell=bash
# Builds the pages of the libraries that apps link, with DocC. The caller sources build.sh.

: "${repository:?}" "${exit_unavailable:?}" "${exit_internal:?}" "${build_packages:?}"

readonly documented_libraries=(NetworkPath NetworkPathSession Network)

require_docc() {
    require_packages "${build_packages[@]}"
    require_swift
    command -v docc >/dev/null || fail "$exit_unavailable" \
        'docc is not in PATH; it is part of the Swift toolchain from https://swift.org/install'
}

# library_docs DIRECTORY BASE: into a folder for each library, to be served under BASE.
library_docs() {
    local folder=$1 base=$2 library graphs log
    require_docc
    for library in "${documented_libraries[@]}"; do
        say "building the pages of $library"
        log=$(debug_build --product "$library") || {
            printf '%s\n' "$log" >&2
            fail "$exit_internal" 'the build failed; the compiler'\''s messages stand above'
        }
        graphs=$folder.graphs/$library
        rm -rf "$graphs" "${folder:?}/$library"
        mkdir -p "$graphs" "$folder"
        extract_symbols "$library" "$graphs"
        # Warnings are of parameters without a comment of their own; an error is a wrong link.
        if ! log=$(docc convert "$repository/Sources/Apps/$library/$library.docc" \
            --additional-symbol-graph-dir "$graphs" --output-path "$folder/$library" \
            --hosting-base-path "${base#/}swift/$library" --transform-for-static-hosting \
            --fallback-display-name "$library" --fallback-bundle-identifier "linkcond.$library" 2>&1) \
            || [[ $log == *"doesn't exist at"* ]]; then
            printf '%s\n' "$log" >&2
            fail 1 "the pages of $library cannot be built; the reasons stand above"
        fi
    done
}

# extract_symbols LIBRARY DIRECTORY
extract_symbols() {
    local build=$repository/.build/debug folder map flags
    local -a arguments=(-I "$build/Modules")
    # The C modules below: those with a module map of their own, then those for which SwiftPM made one.
    for folder in "$repository"/.build/checkouts/*/Sources/*/include "$repository"/Sources/*/*; do
        [[ ! -e $folder/module.modulemap ]] || arguments+=(-I "$folder")
    done
    for map in "$build"/*.build/module.modulemap; do
        arguments+=(-Xcc "-fmodule-map-file=$map")
    done
    read -ra flags <<<"$(pkg-config --cflags libnl-3.0)"
    swift symbolgraph-extract -module-name "$1" -output-dir "$2" -minimum-access-level public \
        -target "$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)" \
        -skip-synthesized-members "${arguments[@]}" "${flags[@]}" \
        || fail "$exit_internal" "swift could not read the symbols of $1"
}
