import LinkModel
import LinkUnits

/// What the answers of a name server mean.
extension ResolverFacts {
    var serverFinding: NetworkFinding {
        guard let server else {
            return .unknown(
                .nameServer, "no name server is known; name one with --name-server")
        }
        if isDown { return .init(.nameServer, .notable, "down", "\(server) does not answer") }
        if !replies.contains(where: \.isAnswer) {
            return .init(
                .nameServer, .notable, "unreachable",
                "nobody listens at \(server), or no way leads there")
        }
        if failures > 0 {
            return .init(
                .nameServer, .notable, "servfail",
                "\(server) fails (SERVFAIL) at \(failures) of \(answers) questions")
        }
        if isTruncating {
            return .init(
                .nameServer, .notable, "truncated",
                "\(server) cuts answers that are short, "
                    + "and \(passesTCP == true ? "gives" : "does not give") them by TCP")
        }
        if !denied.isEmpty {
            return .init(
                .nameServer, .notable, "nxdomain",
                "\(server) says NXDOMAIN of names that exist: \(denied.joined(separator: ", "))")
        }
        if case .refused(let code) = known {
            return .init(
                .nameServer, .notable, "refused", "\(server) refuses to answer (code \(code))")
        }
        let time = time.map { " in \(Rounding.text($0.milliseconds, digits: 3)) ms" } ?? ""
        return .init(.nameServer, .ok, "answers", "\(server) answers\(time)")
    }

    var truthFinding: NetworkFinding {
        if let lie {
            return .init(
                .wrongAnswers, .notable, "wrong",
                lie.isForAll
                    ? "names that have other addresses get \(lie.address)"
                    : "names that do not exist get \(lie.address)")
        }
        guard replies.contains(where: \.isAnswer) else {
            return .unknown(
                .wrongAnswers, server == nil ? "no name server is known" : "no name server answers")
        }
        guard impossible == .unknownName || impossible == .empty else {
            return .unknown(
                .wrongAnswers, "the name server does not say that a name below .invalid is none")
        }
        return .init(
            .wrongAnswers, .ok, "none",
            "a name that cannot exist does not, and known ones are right")
    }
}
