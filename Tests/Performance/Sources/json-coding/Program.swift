// Decodes and encodes the same documents with PlugboardJSONCoding and with Foundation, in turns, and prints a table.
//
//     json-coding [--quick]
//     json-coding DOCUMENT decode|encode foundation|plugboard COUNT      one of them alone, for a profiler
import FoundationEssentials
import Glibc
import PlugboardJSON
import PlugboardJSONCoding

/// What is measured of one document.
struct Document {
    let name: String
    let text: [UInt8]
    let isRewritten: Bool
    /// Each is run once to measure it.
    let works: [(name: String, run: (_ isFoundation: Bool) throws -> Void)]

    /// - Parameter rewrite: Gives the document another form with the same values.
    init<Model: Codable & Equatable>(
        _ name: String, _ model: Model, rewrite: (([UInt8]) -> [UInt8])? = nil
    ) throws {
        let written = [UInt8](try JSONEncoder().encode(model))
        let text = rewrite?(written) ?? written
        let data = Data(text)
        let (ours, theirs) = (JSONValueDecoder(strict: false), JSONDecoder())
        let (ourEncoder, theirEncoder) = (JSONValueEncoder(), JSONEncoder())
        self.name = name
        self.text = text
        isRewritten = rewrite != nil
        // What is fast and wrong is not measured.
        guard try ours.decode(Model.self, from: text) == model,
            try theirs.decode(Model.self, from: Data(try ourEncoder.bytes(of: model))) == model
        else { fatalError("\(name) is not decoded to what it was made of") }
        works = [
            (
                "decode",
                {
                    if $0 {
                        keep(try theirs.decode(Model.self, from: data))
                    } else {
                        keep(try ours.decode(Model.self, from: text))
                    }
                }
            ),
            (
                "encode",
                {
                    if $0 { keep(try theirEncoder.encode(model)) } else { keep(try ourEncoder.bytes(of: model)) }
                }
            ),
        ]
    }

    static func all() throws -> [Document] {
        var values = Sequence64()
        let messages = (0..<1000).map { _ in Message(&values) }
        return [
            try Document("flat rows", (0..<6000).map { _ in Row(&values) }),
            try Document("nested topics", (0..<2000).map { _ in Topic(&values) }),
            try Document("numbers", (0..<60).map { _ in Measured(&values) }),
            try Document("texts", messages),
            try Document("texts, all but ASCII escaped", messages, rewrite: escaped),
            try Document(
                "an object of 10,000 keys",
                Dictionary(
                    uniqueKeysWithValues: (0..<10_000).map {
                        ("files/\($0)/name.swift", Entry(size: $0, hash: "\(values.next())", links: nil))
                    })),
        ]
    }

    /// As many libraries write it.
    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        var result = ""
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return Array(result.utf8)
    }
}

/// Keeps the optimizer from leaving the work out.
@inline(never) func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }

/// Nanoseconds of this thread's own work, so that a busy machine counts little.
func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

@main struct Program {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let documents = try Document.all()
        if words.count == 4, let document = documents.first(where: { $0.name == words[0] }) {
            guard let work = document.works.first(where: { $0.name == words[1] }) else { return }
            for _ in 0..<(Int(words[3]) ?? 1) { try work.run(words[2] == "foundation") }
            return
        }
        print("| document | size | | Foundation | Plugboard | |")
        print("|---|---:|---|---:|---:|---:|")
        for document in documents { try measure(document, rounds: words.contains("--quick") ? 8 : 40) }
    }

    /// Both take turns, and the best round of each counts.
    private static func measure(_ document: Document, rounds: Int) throws {
        // What is encoded has no other form.
        for (name, run) in document.works where name == "decode" || !document.isRewritten {
            var best = [false: Double.infinity, true: Double.infinity]
            for _ in 0..<rounds {
                for isFoundation in [true, false] {
                    let start = threadTime()
                    try run(isFoundation)
                    best[isFoundation] = min(best[isFoundation] ?? .infinity, threadTime() - start)
                }
            }
            let (theirs, ours) = (best[true] ?? 0, best[false] ?? 0)
            func speed(_ time: Double) -> String { "\((Double(document.text.count) * 1e4 / time).rounded() / 10) MB/s" }
            let ratio = (theirs / ours * 100).rounded() / 100
            print(
                "| \(document.name) | \(document.text.count) | \(name) | \(speed(theirs)) | \(speed(ours)) | \(ratio) × |"
            )
        }
    }
}
