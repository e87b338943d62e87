import PlugboardJSONSchema
import PlugboardKit

/// Checks a body while it is read. Passes its pieces unchanged; an invalid piece breaks the body.
///
/// Sendable because the kernel pulls it on the loop only, one piece at a time: a piece that another thread checks is
/// the only one until its pull is completed.
final class CheckedBody: BodySource, @unchecked Sendable {
    /// More bytes than this, with the kept part of an array or object, are checked by another thread.
    private static let keptLimit = 64 << 10
    /// The limit for pieces with strings that regular expressions check.
    private static let patternLimit = 256
    /// Schemas with more rules lower the limit, because they may need longer for each value.
    private static let ruleLimit = 256

    private let inner: InnerBody
    private let schema: JSONSchema
    private let judge: Judge
    /// Nil if a hold decides about a larger body; else whether it passes unchecked.
    private let passesLarger: Bool?
    private var validation: StreamedValidation
    private var count = 0
    private var isDone = false

    init(_ inner: InnerBody, _ schema: JSONSchema, _ judge: Judge, passesLarger: Bool?) {
        self.inner = inner
        self.schema = schema
        self.judge = judge
        self.passesLarger = passesLarger
        validation = CheckedBody.validation(schema, judge)
    }

    private static func validation(_ schema: JSONSchema, _ judge: Judge) -> StreamedValidation {
        var options = JSONDocument.Options()
        // The plugin applies its own limit.
        options.sizeLimit = .max
        return schema.validation(options: options, limit: Judge.reasonLimit, valueLimit: judge.valueLimit)
    }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }

    func rewind() -> Bool {
        guard inner.rewind() else { return false }
        validation = CheckedBody.validation(schema, judge)
        count = 0
        isDone = false
        return true
    }

    func release() { inner.release() }

    func pull(_ pull: Pull) {
        inner.forwardAccepted(pull) { [self] piece in
            if isDone { return true }
            switch piece {
            case .bytes(let bytes): return accepts(bytes, pull)
            case .end: return finishes(pull)
            case .broken: return true
            }
        }
    }

    private func accepts(_ bytes: UnsafeRawBufferPointer, _ pull: Pull) -> Bool {
        count += bytes.count
        if count > judge.limit.bytes {
            // The piece is not checked at all, so that a hold decides by the size alone.
            isDone = true
            if passesLarger ?? true { return true }
            guard let error = judge.judge(judge.tooLarge) else { return true }
            pull.fail(error)
            return false
        }
        guard isLong(bytes.count) else {
            return decide({ () throws(JSONDocumentError) in try validation.update(bytes) }, pull)
        }
        let piece = Bytes(copying: bytes)
        Task { [self] in
            let isValid = decide(
                { () throws(JSONDocumentError) in
                    try Result { () throws(JSONDocumentError) in
                        try piece.withUnsafeBytes { bytes throws(JSONDocumentError) in try validation.update(bytes) }
                    }.get()
                }, pull)
            if isValid { pull.give(piece) }
        }
        return false
    }

    /// Whether this many further bytes, with the kept ones, could take long to check.
    private func isLong(_ count: Int) -> Bool {
        let count = validation.keptByteCount + count
        if schema.usesPatterns { return count > CheckedBody.patternLimit }
        let rules = max(schema.ruleCount, CheckedBody.ruleLimit)
        return count > CheckedBody.keptLimit / (rules / CheckedBody.ruleLimit)
    }

    /// Checks what is kept until the end, such as a number.
    private func finishes(_ pull: Pull) -> Bool {
        guard isLong(0) else {
            return decide({ () throws(JSONDocumentError) in try validation.finish() }, pull, atEnd: true)
        }
        Task { [self] in
            if decide({ () throws(JSONDocumentError) in try validation.finish() }, pull, atEnd: true) { pull.end() }
        }
        return false
    }

    /// Whether the piece passes; if not, the pull is completed with the error.
    private func decide(
        _ check: () throws(JSONDocumentError) -> ValidationResult?, _ pull: Pull, atEnd: Bool = false
    ) -> Bool {
        var found: PlugboardError?
        do throws(JSONDocumentError) { found = judge.error(of: try check()) } catch { found = judge.error(of: error) }
        guard found != nil || atEnd else { return true }
        isDone = true
        guard let error = judge.judge(found) else { return true }
        pull.fail(error)
        return false
    }
}
