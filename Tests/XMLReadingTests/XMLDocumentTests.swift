import LinkTesting
import Testing
import XMLReading

@Suite("XML documents", .tags(.unit)) struct XMLDocumentTests {
    private func read(_ text: String) throws(XMLError) -> XMLElement {
        try XMLDocument.read(Array(text.utf8))
    }

    @Test func `elements, attributes and text come as written`() throws {
        let root = try read(
            """
            <?xml version="1.0"?>
            <a x="1 &lt; 2"><!-- no --><b/>one &amp; <![CDATA[<two>]]>&#233;<c>three</c> four</a>
            """)
        #expect(
            root
                == XMLElement(
                    name: "a", attributes: ["x": "1 < 2"],
                    content: [
                        .element(XMLElement(name: "b")), .text("one & <two>é"),
                        .element(XMLElement(name: "c", content: [.text("three")])), .text(" four"),
                    ]))
        #expect(root.text == "one & <two>é four")
    }

    @Test(arguments: [
        ("", 1), ("hello", 1), ("<a>", 1), ("<a>\n</b>", 2), ("<a>\n\n&nbsp;</a>", 3),
        ("<a/><b/>", 1), ("<a b=c/>", 1), ("<a>\u{0}</a>", 1),
    ])
    func `what is no XML is refused with its line`(_ text: String, line: Int) {
        let error = #expect(throws: XMLError.self) { try read(text) }
        #expect(error?.line == line)
        #expect(error?.reason.isEmpty == false)
    }

    @Test func `other encodings are read, unknown ones refused`() throws {
        let latin = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>".utf8) + [0xE9]
        #expect(try XMLDocument.read(latin + Array("</a>".utf8)).text == "é")
        #expect(throws: XMLError.self) {
            try read("<?xml version=\"1.0\" encoding=\"klingon\"?><a/>")
        }
        #expect(throws: XMLError.self) { try XMLDocument.read(Array("<a>".utf8) + [0xFF, 0xFE]) }
    }

    @Test func `a document type is refused, and with it entities that grow`() {
        let error = #expect(throws: XMLError.self) {
            try read("<!DOCTYPE a [<!ENTITY x \"ha\"><!ENTITY y \"&x;&x;\">]><a>&y;</a>")
        }
        #expect(error?.reason == "a document type is not allowed here")
    }

    @Test func `deep nesting is refused`() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(throws: XMLError.self) { try read(deep) }
    }
}
