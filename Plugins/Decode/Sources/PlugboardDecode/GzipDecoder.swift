/// gzip (RFC 1952): one or more members, which form one body. Zeros after the last member are padding; other bytes are
/// an error.
final class GzipDecoder: ContentDecoder {
    private enum State { case between, inMember, padding }

    private let inflater: Inflater
    private var state = State.between

    init?() {
        guard let inflater = Inflater(.gzip) else { return nil }
        self.inflater = inflater
    }

    var isComplete: Bool { state != .inMember }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> DecodingStep {
        if state == .between, let first = input.first {
            state = first == 0 && inflater.isDone ? .padding : .inMember
            if state == .inMember && inflater.isDone { inflater.reset() }
        }
        switch state {
        case .between: return DecodingStep()
        case .padding:
            guard input.allSatisfy({ $0 == 0 }) else { throw .trailing }
            return DecodingStep(consumed: input.count)
        case .inMember:
            let step = try inflater.inflate(input, into: output)
            if inflater.isDone { state = .between }
            return step
        }
    }
}
