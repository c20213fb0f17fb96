#!/bin/sh
# Runs before the files of the package are removed: dpkg says "remove", rpm the number of versions
# that stay installed.
set -e

profile=/etc/apparmor.d/linkcond

case $1 in
    remove | 0)
        if [ -e "$profile" ]; then
            if [ -d /sys/kernel/security/apparmor ]; then
                apparmor_parser --remove "$profile" || true
            fi
            rm -f "$profile" /var/cache/apparmor/*/linkcond
        fi ;;
esac
