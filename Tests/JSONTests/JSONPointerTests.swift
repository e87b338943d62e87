import PlugboardJSON
import Testing

/// Steps, values and fragments of JSON Pointers.
struct JSONPointerTests {
    @Test(arguments: [("a/b~c", "a~1b~0c"), ("~1", "~01"), ("", ""), ("é/\u{301}", "é~1\u{301}")])
    func `a key becomes a step, and a step its key`(key: String, step: String) {
        #expect(Array(JSONPointer.escaped(key).utf8) == Array(step.utf8))
        #expect(Array(JSONPointer.key(step.utf8).utf8) == Array(key.utf8))
    }

    @Test(arguments: ["~2", "~", "a~", "~~"])
    func `a tilde that begins no escape stays`(step: String) {
        #expect(JSONPointer.key(step.utf8) == step)
    }

    @Test(
        arguments: [
            ("", nil), ("/list/1", 2), ("/a~1b/", 3), ("/list/01", nil), ("/list/+1", nil), ("/list/-", nil),
            ("/list/2", nil), ("/list/-1", nil), ("/none", nil), ("/list/1/0", nil),
        ] as [(String, Int64?)])
    func `a pointer leads to a part of a value`(pointer: String, expected: Int64?) {
        let root: JSONValue = ["list": [1, 2], "a/b": ["": 3]]

        #expect(JSONPointer.value(pointer, in: root)?.intValue == expected)
    }

    @Test(
        arguments: [("/a%25b", "/a%b"), ("/%C3%A9", "/é"), ("/%", "/%"), ("/%zz", "/%zz"), ("/%ff", nil)]
            as [(String, String?)])
    func `a fragment stands for a pointer`(fragment: String, pointer: String?) {
        #expect(JSONPointer.text(ofFragment: fragment) == pointer)
        if let pointer { #expect(JSONPointer.text(ofFragment: JSONPointer.fragment(pointer)) == pointer) }
    }
}
