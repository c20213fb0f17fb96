import LinuxKernel

/// A matrix whose cells several workers share.
extension MatrixRunner {
    /// Leaves to others what they have begun, and what is done.
    mutating func joinQueue() {
        for index in cells.indices {
            switch queue?.known(index) {
            case .done: learn(index)
            case .elsewhere: schedule.leaveToOthers(index)
            default: continue
            }
        }
    }

    /// Whether this process may start a cell: without other workers always.
    mutating func claims(_ index: Int) -> Bool {
        guard queue != nil else { return true }
        do {
            switch try queue?.claim(index) {
            case .done: learn(index)
            case .elsewhere, .abandoned: schedule.leaveToOthers(index)
            case .claimed, nil: return true
            }
        } catch {
            schedule.leaveToOthers(index)
            fail(error)
        }
        return false
    }

    /// Another worker has finished a cell.
    private mutating func learn(_ index: Int) {
        schedule.noteDone(index)
        // Only the baseline matters here: cells are compared with it.
        guard cells[index].isBaseline, let result = queue?.result(of: index), let store else {
            return
        }
        reports[index] = result.cell
        earlier[index] = store.machineKind
    }

    /// Shows that this worker lives, and looks at what the others do.
    mutating func mindQueue() {
        guard queue != nil else { return }
        if queue?.beat() == true { endLostCells() }
        guard ContinuousClock.now >= nextLook, let pause = queue?.pause else { return }
        nextLook = .now + pause
        if queue?.isStopped == true, !schedule.isEnding {
            schedule.end()
            endAll(isPatient: true)
        }
        guard schedule.waitsForOthers else { return }
        do {
            for (index, fate) in try queue?.look(at: schedule.elsewhere) ?? [:] {
                switch fate {
                case .done: learn(index)
                case .abandoned: schedule.takeBack(index)
                case .elsewhere, .claimed: continue
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Ends cells that others took over while this process was stopped.
    private mutating func endLostCells() {
        for position in running.indices where queue?.isLost(running[position].index) == true {
            running[position].endCommand(isPatient: false)
        }
    }

    /// Discards what this process has of a cell that another worker took over; returns whether one
    /// did.
    mutating func discardIfLost(_ index: Int) -> Bool {
        guard queue?.isLost(index) == true else { return false }
        store?.directory.removeFiles(of: reports[index])
        schedule.leaveToOthers(index)
        return true
    }

    /// Ends the matrix here, since the directory cannot be used.
    mutating func fail(_ error: MatrixError) {
        failure = failure ?? error
        schedule.end()
        endAll(isPatient: true)
    }

    /// Has cells run again whose results cannot be read; returns whether there are any.
    mutating func takeBackDamaged() -> Bool {
        guard queue != nil, let store, !schedule.isEnding, damageRounds < Self.mostDamageRounds
        else { return false }
        damageRounds += 1
        let found = store.load()
        finalCells = found
        var isAny = false
        for (index, cell) in cells.enumerated()
        where found.result(of: cell, on: store.machineKind) == nil {
            isAny = true
            queue?.distrust(index)
            schedule.leaveToOthers(index)
        }
        return isAny
    }

    private static var mostDamageRounds: Int { 3 }

    /// The report of all workers' results.
    func queueReport(of store: MatrixStore) -> MatrixReport {
        MatrixReport(store.record, finalCells ?? store.load())
    }

    /// The order in which cells run: the longest first, so that none is left at the end.
    static func order(
        _ cells: [Cell], _ earlierSeconds: [String: Double], _ launcher: Launcher
    ) -> [Int] {
        let usual = earlierSeconds.isEmpty ? 0 : Array(earlierSeconds.values).mean
        let seconds = cells.map { cell in
            earlierSeconds.isEmpty
                ? launcher.expectedSeconds(of: cell) : earlierSeconds[cell.profile] ?? usual
        }
        // Others may wait for the baseline.
        return cells.indices.sorted { one, other in
            guard cells[one].isBaseline == cells[other].isBaseline else {
                return cells[one].isBaseline
            }
            return (seconds[one], other) > (seconds[other], one)
        }
    }
}
