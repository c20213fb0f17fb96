#!/bin/sh
# Prints what nmcli says, as a line of JSON, and again after each line of its monitor.
say() {
    device=$(nmcli -g DEVICE device | grep -vx lo | head -1)
    printf '{"metered": "%s", "type": "%s", "state": "%s", "connectivity": "%s"}\n' \
        "$([ -z "$device" ] || nmcli -g GENERAL.METERED device show "$device")" \
        "$([ -z "$device" ] || nmcli -g GENERAL.TYPE device show "$device")" \
        "$(nmcli -g STATE general)" "$(nmcli -g CONNECTIVITY general)"
}
say
nmcli monitor | while read -r _; do say; done
