/// What the manual page of linkcond bisect adds to the help on one screen.
extension BisectCommand {
    static let reference = """
        Both ends are run first. Each value is run again with new seeds until Wald's sequential \
        test decides between at most 20% and at least 80% of the runs passing, with 5% of errors \
        either way. Then the middle is run, again and again, on a scale of ratios, or a linear one \
        if an end is 0. Values where some runs pass and some fail, and the values around them, are \
        run more often; the answer then is where half of the runs fail. A curve that passes, \
        fails and passes again is reported as such.

        Runs for which the machine was too busy are thrown away and repeated. A command that \
        linkcond cannot run ends the search.

        --resume keeps the request, each run and its output in a directory. The same command line \
        goes on there after an interruption, a kill or a used budget.

        outage is the length of a time in which the link delivers nothing, from --outage-at on.

        The exit code is 0 if the answer is found; 1 if both ends pass, both fail, one is \
        undecided, there is no single limit, or the ends could not be decided in time; 125, 126 \
        or 127 if linkcond could not run the command; 128 plus the number of a signal that ended \
        the search, which prints what is known.
        """

    static let examples = """
        linkcond bisect LTE --vary down.bandwidth --from 10Mbit/s --to 50kbit/s -- npm test
        linkcond bisect 3G --vary loss --from 0% --to 20% --resume search -- ./sync-test
        linkcond bisect LTE --vary delay --from 10ms --to 3s --measure duration \\
            --limit '10 s' --budget 10m -- ./load-page
        """
}
