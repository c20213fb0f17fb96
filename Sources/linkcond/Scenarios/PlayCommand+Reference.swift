/// What the manual page of linkcond play adds to the help on one screen.
extension PlayCommand {
    static let reference = """
        It ends with the last event or on Ctrl-C; a scenario that repeats endlessly ends only \
        on Ctrl-C. Then it restores the interfaces, even if this process is killed.

        The exit code is 1 if an expectation of the scenario failed, and 128 plus the signal \
        number if a signal ended it.
        """

    static let examples = """
        sudo linkcond play elevator
        sudo linkcond play commute -i cell0=wwan0 -i wifi0=wlan0
        sudo linkcond play ./scenario.yaml -i eth1 -v
        """
}
