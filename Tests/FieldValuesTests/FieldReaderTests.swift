import PlugboardFieldValues
import Testing

@Suite struct `The reader of field values` {
    @Test func `words, tokens and blanks are read in their order`() {
        var reader = FieldReader(" \tgzip;q=1")

        let skips = [reader.skip(UInt8(ascii: "g")), reader.skipBlanks(), reader.skipBlanks()]
        let tokens = [reader.token(), reader.token()]
        let separator = reader.skip(UInt8(ascii: ";"))
        let name = reader.word { $0 != UInt8(ascii: "=") }

        #expect(skips == [false, true, false] && tokens == ["gzip", nil] && separator && name == "q")
        #expect(reader.next == UInt8(ascii: "="))
    }

    @Test(arguments: [
        (#""a \"b\" \\""#, #"a "b" \"#, true), (#""""#, "", true), (#""open, é"#, "open, é", false),
        (#""a\"#, #"a\"#, false),
    ])
    func `a text in quotes is read without its escapes`(_ value: String, _ expected: String, _ isClosed: Bool) {
        var reader = FieldReader(value)

        let quoted = reader.quotedText()
        let second = reader.quotedText()

        #expect(quoted?.text == expected && quoted?.isClosed == isClosed && second == nil)
    }
}
