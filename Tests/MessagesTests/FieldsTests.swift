import Testing

@testable import PlugboardMessages

struct FieldsTests {
    private func bytes(_ fields: Fields) -> [[UInt8]] {
        fields.indices.flatMap { index in fields.withField(index) { [Array($0), Array($1)] } }
    }

    private func append(_ name: [UInt8], _ value: [UInt8], to fields: inout Fields) {
        name.withUnsafeBytes { name in value.withUnsafeBytes { fields.append(name, $0) } }
    }

    @Test func `fields keep their order, their duplicates and their spelling`() {
        var fields: Fields = ["X-B": "1", "x-a": "2"]
        fields.append("x-b", "3")

        #expect(fields.map(\.name) == ["X-B", "x-a", "x-b"])
        #expect(fields.map(\.value) == ["1", "2", "3"])
        #expect(fields.count == 3)
        #expect(fields.byteCount == 3 * 4)
    }

    @Test func `each field is shown in order, with its bytes`() {
        var fields: Fields = ["X-B": "1", "x-a": ""]
        append([0x62], [0xFF, 0xFE], to: &fields)
        var shown: [[UInt8]] = []

        fields.forEachField { shown += [Array($0), Array($1)] }
        Fields().forEachField { _, _ in shown.append([]) }

        #expect(shown == [Array("X-B".utf8), Array("1".utf8), Array("x-a".utf8), [], [0x62], [0xFF, 0xFE]])
    }

    @Test func `names are looked up without regard to ASCII case`() {
        let fields: Fields = ["Content-TYPE": "a", "content-type": "b", "\u{C9}": "c"]

        #expect(fields["content-type"] == "a")
        #expect(fields.values("CONTENT-TYPE") == ["a", "b"])
        #expect(fields.contains("Content-Type"))
        // Of letters beyond ASCII there is no case.
        #expect(fields["\u{C9}"] == "c")
        #expect(fields["\u{E9}"] == nil)
    }

    @Test func `names that share a beginning are different`() {
        let fields: Fields = ["X-Long": "1"]

        #expect(fields["X-Lon"] == nil)
        #expect(fields["X-Longer"] == nil)
        #expect(fields[""] == nil)
    }

    @Test func `setting replaces all fields of a name by one at the index of the first`() {
        var fields: Fields = ["a": "1", "B": "2", "c": "3", "b": "4", "b": "5"]

        fields["b"] = "new"
        fields["d"] = "last"

        #expect(fields.map(\.name) == ["a", "B", "c", "d"])
        #expect(fields.map(\.value) == ["1", "new", "3", "last"])
    }

    @Test func `removing a name removes all its fields, and so does setting nil`() {
        var fields: Fields = ["a": "1", "B": "2", "b": "3", "c": "4"]

        fields.remove("b")
        fields.remove("none")
        fields["C"] = nil

        #expect(fields.map(\.name) == ["a"])
        #expect(!fields.contains("b"))
    }

    @Test func `a field with an empty value exists`() {
        let fields: Fields = ["a": ""]

        #expect(fields["a"] == "")
        #expect(fields.contains("a"))
        #expect(fields["b"] == nil)
        #expect(Fields().isEmpty)
    }

    @Test func `changing a copy does not change the original`() {
        let original: Fields = ["a": "1"]
        var copy = original

        copy["a"] = "2"

        #expect(original["a"] == "1")
        #expect(copy["a"] == "2")
    }

    @Test(arguments: [
        "Authorization", "proxy-authorization", "COOKIE", "Set-Cookie", "Authentication-Info",
        "Proxy-Authentication-Info", "X-Api-Key", "API-Key", "apikey", "X-AUTH-TOKEN", "Private-Token", "Job-Token",
        "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "X-Vault-Token", "X-CSRF-Token", "DD-API-KEY",
        "X-GitHub-Token", "CF-Access-Client-Secret", "X-aws-ec2-metadata-token", "X-Goog-IAM-Authorization-Token",
        "X-Forwarded-Authorization", "DPoP", "Token", "AWS-Access-Key", "X-Session-Id",
        "X-Amz-Server-Side-Encryption-Customer-Key", "X-Goog-Encryption-Key", "X-Goog-IAP-JWT-Assertion",
        "Cf-Access-Jwt-Assertion", "Fastly-Key", "X-Honeycomb-Team", "X-Password",
    ])
    func `credentials are secret from the start`(name: String) {
        let fields: Fields = ["a": "1", name: "2"]

        #expect(fields.map(\.isSecret) == [false, true])
        #expect(fields.isSecret(at: 1))
        #expect(fields.isSecret(FieldName(name)))
    }

    @Test(arguments: [
        "X-Api-Keys", "X-Request-Id", "x", "Cookies", "Authorize", "WWW-Authenticate", "X-Api_Key", "Idempotency-Key",
        "Sec-WebSocket-Key", "-Secrets", "Host", "",
    ])
    func `other fields are not`(name: String) {
        let fields: Fields = [name: "2"]

        #expect(!fields.isSecret(at: 0))
        #expect(!fields.isSecret(FieldName(name)))
    }

    @Test func `marking makes all of a name secret, and a new value stays secret`() {
        var fields: Fields = ["X-Key": "1", "other": "2", "x-key": "3"]

        fields.markSecret("X-KEY")
        let marked = fields.map(\.isSecret)
        fields["x-key"] = "4"

        #expect(marked == [true, false, true])
        #expect(fields.map(\.isSecret) == [true, false])
    }

    @Test func `all secret fields can be removed at once`() {
        var fields: Fields = ["a": "1", "Authorization": "2", "X-Key": "3", "b": "4"]
        fields.markSecret("X-Key")

        fields.removeSecrets()

        #expect(fields.map(\.name) == ["a", "b"])
    }

    @Test func `bytes that are not UTF-8 are read as Latin-1, and are not changed`() {
        var fields = Fields()
        append(Array("a".utf8), [0x63, 0x61, 0x66, 0xE9], to: &fields)
        append(Array("b".utf8), Array("caf\u{E9}".utf8), to: &fields)

        #expect(fields["a"] == "caf\u{E9}")
        #expect(fields["b"] == "caf\u{E9}")
        #expect(bytes(fields)[1] == [0x63, 0x61, 0x66, 0xE9])
        #expect(bytes(fields)[3] == [0x63, 0x61, 0x66, 0xC3, 0xA9])
    }

    @Test func `a value can be read without a copy`() {
        let fields: Fields = ["a": "1", "A": "2"]

        let found = withUTF8("A") { name in fields.withValue(name) { $0.map { Array($0) } } }
        let missing = withUTF8("b") { name in fields.withValue(name) { $0.map { Array($0) } } }

        #expect(found == Array("1".utf8))
        #expect(missing == nil)
    }
}

struct FieldsCopyTests {
    @Test(arguments: [
        "setting", "appending", "removing", "removing some", "marking as secret", "removing secrets", "reserving",
    ])
    func `changing a copy leaves the original as it is`(_ change: String) {
        let original: Fields = ["A": "1", "Cookie": "c", "B": "2"]
        var copy = original

        switch change {
        case "setting": copy["A"] = "longer than the value before"
        case "appending": copy.append("C", "3")
        case "removing": copy.remove("A")
        case "removing some": copy.removeAll { name, _ in name.count == 1 }
        case "marking as secret": copy.markSecret("A")
        case "removing secrets": copy.removeSecrets()
        default: copy.reserve(fields: 100, bytes: 10_000)
        }

        #expect(original.map(\.name) == ["A", "Cookie", "B"])
        #expect(original.map(\.value) == ["1", "c", "2"])
        #expect(original.map(\.isSecret) == [false, true, false])
    }

    @Test func `what was changed is in the copy`() {
        let original: Fields = ["A": "1", "Cookie": "c", "a": "2"]
        var copy = original

        copy.markSecret("A")
        #expect(copy.map(\.isSecret) == [true, true, true])
        copy.append("B", "3")
        copy.removeSecrets()

        #expect(copy.map(\.value) == ["3"])
    }
}

struct FieldsRemovalTests {
    @Test(arguments: [["A", "B"], ["b"], ["x"], ["a", "B", "C"]])
    func `fields are removed where a condition is true, which is asked once for each`(_ unwanted: [String]) {
        let fields: Fields = ["A": "1", "B": "2", "a": "3", "Cookie": "4", "C": "5", "b": "6"]
        var asked: [String] = []

        var kept = fields
        kept.removeAll { name, _ in
            asked.append(Fields.text(name))
            return unwanted.contains(Fields.text(name))
        }

        #expect(kept.map(\.name) == fields.map(\.name).filter { !unwanted.contains($0) })
        #expect(kept.map(\.isSecret) == kept.map { $0.name == "Cookie" })
        #expect(asked == fields.map(\.name))
        #expect(fields.count == 6)
    }

    @Test func `removing or replacing fields keeps the order of the others`() {
        let fields: Fields = ["A": "1", "B": "2", "a": "3", "C": "4", "A": "5"]

        var removed = fields
        removed.remove("A")
        var replaced = fields
        replaced["A"] = "6"

        #expect(removed.map(\.value) == ["2", "4"])
        #expect(replaced.map(\.value) == ["6", "2", "4"])
    }
}

struct FieldsSizeTests {
    @Test(arguments: [false, true]) func `values that are replaced again and again take no more memory`(isShared: Bool)
    {
        var fields: Fields = ["A": "1", "Cookie": "c"]
        var shared: Fields?

        for number in 0..<10_000 {
            if isShared { shared = fields }
            fields["A"] = "a value of some length, \(number)"
        }

        #expect(fields.map(\.value) == ["a value of some length, 9999", "c"])
        #expect(fields.map(\.isSecret) == [false, true])
        #expect((fields.storage?.extent.byteRoom ?? .max) < 20_000)
        #expect(isShared == (shared?["A"] == "a value of some length, 9998"))
    }
}
