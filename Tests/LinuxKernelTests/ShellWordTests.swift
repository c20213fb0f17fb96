import LinkTesting
import LinuxKernel
import Testing

@Suite("Words of a shell", .tags(.anyKernel))
struct ShellWordTests {
    @Test(arguments: HostileWords.all)
    func `a shell reads back the word that was meant`(word: String) throws {
        // A last character, since what is captured loses its line breaks.
        let line = ShellWord.line(["printf", "%s.", word])
        #expect(try shell(line) == word + ".")
    }

    @Test func `plain words stay as they are`() {
        let words = [
            "linkcond", "run", "LTE", "--set", "down.loss=2%", "--to", "10.0.0.0/8", "a@b",
        ]
        #expect(ShellWord.line(words) == words.joined(separator: " "))
        #expect(ShellWord("A=b").description == "'A=b'")
    }

    @Test(arguments: HostileWords.all)
    func `a remark is no command`(text: String) throws {
        #expect(try shell("PATH=\n" + ShellWord.comment(text) + "\n:") == "")
    }
}
