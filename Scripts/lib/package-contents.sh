# shellcheck shell=bash
# The files of the packages, below `root`, as they are installed. The caller sets `repository`,
# `release_binary`, `version`, `epoch`, `root` and `work`.

# shellcheck source-path=SCRIPTDIR source=licences.sh
source "${BASH_SOURCE[0]%/*}/licences.sh"
: "${repository:?}" "${release_binary:?}"

readonly documents=usr/share/doc/linkcond licences=usr/share/linkcond/LICENSES

collect_contents() {
    say 'collecting the files'
    add_programs
    add_completions
    add_manual_pages
    add 644 "$repository/Scripts/packaging/apparmor" usr/share/linkcond/apparmor/linkcond
    add_all 644 usr/lib/systemd/system "$repository"/Scripts/packaging/linkcond-serve.{socket,service}
    add 644 "$repository/Scripts/packaging/05-linkcond.network" \
        usr/lib/systemd/network/05-linkcond.network
    add_schemas
    add_all 644 "$documents" "$repository"/{README,CHANGELOG}.md
    write_licences "$work/licences"
    # Not among the documents, which container images often leave out.
    { cat "$work/licences" && common_licences "$work/licences"; } >"${root:?}/$licences"
    add_debian_files
}

# add MODE FILE PATH
add() {
    install -D -m "$1" "$2" "$root/$3"
}

# add_all MODE DIRECTORY FILE...
add_all() {
    local mode=$1 directory=$2 file
    shift 2
    for file in "$@"; do add "$mode" "$file" "$directory/${file##*/}"; done
}

# As the program prints them: each stands by itself.
add_schemas() {
    local name
    for name in $("$release_binary" schema); do
        "$release_binary" schema "$name" >"$work/schema"
        add 644 "$work/schema" "usr/share/linkcond/schema/$name.schema.json"
    done
}

add_programs() {
    local program
    for program in "$release_binary" "$release_binary"-{bus,api}; do
        add 755 "$program" "usr/bin/${program##*/}"
    done
}

add_completions() {
    local shell path
    while read -r shell path; do
        # None of them is a program.
        "$release_binary" --generate-completion-script "$shell" | sed '1 { /^#!/d }' \
            >"$work/completion"
        add 644 "$work/completion" "usr/share/$path"
    done <<'TEXT'
bash bash-completion/completions/linkcond
zsh zsh/site-functions/_linkcond
fish fish/vendor_completions.d/linkcond.fish
TEXT
}

add_manual_pages() {
    local page
    mkdir "$work/man"
    SOURCE_DATE_EPOCH=${epoch:?} \
        "$repository/Scripts/manual-pages" "$work/man" "$release_binary" >&2
    for page in "$work"/man/*.[1-9]; do
        gzip -9n "$page"
        add 644 "$page.gz" "usr/share/man/man${page##*.}/${page##*/}.gz"
    done
}

# What Debian's policy demands: a copyright file that does not repeat the Apache licence, and
# changelogs with certain names.
add_debian_files() {
    {
        printf 'linkcond\n\nCopyright (C) %s the contributors of linkcond\n\n' \
            "$(date --utc --date "@${epoch:?}" +%Y)"
        printf 'Licensed under the Apache License, version 2.0: %s\n\n' \
            /usr/share/common-licenses/Apache-2.0
        printf 'The programs contain these parts, whose licences are in /%s:\n\n' "$licences"
        grep --after-context=1 --no-group-separator "^$rule" "$work/licences" | grep -v "^$rule" \
            | sed '/^$/d; s/^/  - /'
    } >"$work/copyright"
    add 644 "$work/copyright" debian/copyright
    gzip -9nc "$repository/CHANGELOG.md" >"$work/upstream-changelog.gz"
    add 644 "$work/upstream-changelog.gz" debian/upstream-changelog.gz
    cat >"$work/changelog" <<TEXT
linkcond (${version:?}-1) stable; urgency=medium

  * See changelog.gz beside this file.

 -- ${maintainer:?}  $(LC_ALL=C date --utc --date "@$epoch" '+%a, %d %b %Y %T +0000')
TEXT
    gzip -9n "$work/changelog"
    add 644 "$work/changelog.gz" debian/changelog.gz
    add 644 "$repository/Scripts/packaging/lintian-overrides" debian/lintian-overrides
}
