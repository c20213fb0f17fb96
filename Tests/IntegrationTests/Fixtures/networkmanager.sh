#!/bin/sh
# networkmanager.sh COMMAND...: runs a command beside a real NetworkManager with a bus, a network
# and processes of its own, all of which end with the command. It has one ethernet connection
# over eth0, whose other end is peer0.
set -eu

if [ -z "${INSIDE:-}" ]; then
    exec env INSIDE=1 unshare --net --mount --pid --fork --kill-child --mount-proc \
        --propagation private sh "$0" "$@"
fi
unset INSIDE

# Its state is nobody's; and a sysfs that can be written makes it wait for udev.
for directory in /run /var/lib; do
    mkdir -p "$directory/NetworkManager"
    mount -t tmpfs tmpfs "$directory/NetworkManager"
done
mount -t tmpfs tmpfs /var/lib/NetworkManager
mount -t sysfs -o ro sysfs /sys
work=/run/NetworkManager/test
mkdir -p "$work/connections"

ip link set lo up
ip link add eth0 type veth peer name peer0
ip link set peer0 up
ip address add 10.99.0.2/24 dev peer0

cat >"$work/bus.conf" <<XML
<busconfig>
  <type>system</type>
  <listen>unix:path=$work/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/> <allow own="*"/> <allow send_destination="*"/> <allow receive_sender="*"/>
  </policy>
</busconfig>
XML
cat >"$work/nm.conf" <<CONF
[main]
plugins=keyfile
auth-polkit=false
dns=none
no-auto-default=*
[keyfile]
path=$work/connections
unmanaged-devices=interface-name:peer0
CONF
cat >"$work/connections/wire.nmconnection" <<CONF
[connection]
id=wire
uuid=0f0e0d0c-0b0a-4908-8706-050403020100
type=ethernet
interface-name=eth0
[ipv4]
method=manual
address1=10.99.0.1/24,10.99.0.2
[ipv6]
method=link-local
CONF
chmod 600 "$work/connections/wire.nmconnection"

export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$work/bus"
dbus-daemon --config-file="$work/bus.conf" --nofork --nopidfile --print-address=1 \
    >"$work/bus.address" 2>"$work/bus.log" &
i=0
until [ -s "$work/bus.address" ]; do # Its socket is there before it listens.
    i=$((i + 1)); [ "$i" -lt 600 ] || { cat "$work/bus.log" >&2; exit 70; }
    sleep 0.05
done
NetworkManager -n --config="$work/nm.conf" --config-dir="$work/none" --system-config-dir="$work/none" \
    --intern-config="$work/intern.conf" --state-file="$work/state" --pid-file="$work/pid" \
    >"$work/nm.log" 2>&1 &
i=0
until [ "$(nmcli -g GENERAL.STATE device show eth0 2>/dev/null)" = '100 (connected)' ]; do
    i=$((i + 1)); [ "$i" -lt 600 ] || { cat "$work/nm.log" >&2; exit 70; }
    sleep 0.05
done
"$@"
