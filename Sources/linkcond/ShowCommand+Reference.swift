import LinkModel

/// What the manual page of linkcond show adds to the help on one screen.
extension ShowCommand {
    static let reference = """
        Down is toward the app, up is from the app. Bandwidth counts the bits of IP packets \
        with their headers. The delay is one-way, so the RTT is the sum of both directions. \
        The queue is the bottleneck queue.

        --format tc prints the ip and tc commands that are equivalent to apply, for an \
        Ethernet interface with index 1 and, with options such as --to, for selected traffic.

        The formats nlc, tcconfig, throttle, webpagetest and atc are those of other tools; \
        linkcond import reads them, too. Notes on standard error name what they round or lack.

        --format yaml prints a template for your own profile; give it a different name. The \
        fields of a direction are \(ConditionField.keys.dropLast().joined(separator: ", ")) \
        and \(ConditionField.keys.last ?? "").

        If no profile has the name, or the file has a timeline, it is a scenario: it is \
        checked, and its interfaces and events are shown. --seed chooses its random times. Its \
        formats are table, yaml and json.
        """

    static let examples = """
        linkcond show LTE
        linkcond show LTE --format tc -i eth0
        linkcond show LTE --format yaml > slow.yaml
        linkcond show ./slow.yaml
        linkcond show commute
        """

    static let moreExamples = """
        linkcond show ./my-scenario.yaml --seed 7
        """
}
