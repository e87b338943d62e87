import PlugboardKit
import PlugboardRanges

/// The bytes of a response's body, and the representation that they belong to.
struct MendableBody: Sendable {
    /// The representation, which has a strong validator.
    let representation: Representation
    /// The offset of the body's first byte in the representation.
    let first: Int
    /// The offset after the body's last byte; nil for the end of the representation.
    let end: Int?

    /// Nil if the body cannot be mended.
    ///
    /// - Parameter length: The length of the response's body, if it is known.
    init?(status: Int, fields: Fields, length: Int?) {
        var complete = length
        if status == 206 {
            // A part with several ranges cannot be continued.
            let values = fields.values(.contentRange)
            guard values.count == 1, let range = ContentRange(values[0]), length == nil || length == range.bytes.count
            else { return nil }
            first = range.bytes.lowerBound
            end = range.bytes.upperBound
            complete = range.complete
        } else {
            first = 0
            end = nil
        }
        representation = Representation(status: status, fields: fields, length: complete)
        guard representation.validator != nil, representation.acceptsRanges else { return nil }
    }

    /// The policy that requests the bytes after the first `count` of the body.
    func policy(after count: Int) -> RangePolicy { RangePolicy(representation, next: first + count, end: end) }
}
