# shellcheck shell=bash
# The stage `packages` of Scripts/test: checks for what the tests need and installs what is missing.
# The caller sources build.sh, sets `repository`, `stages` and `work`, and defines `count_failure`.

# shellcheck source-path=SCRIPTDIR source=site-tools.sh
source "${BASH_SOURCE[0]%/*}/site-tools.sh"

test_packages=(
    "${build_packages[@]:?}"
    chromium=chromium xmllint=libxml2-utils
    dbus-daemon=dbus dbus-send=dbus python:gi=python3-gi python:PyQt6=python3-pyqt6
    linux.uml=user-mode-linux busybox=busybox-static
    dig=bind9-dnsutils dnsmasq=dnsmasq-base ethtool=ethtool fish=fish git=git iperf3=iperf3 jq=jq stun=stun-client mandoc=mandoc
    openvpn=openvpn pasta=passt ping=iputils-ping /usr/lib/postgresql=postgresql redis-server=redis-server wrk=wrk
    python:jsonschema=python3-jsonschema python:pip=python3-pip python:yaml=python3-yaml
    munged=munge openssl=openssl shellcheck=shellcheck slirp4netns=slirp4netns
    slurmctld=slurm-wlm ss=iproute2 strace=strace tcpdump=tcpdump tshark=tshark wg=wireguard-tools
    wireguard-go=wireguard-go zsh=zsh
)
# NetworkManager would take over the network of a machine that starts services on installation.
# There its tests are skipped unless it is already installed.
[[ -d /run/systemd/system ]] || test_packages+=(nmcli=network-manager)
# PyPI packages for tests: QUIC, a suite for a matrix, a CI engine, clients of the proxy's API and of
# databases behind it, and validators of the configurations of others.
python_tools=(
    aioquic==1.7.2 buildbot==4.3.0 buildbot-worker==4.3.0 check-jsonschema==0.39.0
    future==1.0.0 kubernetes-validate==1.37.0 openapi-spec-validator==0.9.0 psycopg-binary==3.3.9
    psycopg==3.3.9 pytest==8.4.2 pytest-xdist==3.8.0 redis==8.1.0 requests==2.34.2
    testcontainers==4.15.0 toxiproxy-python==0.1.1
)
# The process that installs what the tests need, while it runs.
installation=

# What builds and checks need comes first. The rest waits for servers most of the time, so that it goes
# on beside the builds, which take the processors.
stage_packages() {
    if ! (require_packages "${build_packages[@]}" git=git shellcheck=shellcheck && require_swift) 2>&1
    then
        count_failure 'packages: something the build needs is missing'
        return
    fi
    (require_packages "${test_packages[@]}" && require_junit_schema && require_axe \
        && require_python_tools && require_site_tools) >"${work:?}/packages" 2>&1 &
    installation=$!
    [[ " ${stages[*]:?} " == *' build '* ]] || finish_packages
}

finish_packages() {
    [[ -n $installation ]] || return 0
    local code=0
    wait "$installation" || code=$?
    installation=
    cat "$work/packages"
    if ((code == 0)); then
        echo 'packages: all there'
    else
        count_failure 'packages: something the tests need is missing'
    fi
}

# After an interruption.
stop_installation() {
    [[ -z $installation ]] || kill "$installation" 2>/dev/null || true
}

# Jenkins' schema for JUnit files, which pytest's sources include for its own tests.
require_junit_schema() {
    local schema=${repository:?}/.build/junit-10.xsd sources=$work/pytest
    [[ ! -s $schema ]] || return 0
    say 'downloading the schema of JUnit files'
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary pytest \
        --dest "$sources" pytest==8.4.2 || fail "${exit_unavailable:?}" 'pip could not get pytest'
    mkdir -p "${schema%/*}"
    tar -xOf "$sources"/pytest-*.tar.gz --wildcards '*/junit-10.xsd' >"$work/schema"
    mv "$work/schema" "$schema"
}

# The checker of accessibility, from a package for Python that includes it.
require_axe() {
    local script=$repository/.build/axe.min.js wheels=$work/axe
    [[ ! -s $script ]] || return 0
    say 'downloading axe-core'
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$wheels" \
        axe-playwright-python==0.1.8 || fail "$exit_unavailable" 'pip could not get axe-core'
    python3 -m zipfile -e "$wheels"/axe_playwright_python-*.whl "$wheels"
    mkdir -p "${script%/*}"
    mv "$wheels/axe_playwright_python/axe.min.js" "$script"
}

# Into a separate directory, so that nobody else uses them; some are built for one Python version.
require_python_tools() {
    local directory=$repository/.build/python-tools wanted
    wanted="$(python3 --version): ${python_tools[*]}"
    [[ ! -e $directory/made-for || $(<"$directory/made-for") != "$wanted" ]] || return 0
    say 'installing what the tests run from PyPI'
    rm -rf "$directory"
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check \
        --target "$directory" "${python_tools[@]}" \
        || fail "$exit_unavailable" "pip could not get ${python_tools[*]}"
    printf '%s\n' "$wanted" >"$directory/made-for"
}
