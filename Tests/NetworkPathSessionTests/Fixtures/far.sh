# far.sh SERVER APP DIRECTORY: a server here, and APP, a script, in another network namespace that
# has eth0 and cell0 to here. To be run in a network namespace of its own.
set -e
server=$1 app=$2
cd "$3"
mkfifo inside joined
ip -batch - <<TEXT
link set lo up
link add far type veth peer name eth0
addr add 192.0.2.2/24 dev far
addr add 2001:db8::2/64 dev far nodad
link set far up
link add far-cell type veth peer name cell0
addr add 198.51.100.2/24 dev far-cell
link set far-cell up
addr add 203.0.113.1/32 dev lo
TEXT
# Both interfaces lead to the same addresses.
for file in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >"$file" || :; done
python3 "$server" 0.0.0.0 8000 requests listening >server.txt 2>&1 &
# Opening a fifo waits for the other end: the app's process is in its namespace by then.
unshare -n sh -c 'echo >inside; read -r _ <joined
    for file in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >"$file" || :; done
    exec sh -e "$0"' "$app" &
app_process=$!
read -r _ <inside
ip link set eth0 netns $app_process
ip link set cell0 netns $app_process
until [ -e listening ]; do sleep 0.02; done
echo >joined
wait $app_process
