# shellcheck shell=bash
# What builds the site of the documentation. The caller sources build.sh.

site_tools=(mkdocs==1.6.1 mkdocs-material==9.8.1)

# Into a separate directory, so that nobody else uses them.
require_site_tools() {
    local directory=${repository:?}/.build/docs-tools wanted
    wanted="$(python3 --version): ${site_tools[*]}"
    [[ ! -e $directory/made-for || $(<"$directory/made-for") != "$wanted" ]] || return 0
    say 'installing MkDocs from PyPI'
    rm -rf "$directory"
    local log
    # What pip says of packages elsewhere on this machine does not matter to a directory of its own.
    log=$(PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check \
        --target "$directory" "${site_tools[@]}" 2>&1) || {
        printf '%s\n' "$log" >&2
        fail "${exit_unavailable:?}" "pip could not get ${site_tools[*]}"
    }
    printf '%s\n' "$wanted" >"$directory/made-for"
}
