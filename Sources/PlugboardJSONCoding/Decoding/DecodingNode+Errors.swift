@_spi(Tape) import PlugboardJSON

extension DecodingNode {
    /// The error of a type's `init(from:)`, with its path. For an enum, the reason lists its words.
    @inline(never)
    func explained(_ error: any Error, _ type: Any.Type) -> any Error {
        guard let error = error as? DecodingError else {
            if session.failedPath == nil { session.failedPath = path }
            return error
        }
        guard case .dataCorrupted(let context) = error, let reason = wordReason(type) else { return error }
        let path = codingPath
        guard context.codingPath.count == path.count else { return error }
        return DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: reason))
    }

    /// The reason for an enum of words. The reason of the standard library would quote the value.
    private func wordReason(_ type: Any.Type) -> String? {
        guard kind == .string, type is any (RawRepresentable<String>).Type else { return nil }
        let words = (type as? any CaseIterable.Type).map { Self.words($0) } ?? []
        guard !words.isEmpty else {
            return "the string is not one of the known words"
        }
        let suggestion = Spelling.nearest(session.tokens.string(Int(token)), in: words).map {
            "; the nearest is \($0.quotedForError)"
        }
        return
            "one of \(words.map { $0.quotedForError }.joined(separator: ", ")) is expected\(suggestion ?? "")"
    }

    private static func words<Words: CaseIterable>(_ type: Words.Type) -> [String] {
        type.allCases.compactMap { ($0 as? any RawRepresentable<String>)?.rawValue }
    }
}
