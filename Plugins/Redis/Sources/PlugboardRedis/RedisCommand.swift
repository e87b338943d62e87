/// A command in Redis's words.
struct RedisCommand: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var counts: [Int] = []
    /// The most bytes of its reply.
    let replyLimit: Int

    init(_ words: [String], replyLimit: Int = 65_536) {
        self.replyLimit = replyLimit
        for word in words { append(word.utf8) }
    }

    mutating func append(_ word: some Collection<UInt8>) {
        bytes.append(contentsOf: word)
        counts.append(word.count)
    }

    mutating func append(_ number: Int64) { append(String(number).utf8) }
}
