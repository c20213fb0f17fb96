import ArgumentParser
import FoundationEssentials
import Learning
import LinkModel
import LinuxKernel
import SystemPackage
import UserCatalog

/// `linkcond doctor --network HOST`
struct NetworkDoctor {
    let host: String
    let port: UInt16
    let nameServer: IPAddress?
    let file: String?
    let isForced: Bool
    let isJSON: Bool
    let console: Console

    func run() throws {
        var isDirectory = false
        if let file, FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory),
            isDirectory || !isForced
        {
            throw FileAccessError(.writing, file, isDirectory ? .isDirectory : .fileExists)
        }
        let version = "\(ProgramVersion.current)"
        let findings = NetworkDiagnosis.run(
            .init(
                host: host, port: port, nameServer: nameServer ?? Self.firstNameServer,
                program: version)
        ) { console.report($0) }
        // A profile of what happened to be known would be mistaken for one of the network.
        let wanted = findings.isExplained ? file : nil
        // What was found out is printed even if the file cannot be written.
        let writing = Result { try wanted.map { try write(findings, to: $0) } }
        let written = (try? writing.get()) == nil ? nil : wanted
        if isJSON {
            try console.print(
                JSONText.text(of: NetworkFindingsJSON(findings, file: written, version: version)))
        } else {
            try console.print(Self.table(findings, isStyled: console.isStyled))
        }
        try writing.get()
        if let written {
            let place = written.contains("/") ? written : "./\(written)"
            console.report("\(written): linkcond run \(place) -- COMMAND replays it")
        }
        if let problem = findings.problem, !findings.isExplained { throw problem }
    }

    private func write(_ findings: NetworkFindings, to file: String) throws {
        let name = ImportFiles.names(for: [Self.stem(of: file)])[0].dropLast(".yaml".count)
        let text = findings.profileText(name: String(name), date: LearnedFiles.today)
        try ImportFiles.write([(file, text)], isForced: isForced)
    }

    /// The first name server of `resolv.conf(5)`; nil if it names none.
    private static var firstNameServer: IPAddress? {
        let text = (try? SmallFile.read("/etc/resolv.conf")) ?? ""
        return text.split(whereSeparator: \.isNewline).lazy.compactMap { line in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, words[0] == "nameserver" else { return nil }
            return IPAddress(String(words[1]))
        }.first
    }

    private static func stem(of file: String) -> String {
        let name = file.split(separator: "/").last.map { String($0) } ?? file
        return name.hasSuffix(".yaml") ? String(name.dropLast(".yaml".count)) : name
    }

    private static func table(_ findings: NetworkFindings, isStyled: Bool) -> String {
        var table = Table([
            .init(title: "check"), .init(title: "result"), .init(title: "detail"),
        ])
        for finding in findings.all {
            table.add([
                finding.check.rawValue, finding.result ?? "not measurable", finding.detail,
            ])
        }
        return table.text(isStyled: isStyled)
    }
}
