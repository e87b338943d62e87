import PlugboardCodecs
import PlugboardMessages
import Testing

private struct Topic: Equatable {
    var title: String
}

private struct Price: Equatable {
    var cents: Int

    struct Negative: Error, CustomStringConvertible {
        var description: String { "a price is not negative" }
    }
}

/// Reads words between spaces: enough of a codec to see what it is asked for.
private struct WordCodec: Codec {
    var name: String { "words" }
    var contentTypes: [String] { ["text/words"] }

    func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes { .empty }

    func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value {
        let words = body.text.split(separator: " ").map(String.init)
        let value: Any? =
            switch type {
            case is Topic.Type: Topic(title: body.text)
            case is [Topic].Type: words.map { Topic(title: $0) }
            case is Int.Type: Int(body.text)
            case is [Int].Type: words.compactMap { Int($0) }
            default: nil
            }
        guard let value = value as? Value else { throw PlugboardError(.bodyDecode, "Words are not \(type).") }
        return value
    }
}

@Suite struct `Models by name` {
    private var models: Models {
        var models = Models()
        models.register(Topic.self)
        models.register("Price", from: Int.self) { cents in
            guard cents >= 0 else { throw Price.Negative() }
            return Price(cents: cents)
        }
        models.register("Length") { body, _, _ in body.count }
        return models
    }

    private func decode(_ name: String, _ text: String) throws -> any Sendable {
        try models.decode(name, from: Bytes(text), contentType: nil, with: WordCodec())
    }

    @Test func `a name gives the type registered under it, and its list in brackets`() throws {
        #expect(try decode("Topic", "swift") as? Topic == Topic(title: "swift"))
        #expect(try decode("[Topic]", "a b") as? [Topic] == [Topic(title: "a"), Topic(title: "b")])
        #expect(models.names == ["Length", "Price", "Topic"])
    }

    @Test func `a transformation makes the model from what the codec reads, also in a list`() throws {
        #expect(try decode("Price", "250") as? Price == Price(cents: 250))
        #expect(try decode("[Price]", "1 2") as? [Price] == [Price(cents: 1), Price(cents: 2)])
        #expect(try decode("Length", "four") as? Int == 4)
    }

    @Test(arguments: [
        ("Topc", "configuration: No model is registered as Topc. The nearest name is Topic. "),
        ("[Topc]", "configuration: No model is registered as [Topc]. The nearest name is [Topic]. "),
        ("[Length]", "configuration: No model is registered as [Length]. The nearest name is Length. "),
        ("Zebra", "configuration: No model is registered as Zebra. "),
    ])
    func `an unknown name is an error with the nearest one`(_ name: String, _ text: String) throws {
        let error = #expect(throws: PlugboardError.self) { try models.check(name) }

        #expect(error?.description == text + "Register it with Models.register(_:as:).")
        #expect(throws: PlugboardError.self) { try decode(name, "x") }
    }

    @Test func `an error of a transformation says which model could not be read`() throws {
        let negative = #expect(throws: PlugboardError.self) { try decode("[Price]", "1 -2") }
        let refused = #expect(throws: PlugboardError.self) { try decode("Price", "dear") }

        #expect(
            negative?.description
                == "body.decode: The body cannot be read as the model [Price]: a price is not negative")
        #expect(refused?.description == "body.decode: Words are not Int.")
    }
}
