import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Matrix

@Suite("Cells", .tags(.unit))
struct CellTests {
    @Test func `there is one for each profile and repetition, a baseline first`() {
        let cells = SampleMatrix.specification(repetitions: 2).cells
        #expect(
            cells.map(\.id)
                == ["baseline/1", "baseline/2", "LTE/1", "LTE/2", "3G/1", "3G/2"])
        #expect(cells.map(\.isBaseline) == [true, true, false, false, false, false])
        #expect(SampleMatrix.specification().cells.map(\.id) == ["baseline", "LTE", "3G"])
    }

    @Test func `each has a seed of its own, the same for the same matrix`() {
        let cells = SampleMatrix.specification(repetitions: 50).cells
        #expect(Set(cells.map(\.seed)).count == cells.count)
        #expect(cells == SampleMatrix.specification(repetitions: 50).cells)
        #expect(cells.allSatisfy { ($0.seed ?? 0) <= UInt64(UInt32.max) })
        var other = SampleMatrix.specification()
        other.seed = 8
        #expect(other.cells[1].seed != SampleMatrix.specification().cells[1].seed)
    }

    @Test func `another attempt has another seed, and the first that of the cell`() throws {
        let cell = SampleMatrix.specification().cells[1]
        #expect(cell.seed(ofAttempt: 1) == cell.seed)
        #expect(Set((1...5).map { cell.seed(ofAttempt: $0) }).count == 5)
    }

    @Test func `the kernel's data plane gets no seed`() {
        var specification = SampleMatrix.specification()
        specification.network.backend = .kernel
        #expect(specification.cells.allSatisfy { $0.seed == nil && $0.seed(ofAttempt: 2) == nil })
    }

    @Test func `names of files are plain, and no two alike`() {
        let profiles = [
            "100%-loss", "100 -loss", "../../etc/passwd", "...", "lte", "LTE", "Ü\u{1b}",
        ]
        let cells = SampleMatrix.specification(profiles).cells
        let names = CellFileNames(cells)
        let plain = cells.map { names[$0] }
        #expect(
            plain == [
                "baseline", "100--loss", "100--loss_2", "etc-passwd", "cell", "lte", "LTE_2",
                "cell_2",
            ])
    }

    @Test func `a cell can be run by itself, with everything that was said of it`() {
        var specification = SampleMatrix.specification(["LTE"])
        specification.environment = ["B": "2", "A": "1"]
        specification.network.settings = ["down.loss=2%"]
        specification.network.servers = ["nc -l 80"]
        specification.network.serverPorts = [ServerPort(80), ServerPort(53, isUDP: true)]
            .compactMap(\.self)
        specification.network.drain = "10s"
        specification.network.serverStop = "1s"
        specification.network.uplink = "none"
        specification.network.conditionsLoopback = true
        specification.timeLimits = TimeLimits(.seconds(90))
        let cell = specification.cells[1]
        let words = specification.reproduction(of: cell, seed: 5, ["npm", "test"])
        #expect(
            words == [
                "env", "A=1", "B=2", "linkcond", "run", "LTE", "--set", "down.loss=2%",
                "--server", "nc -l 80", "--server-ready", "80",
                "--server-ready", "53/udp", "--server-stop", "1s", "--drain", "10s",
                "--uplink", "none", "--loopback",
                "--seed", "5", "--timeout", "90s", "--", "npm", "test",
            ])
        specification.environment = [:]
        specification.network = CellNetwork()
        specification.network.override = InterfaceOverride(cost: .expensive, kind: .wifi)
        specification.network.overrides = ["LTE": InterfaceOverride(lowData: .on, kind: .hotspot)]
        specification.timeLimits = TimeLimits()
        let overridden = specification.reproduction(
            of: specification.cells[1], seed: nil,
            ["sh", "-c", "go >$LINKCOND_OUTPUT/$LINKCOND_CELL"])
        #expect(
            overridden.dropLast(3) == [
                "env", "LINKCOND_CELL=LTE", "LINKCOND_OUTPUT=.", "linkcond", "run", "LTE", "--cost",
                "expensive", "--low-data", "on", "--kind", "hotspot", "--",
            ])
        specification.network.settings = ["down.loss=2%"]
        let baseline = specification.reproduction(of: specification.cells[0], seed: 5, ["true"])
        #expect(!baseline.contains("--set"))
        #expect(
            ShellWord.line(["sh", "-c", "echo 'a b' $HOME", ""])
                == "sh -c 'echo '\\''a b'\\'' $HOME' ''")
    }

    @Test func `scenarios are cells beside profiles, with what they say themselves`() {
        var specification = SampleMatrix.specification(["LTE"])
        specification.repetitions = 2
        specification.network.settings = ["down.loss=2%"]
        specification.network.override = InterfaceOverride(cost: .expensive)
        specification.scenarios = [MatrixScenario(name: "My Walk", source: "./walk.yaml")]
        let cells = specification.cells.filter { $0.scenario != nil }
        #expect(cells.map(\.id) == ["My Walk/1", "My Walk/2"])
        #expect(Set(cells.map(\.seed)).count == 2)
        #expect(
            specification.reproduction(of: cells[0], seed: 5, ["true"]) == [
                "linkcond", "run", "--scenario", "./walk.yaml", "--seed", "5", "--", "true",
            ])
    }
}
