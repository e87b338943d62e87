import PlugboardMessages
import PlugboardStore

extension StoreContract {
    static var valueCases: [Case] {
        [
            Case("what was put is read, in the order of the keys, and a key that does not exist is nil") { contract in
                try await contract.perform(.put([contract.entry("a", "one"), contract.entry("b", "")]))

                let texts = try await contract.texts("b", "absent", "a", "b")

                try contract.expect(texts, ["", nil, "one", ""], "The values")
            },
            Case("values are bytes of any kind, up to the largest, and so are keys of the longest length") { contract in
                let bytes = Bytes((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                let start = contract.key("")
                let key = start + String(repeating: "ü", count: (512 - start.utf8.count) / 2)
                try await contract.perform(.put([StoreEntry(key, bytes, timeToLive: long)]))

                let values = try await contract.perform(.get([key])).values

                try contract.expect(values.map { $0?.array == bytes.array }, [true], "The largest value is the same")
            },
            Case("a value that is put again has the new bytes and the new time to live") { contract in
                try await contract.perform(.put([contract.entry("a", "old", .seconds(2))]))
                try await contract.perform(.put([contract.entry("a", "new")]))
                try await contract.pass(.seconds(3))

                try contract.expect(try await contract.texts("a"), ["new"], "The value")
            },
            Case("a key is gone after its time to live, and not before") { contract in
                try await contract.perform(
                    .put([contract.entry("short", "x", .seconds(2)), contract.entry("long", "y")]))
                let before = try await contract.texts("short", "long")
                try await contract.pass(.seconds(3))

                try contract.expect(before, ["x", "y"], "The values before")
                try contract.expect(try await contract.texts("short", "long"), [nil, "y"], "The values after")
            },
            Case("several values are put all or none") { contract in
                let bad = StoreEntry(
                    contract.key("bad"), Bytes([UInt8](repeating: 0, count: 1_048_577)), timeToLive: long)
                try await contract.expect(
                    .invalid, .put([contract.entry("good", "x"), bad]), "A value that is too large")

                try contract.expect(try await contract.texts("good"), [nil], "The value beside it")
            },
            Case("what was removed is gone, and to remove what does not exist is no error") { contract in
                try await contract.perform(.put([contract.entry("a", "x"), contract.entry("b", "y")]))
                try await contract.perform(.remove([contract.key("a"), contract.key("absent")]))

                try contract.expect(try await contract.texts("a", "b"), [nil, "y"], "The values")
            },
            Case("a value is replaced only if it is the expected one") { contract in
                let first = StoreCommand.compareAndSet(contract.entry("a", "1"), expected: nil)
                try await contract.perform(first)
                try await contract.expect(.refused, first, "A key that exists already")
                let wrong = StoreCommand.compareAndSet(contract.entry("a", "3"), expected: Bytes([0x39]))
                try await contract.expect(.refused, wrong, "Another value")
                try await contract.perform(.compareAndSet(contract.entry("a", "2"), expected: Bytes([0x31])))
                let absent = StoreCommand.compareAndSet(contract.entry("b", "2"), expected: Bytes([0x31]))
                try await contract.expect(.refused, absent, "A key that does not exist")

                try contract.expect(try await contract.texts("a", "b"), ["2", nil], "The values")
            },
            Case("of many that replace the same value at once, one succeeds") { contract in
                let command = StoreCommand.compareAndSet(contract.entry("a", "x"), expected: nil)

                try contract.expect(try await contract.countDone(50, command), 1, "Those that succeed")
            },
        ]
    }

    static var numberCases: [Case] {
        [
            Case("a number begins at 0, is counted up and down, and is read as digits") { contract in
                let numbers = try await [5, -7, 3].asyncMap { delta in
                    try await contract.perform(.add(contract.key("n"), delta, timeToLive: long)).number
                }

                try contract.expect(numbers, [5, -2, 1], "The numbers")
                try contract.expect(try await contract.texts("n"), ["1"], "The value")
            },
            Case("a number keeps the time to live with which it was made") { contract in
                try await contract.perform(.add(contract.key("n"), 1, timeToLive: .seconds(2)))
                try await contract.perform(.add(contract.key("n"), 1, timeToLive: long))
                try await contract.pass(.seconds(3))

                let number = try await contract.perform(.add(contract.key("n"), 1, timeToLive: long)).number

                try contract.expect(number, 1, "The number after its time")
            },
            Case("what is no number is not counted up, and neither is a sum beyond 64 bits") { contract in
                try await contract.perform(.put([contract.entry("a", "x")]))
                try await contract.perform(.add(contract.key("n"), .max, timeToLive: long))

                try await contract.expect(.invalid, .add(contract.key("a"), 1, timeToLive: long), "A text")
                try await contract.expect(.invalid, .add(contract.key("n"), 1, timeToLive: long), "The largest number")
                try contract.expect(try await contract.texts("a", "n"), ["x", "\(Int64.max)"], "The values")
            },
            Case("none of many additions at once is lost") { contract in
                try contract.expect(
                    try await contract.countDone(100, .add(contract.key("n"), 2, timeToLive: long)), 100, "Additions")

                try contract.expect(try await contract.texts("n"), ["200"], "The sum")
            },
        ]
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
