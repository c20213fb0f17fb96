extension ProxyCommand {
    static let reference = """
        An address of a listener is 127.0.0.1:5433, [::1]:5433, localhost:5433 or 5433 (both \
        loopbacks), udp:127.0.0.1:53, or unix:/PATH; port 0 is any free one. A target is \
        HOST:PORT, where the host's loopback is this host's, or unix:/PATH. Names are resolved \
        for each connection, over the link.

        A client is accepted before its target has answered. If the target refuses or resets, so \
        is the client; SOCKS and HTTP clients are told why (502, 504). UDP sessions end after 60 s \
        of silence.

        Before a command, --http sets http_proxy and https_proxy, and --socks all_proxy.

        With --api, conditions, listeners and links can be changed while connections are open.
        """

    static let examples = """
        linkcond proxy LTE --listen 127.0.0.1:5433=db.example:5432
        linkcond proxy 3G --socks 127.0.0.1:1080 --http 127.0.0.1:8080
        linkcond proxy high-loss --listen udp:127.0.0.1:5353=192.0.2.1:53
        linkcond proxy 3G --http 127.0.0.1:0 -- curl http://example.org/
        """
}
