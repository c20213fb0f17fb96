/// What the manual page of linkcond run adds to the help on one screen.
extension RunCommand {
    static let reference = """
        --publish 8080:80 lets 127.0.0.1:8080 and [::1]:8080 of this host lead to port 80 of \
        the command. The server has to listen on all addresses, such as 0.0.0.0, and sees its \
        clients as host.linkcond.

        --loopback also conditions traffic between the command's processes over 127.0.0.1, \
        ::1 or their other addresses: packets to a server get the profile's up, replies its \
        down, on a link separate from the one to host.linkcond. The server is the end with a \
        port below 32768, else (TCP) the end with the odd port, as the kernel assigns ports, \
        else the end with the lower port. The packet engine does this, whatever --backend \
        says. Capture and log do not include this link.

        --interface, once per interface, gives the command several interfaces, each with its \
        own link, addresses and kind. The kind follows from names such as wifi0, wlan0, cell0, \
        wwan0, eth0, vpn0 and tun0, else from the profile, or from kind=. Connections use the \
        first interface unless they are bound to another one or its address. All interfaces \
        reach the same hosts and servers; --loopback uses the conditions of the first.

        The command's interface has the kind of the profile, such as cellular, which is \
        expensive; options change that. Swift apps see it with the library NetworkPath, other \
        programs with linkcond path. LINKCOND_INTERFACE_KIND, LINKCOND_EXPENSIVE and \
        LINKCOND_CONSTRAINED (1 or 0) hold the initial values of the first interface. \
        linkcond override set changes them, inside or with --pid.

        With --scenario the network changes while the command runs, and the scenario can \
        suspend, terminate and restart the command with all its descendants: with SIGTERM, \
        and SIGKILL after 5 s, or SIGKILL at once while it is suspended. The run continues \
        while a restart is due; the exit code is that of the last start. Failed expectations \
        are reported with file and line, and change exit code 0 to 1; if the scenario expects \
        an exit code, run exits with 0 or 1, whatever the command's is. -v prints every event, \
        --stats and --timeline record them. LINKCOND_SCENARIO holds the name.

        A scenario can have several apps (apps:), each on a device with its own interfaces and \
        home. All run the command, or the one that the scenario names. LINKCOND_DEVICE holds \
        the name of the device; linkcond status, path and override concern the device where \
        they run. The run ends when all apps have ended. The exit code is the first one, in \
        the order of the file, that is not 0 and not checked by an expectation. --loopback and \
        --publish need a single device.

        With --multipath TCP connections use several interfaces through Multipath TCP: \
        handover uses the most preferred one, and the others if it fails; interactive uses \
        the one with the lowest RTT; aggregate uses all at once. Programs and servers need no \
        change; linkcond status shows the paths.

        When the command ends, its processes get SIGTERM, and SIGKILL after 5 s. The data that \
        they have sent keeps crossing the link, as it would from a host that stays up, until \
        all of it has arrived, for 60 s at most, or until Ctrl-C. Data that does not arrive is \
        reported, and its connections are reset. Servers run until then.

        The exit code is the command's, or 128 plus the number of the signal that killed it; \
        124 if it ran longer than --timeout; 69 if the kernel lacks Multipath TCP or the \
        congestion control; 73 instead of 0 if a file of --stats, --timeline, --pcap or --log \
        could not be written; 74 or 78 if a delivery trace cannot be read or is invalid; 125 \
        if linkcond failed; 126 if the command cannot be executed; 127 if it is not found.
        """

    static let examples = """
        linkcond run LTE -- curl -O http://host.linkcond:8000/file
        linkcond run 3G --server 'python3 -m http.server 8000' --server-ready 8000 \\
            --uplink none -- curl -O http://server.linkcond:8000/file
        linkcond run Edge --set down.loss=2% --seed 7 -- npm test
        linkcond run --interface wifi0=WiFi --interface cell0=LTE,expensive \\
            -- ./my-app
        linkcond run --scenario elevator -- npm test
        """

    static let moreExamples = """
        linkcond run --interface wifi0=WiFi --interface cell0=LTE \\
            --multipath handover -- curl -O http://host.linkcond:8000/file
        linkcond run LTE --pcap lte.pcapng --stats lte.json -- npm test
        """
}
