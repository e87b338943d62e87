import PlugboardMessages
import TestSupport
import Testing

struct LinearTimeTests {
    @Test(arguments: nastyShapes.indices)
    func `URLs are read, resolved and redacted in linear time`(shape: Int) {
        let (name, make) = nastyShapes[shape]
        for start in ["", "http://", "http://a.test/", "http://a.test/?", "//", "http://u:p@"] {
            expectLinearTime("\(start) and \(name)", size: 4000, input: { start + make($0) }) { text in
                _ = Origin(url: text)
                _ = Origin(text)
                _ = NormalURL(text)
                _ = URLParts.resolve(text, against: "http://a.test/x/y")
                _ = URLParts.resolve("x/../y", against: text)
                _ = Printable.url(text)
                _ = Origin.normalizedHost(text)
            }
        }
    }

    @Test(arguments: nastyShapes.indices)
    func `texts are made printable in linear time`(shape: Int) {
        let (name, make) = nastyShapes[shape]
        expectLinearTime(name, size: 4000, input: make) { text in _ = Printable.text(text) }
    }

    @Test func `fields are changed in linear time, however many have one name`() {
        let names: [FieldName] = ["Set-Cookie", "A"]
        func fields(_ count: Int) -> Fields {
            var fields = Fields()
            for index in 0..<count { fields.append(names[index % 2], "x") }
            return fields
        }
        expectLinearTime("removed", size: 2000, input: fields) { fields in
            var fields = fields
            fields.remove("A")
        }
        expectLinearTime("set", size: 2000, input: fields) { fields in
            var fields = fields
            fields["A"] = "y"
        }
    }

    @Test func `a target of connectTo is found in time that does not grow with the entries`() {
        expectLinearTime("targets", size: 500) { count in
            let hosts = (0..<count).map { "h\($0).test:80" }
            let option = Dictionary(uniqueKeysWithValues: hosts.map { ($0, "127.0.0.1:1") })
            return (ConnectToTable(option), hosts.compactMap { Origin(url: "http://\($0)/") })
        } read: { table, origins in
            for origin in origins { _ = table?.target(of: origin) }
        }
    }
}
