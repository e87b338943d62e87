/// Numbers that are the same at every run.
struct Sequence64 {
    private var state: UInt64 = 0x1234_5678_9ABC_DEF1

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
    mutating func chance(_ part: Double) -> Bool { fraction() < part }

    mutating func words(_ count: Int) -> String {
        let words = ["swift", "network", "plugin", "request", "of", "the", "body", "a", "kernel", "and", "response"]
        return (0..<count).map { _ in words[number(below: words.count)] }.joined(separator: " ")
    }
}

/// Rows of a table: flat objects whose keys are in the order of the properties.
struct Row: Codable, Equatable {
    var id: Int
    var name: String
    var email: String
    var isActive: Bool
    var balance: Double
    var created: String
    var visits: Int
    var note: String?

    init(_ values: inout Sequence64) {
        id = values.number(below: 1_000_000)
        name = values.words(2)
        email = "\(values.next() % 100_000)@mail.example"
        isActive = values.chance(0.5)
        balance = Double(values.number(below: 1_000_000)) / 100
        created = "2026-\(10 + values.number(below: 3))-\(10 + values.number(below: 19))T12:00:00Z"
        visits = values.number(below: 5000)
        note = values.chance(0.3) ? values.words(4) : nil
    }
}

/// Objects in arrays in objects, with optionals, an enum and a dictionary.
struct Topic: Codable, Equatable {
    struct Author: Codable, Equatable {
        var login: String
        var id: Int
        var avatar: String?
        var isStaff: Bool
    }
    struct Comment: Codable, Equatable {
        var author: Author
        var text: String
        var likes: Int
        var replies: [Comment]
    }
    enum State: String, Codable { case open, closed, locked }

    var id: Int
    var title: String
    var state: State
    var author: Author
    var labels: [String]
    var comments: [Comment]
    var counts: [String: Int]
    var parent: Int?

    init(_ values: inout Sequence64) {
        id = values.number(below: 1_000_000)
        title = values.words(6)
        state = [.open, .closed, .locked][values.number(below: 3)]
        author = Self.author(&values)
        labels = (0..<values.number(below: 5)).map { _ in values.words(1) }
        comments = (0..<values.number(below: 5)).map { _ in Self.comment(&values, depth: 0) }
        counts = ["views": values.number(below: 10_000), "likes": values.number(below: 100), "+1": 3]
        parent = values.chance(0.5) ? values.number(below: 1000) : nil
    }

    private static func author(_ values: inout Sequence64) -> Author {
        let name = values.words(1)
        return Author(
            login: name, id: values.number(below: 10_000),
            avatar: values.chance(0.7) ? "https://images.example/\(name).png" : nil, isStaff: values.chance(0.1))
    }

    private static func comment(_ values: inout Sequence64, depth: Int) -> Comment {
        Comment(
            author: author(&values), text: values.words(12), likes: values.number(below: 50),
            replies: depth < 3 && values.chance(0.4) ? [comment(&values, depth: depth + 1)] : [])
    }
}

/// Numbers in arrays: measured values with all their digits, counts and coordinates.
struct Measured: Codable, Equatable {
    struct Point: Codable, Equatable {
        var x: Double
        var y: Double
        var z: Float
    }

    var samples: [Double]
    var counts: [Int]
    var points: [Point]
    var outline: [[Double]]
    var limits: [UInt64]

    init(_ values: inout Sequence64) {
        samples = (0..<200).map { _ in values.fraction() * 1000 - 500 }
        counts = (0..<200).map { _ in values.number(below: 100_000) }
        points = (0..<50).map { _ in
            Point(x: values.fraction() * 180, y: values.fraction() * 90, z: Float(values.number(below: 8000)) / 8)
        }
        outline = (0..<100).map { _ in
            [Double(values.number(below: 180_000_000)) / 1e6, Double(values.number(below: 90_000_000)) / 1e6]
        }
        limits = (0..<50).map { _ in values.next() }
    }
}

/// Texts of several scripts, with line breaks, quotes and slashes.
struct Message: Codable, Equatable {
    var subject: String
    var body: String
    var quoted: [String]
    var path: String

    init(_ values: inout Sequence64) {
        let texts = [
            "Grüße aus Köln, schöne Straßen", "Привет, как дела сегодня?", "こんにちは、世界の皆さん", "안녕하세요 여러분",
            "She said \"hello\" and left.", "first line\nsecond line\tand a tab", "emoji: 👩‍🚀🚀 and 𝒳", "مرحبا بالعالم",
            "plain words that need nothing at all, as most of any text does",
        ]
        func text(_ count: Int) -> String {
            (0..<count).map { _ in texts[values.number(below: texts.count)] }.joined(separator: "\n")
        }
        subject = text(1)
        body = text(8)
        quoted = (0..<3).map { _ in text(2) }
        path = "C:\\files\\\(values.number(below: 1000))\\a/b/c"
    }
}

/// An object with many keys, whose values are small objects.
struct Entry: Codable, Equatable {
    var size: Int
    var hash: String
    var links: [String]?
}
