#!/bin/sh
# Runs after the installation of the package, and when the AppArmor package changes.
set -e

source=/usr/share/linkcond/apparmor/linkcond
profile=/etc/apparmor.d/linkcond

# Versions of AppArmor that cannot read it do not restrict user namespaces either.
if command -v apparmor_parser >/dev/null && [ -d /etc/apparmor.d ] \
    && apparmor_parser --skip-kernel-load --skip-cache "$source" >/dev/null 2>&1; then
    install -m 644 "$source" "$profile"
    # Outside of the host, such as in a container, nothing can be loaded, and need not be.
    if [ -d /sys/kernel/security/apparmor ]; then
        apparmor_parser --replace --write-cache "$profile" || true
    fi
fi
