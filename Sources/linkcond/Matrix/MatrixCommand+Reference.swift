/// What the manual page of linkcond matrix adds to the help on one screen.
extension MatrixCommand {
    static let reference = """
        linkcond.yaml in the working directory can define what to run; the options here \
        override it. The command finds the name of its cell in LINKCOND_CELL, the name of the \
        profile in LINKCOND_PROFILE, and with --report its own directory for files such as \
        test results in LINKCOND_OUTPUT.

        --report DIR writes report.html for people, report.json for programs, junit.xml, \
        summary.md and the logs. The reports include JUnit files that cells write to \
        LINKCOND_OUTPUT. A cell whose tests failed has failed, even if its command ended with 0.
        DIR has each result as soon as its cell has finished: --resume DIR goes on with a matrix \
        that was killed. The same options and command may follow; others are refused.

        The exit code is 0 if all cells passed, 1 if not, 73 if a file could not be written, \
        128 plus the signal number if a signal ended the matrix. The report is always written.

        --queue DIR shares the cells among all machines that run the same command line, in a \
        directory that they share. A worker takes the next cell, the longest first; the cells \
        of one that died are taken again. The last one writes the reports. Others may join with \
        --queue DIR alone.
        """

    static let examples = """
        linkcond matrix --profiles LTE,3G,Edge,high-loss -- npm test
        linkcond matrix --profiles LTE,3G --repeat 5 --report report -- pytest
        linkcond matrix --scenarios commute,./scenarios -- npm test
        linkcond matrix --resume report
        linkcond matrix --plan github
        """

    static let moreExamples = """
        linkcond matrix --rerun-failed report
        linkcond matrix --profiles LTE,3G --queue /shared/report -- npm test
        linkcond matrix merge --report all report-1 report-2
        linkcond matrix compare before-report report
        linkcond matrix history reports/*
        """
}
