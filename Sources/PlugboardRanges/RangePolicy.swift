import PlugboardMessages

/// Decides how the missing bytes of a representation are requested, and how a response to that request can be used.
///
/// It never combines bytes unless both responses belong to the same strong validator (RFC 9110 §15.3.7.3). The only
/// exception is `overlap`, which the caller must ask for.
public struct RangePolicy: Sendable {
    /// The description by the first response.
    public let representation: Representation
    /// The offset of the first missing byte.
    public let next: Int
    /// The offset after the last wanted byte; nil for the end of the representation.
    public let end: Int?
    /// How many bytes before `next` are requested again and compared if there is no strong validator; nil does not
    /// continue such a representation.
    public let overlap: Int?

    /// Creates a policy for the bytes from `next` on.
    public init(_ representation: Representation, next: Int, end: Int? = nil, overlap: Int? = nil) {
        self.representation = representation
        self.next = next
        self.end = end
        self.overlap = overlap
    }

    /// The request for the missing bytes; nil if the representation cannot be continued.
    public var request: RangeRequest? {
        guard representation.acceptsRanges, next >= 0 else { return nil }
        let limit = end ?? representation.length
        guard limit.map({ next <= $0 }) ?? true else { return nil }
        var repeated = 0
        if representation.validator == nil {
            guard let overlap, overlap > 0, next > 0 else { return nil }
            repeated = min(overlap, next)
        } else if limit.map({ next < $0 }) != true {
            // The range includes an existing byte, so that it can always be satisfied: a 416 then always means that the
            // representation has changed.
            repeated = min(1, next)
        }
        return RangeRequest(
            first: next - repeated, last: end.map { $0 - 1 }, repeated: repeated,
            condition: representation.validator?.text)
    }

    /// Decides how a response to the request with these ranges is used.
    ///
    /// - Parameter bodyLength: The length of the response's own body, if it is known.
    public func decision(on response: ResponseHead, to request: RangeRequest, bodyLength: Int?) -> RangeDecision {
        switch response.status {
        case 200, 203:
            if ContentRange.contradictsWhole(response.fields, bodyLength: bodyLength) {
                return .refused(.contradiction)
            }
            let whole = Representation(status: response.status, fields: response.fields, length: bodyLength)
            if let validator = representation.validator, whole.validator == validator,
                whole.coding == representation.coding, let known = representation.length,
                let length = whole.length, length != known
            {
                return .refused(.otherLength)
            }
            return .whole(whole)
        case 206:
            switch part(response.fields, request, bodyLength) {
            case .success(let part): return .part(part)
            case .failure(let refusal): return .refused(refusal)
            }
        // The request had no precondition, to which these statuses respond.
        case 304, 412: return .refused(.precondition)
        case 416: return .refused(.unsatisfiable)
        default: return .other
        }
    }

    private func part(
        _ fields: Fields, _ request: RangeRequest, _ bodyLength: Int?
    ) -> Result<RangePart, RangeRefusal> {
        // RFC 9110 §15.3.7.2: several parts must not be sent for one range.
        if isMultipart(fields) { return .failure(.multipart) }
        guard fields.contains(.contentRange) else { return .failure(.noRange) }
        guard let range = fields.onlyValue(.contentRange).flatMap({ ContentRange($0) }) else {
            return .failure(.malformedRange)
        }
        guard range.bytes.lowerBound == request.first else { return .failure(.elsewhere) }
        let limit = end ?? range.complete ?? representation.length
        if let limit, range.bytes.upperBound > limit { return .failure(.tooLong) }
        if let known = representation.length, let complete = range.complete, known != complete {
            return .failure(.otherLength)
        }
        if let bodyLength, bodyLength != range.bytes.count { return .failure(.contentLength) }
        // RFC 9110 §15.3.7: a part may omit fields of the whole response, including Content-Encoding.
        if fields.contains(.contentEncoding) || representation.validator == nil,
            Representation.coding(fields) != representation.coding
        {
            return .failure(.otherCoding)
        }
        if let validator = representation.validator {
            guard fields.contains(.etag) || fields.contains(.lastModified) else { return .failure(.noValidator) }
            guard validator.holds(for: fields) else { return .failure(.otherValidator) }
        } else if Representation.marks(fields) != representation.marks {
            return .failure(.otherValidator)
        }
        // A part with existing bytes only would be requested again and again.
        let isProgress = range.bytes.upperBound > next || range.complete == next || representation.length == next
        guard isProgress else { return .failure(.tooShort) }
        return .success(
            RangePart(
                repeated: min(request.repeated, range.bytes.count), count: range.bytes.count,
                complete: range.complete ?? representation.length))
    }

    private func isMultipart(_ fields: Fields) -> Bool {
        fields.values(.contentType).contains { value in
            Array(value.utf8)[...].trimmed.prefix(10).map { $0 | 0x20 }.elementsEqual("multipart/".utf8)
        }
    }
}

/// One range to request (RFC 9110 §14.2).
public struct RangeRequest: Sendable, Equatable {
    /// The offset of the first byte.
    public let first: Int
    /// The offset of the last byte; nil for the end of the representation.
    public let last: Int?
    /// The number of bytes at the beginning that exist already.
    public let repeated: Int
    /// The value of `If-Range`; nil without a strong validator.
    public let condition: String?

    /// Sets `Range` and `If-Range`.
    public func set(in fields: inout Fields) {
        fields[.range] = "bytes=\(first)-\(last.map { "\($0)" } ?? "")"
        fields[.ifRange] = condition
    }
}

/// How a response to the request of `RangePolicy` can be used.
public enum RangeDecision: Sendable, Equatable {
    /// The body continues the existing bytes.
    case part(RangePart)
    /// The body is a whole representation, from its first byte: the server ignores ranges, or has another
    /// representation now (RFC 9110 §13.1.5).
    case whole(Representation)
    /// The body is unusable; a request without a range must be sent.
    case refused(RangeRefusal)
    /// The response does not describe the representation: for example, an error or a redirect.
    case other
}

/// The body of a usable 206.
public struct RangePart: Sendable, Equatable {
    /// The number of bytes at the beginning that exist already. They must be equal.
    public let repeated: Int
    /// The exact number of bytes of the body.
    public let count: Int
    /// The length of the whole representation, if it is known.
    public let complete: Int?
}

/// The reason why the response to a request with a range is unusable.
public enum RangeRefusal: String, Error, Sendable, CaseIterable {
    /// It is `multipart/byteranges` (RFC 9110 §15.3.7.2).
    case multipart
    /// A 206 without `Content-Range` (RFC 9110 §15.3.7.1).
    case noRange
    /// `Content-Range` is sent twice, has another unit, or is not valid (RFC 9110 §14.4).
    case malformedRange
    /// The part does not start at the requested byte.
    case elsewhere
    /// The part ends after the requested end.
    case tooLong
    /// The part has none of the missing bytes.
    case tooShort
    /// The length of the representation differs from the known one.
    case otherLength
    /// A 200 or 203 whose `Content-Range` is not that of the whole.
    case contradiction
    /// `Content-Length` is not the length of the range.
    case contentLength
    /// `Content-Encoding` differs from that of the existing bytes.
    case otherCoding
    /// The part has no validator.
    case noValidator
    /// The part has a different or weak validator.
    case otherValidator
    /// 304 or 412 without a precondition.
    case precondition
    /// 416: the representation has changed, or the server does not evaluate `If-Range`.
    case unsatisfiable

    /// The reason as a clause of an error: "the server …".
    public var reason: String {
        switch self {
        case .multipart: "sent several parts where one was requested"
        case .noRange: "sent a part without Content-Range"
        case .malformedRange: "sent a part whose Content-Range is not valid"
        case .elsewhere: "sent a part that does not start at the requested byte"
        case .tooLong: "sent a part that ends after the requested end"
        case .tooShort: "sent a part without the missing bytes"
        case .otherLength: "has another length for the whole now"
        case .contradiction: "sent a part with the status of the whole"
        case .contentLength: "sent a part whose Content-Length is not the length of its range"
        case .otherCoding: "sent a part in another content coding"
        case .noValidator: "sent a part without a validator"
        case .otherValidator: "has another version now"
        case .precondition: "responded to a precondition that was not sent"
        case .unsatisfiable: "has no such range (416)"
        }
    }
}
