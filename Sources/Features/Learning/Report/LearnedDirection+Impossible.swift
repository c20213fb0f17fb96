import LinkModel

extension LearnedDirection {
    /// Leaves out what no profile can say, and says why: a bandwidth beyond all links, or a queue
    /// where no bandwidth was found that fills it.
    mutating func leaveOutImpossible() {
        // Each field once at most.
        for _ in ConditionField.all.indices {
            guard let problem = conditions.problem, leaveOut(problem.field) else { return }
            let places = values.indices.filter { values[$0].field == problem.field }
            for place in places {
                values[place].sureness = .notVisible
                values[place].text = nil
                values[place].how += "; left out, since \(problem.explanation)"
            }
        }
    }

    /// Whether there was something to leave out.
    private mutating func leaveOut(_ field: String) -> Bool {
        let before = conditions
        let none = DirectionConditions()
        switch field {
        case "bandwidth": conditions.bandwidth = none.bandwidth
        case "delay": conditions.delay = none.delay
        case "jitter": conditions.jitter = none.jitter
        case "reorder": conditions.reorder = none.reorder
        case "loss": conditions.loss = none.loss
        case "queue": conditions.queue = none.queue
        case "aqm": conditions.aqm = none.aqm
        case "ecn": conditions.ecn = none.ecn
        default: break
        }
        return conditions != before
    }
}
