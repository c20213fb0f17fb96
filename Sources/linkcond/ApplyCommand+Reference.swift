/// What the manual page of linkcond apply adds to the help on one screen.
extension ApplyCommand {
    static let reference = """
        Several interfaces are conditioned together: if one of them fails, none is changed.

        Options such as --to select traffic; other traffic is not touched. Values of one \
        option are alternatives; a packet must match all options. Selectors apply in both \
        directions: --to is the far end, the destination of outgoing and the source of \
        incoming packets; --from is the near end; --port is a port at either end. ICMP errors \
        are treated like the packets that they quote. If ports select a fragmented datagram, \
        only its first fragment is conditioned, and the receiver waits for it.

        --to with a name selects all its addresses, and those that it gets later: the packet \
        engine looks it up every 5 s and keeps former ones for an hour. Other names at the \
        same addresses are selected as well.

        --user, --cgroup and --process select what programs of a user, in a control group of \
        version 2, or of a name send, and what is sent to them, by where their sockets were \
        opened. --unit is the \
        control group of a running unit of systemd. --process selects by the name of a program: \
        that of its executable file, that by which it was started, or that which ps -e shows, \
        without directories. An incoming packet is selected if it \
        answers one of theirs: the first packet of a client to a server of theirs is not \
        conditioned. A resolver such as systemd-resolved asks for itself. This needs the \
        packet engine with nftables.

        With --name an interface can have several conditions. A packet gets the first that \
        match it: conditions with options such as --to come before those for all traffic, and \
        before similar ones that were applied later. Packets that the first match excepts get \
        no other conditions.

        The SSH session that runs the command is excepted, unless --no-ssh-guard is given.

        The kernel's qdiscs are used if they support all of the conditions. Otherwise the \
        packet engine is used, a background process that receives the packets through \
        nftables or, if that is not possible, tc filters. If it is killed or hangs, packets \
        flow unconditioned within a second. It replaces the sender's queue, and packets lose \
        the marks and priorities that the host set. It conditions Ethernet interfaces, \
        tunnels and the loopback. --seed and delivery traces need it.

        On the loopback (-i lo) each packet is conditioned once: packets to a server get the \
        profile's up, replies its down, so the RTT includes both. linkcond-run(1) says \
        which end is the server. This needs the packet engine; with --backend kernel each \
        packet gets both up and down. TCP connections opened afterwards send segments of \
        Ethernet size; older ones, and UDP, have packets of up to 64 KiB, each of which counts \
        as one. Multicast and IPv6 link-local addresses are left alone.

        --netns, --pid and --container select another network namespace. Containers are found \
        through the files of their engine; no client is needed. --label asks docker, podman and \
        nerdctl for all running containers with a label: if one fails, the others are as before; \
        with --replace a note says which have changed. --all-interfaces selects all \
        interfaces that are up, without loopback unless -i lo is given. Packets that cross two \
        of them, such as a bridge and its port, are conditioned twice.

        --for and --until-exit-of start a background process that ends the conditions, even \
        if the caller is gone or killed. --replace also replaces or removes the time limit.
        """

    static let examples = """
        sudo linkcond apply LTE
        sudo linkcond apply 3G -i eth0 --set down.loss=2% --direction down
        sudo linkcond apply 3G --name api --to 192.0.2.0/24 --port 443
        sudo linkcond apply high-loss --container web --for 10m
        linkcond apply LTE --dry-run
        """

    static let moreExamples = """
        sudo linkcond apply Edge -i eth0 --replace
        sudo linkcond apply 3G --label com.docker.compose.project=shop
        sudo linkcond apply LTE --except port=22 --except to=192.0.2.9
        sudo linkcond apply LTE -i lo --port 8080
        sudo linkcond apply 3G --user www-data --to-port 443
        sudo linkcond apply 3G --process firefox
        sudo linkcond apply Edge --unit nginx
        sudo linkcond apply Edge --cgroup /user.slice/user-1000.slice
        sudo linkcond apply 3G --pid 4711 --until-exit-of 4711
        """
}
