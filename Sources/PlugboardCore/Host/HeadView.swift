import CPlugboard
import PlugboardBorder

/// What C sees as a head: the request's or the response's of an exchange, or one that stands by itself.
///
/// The pointer to a head of an exchange is that to the exchange, and the lowest bits say which head it is: each
/// exchange with plugins needs one or two, and hooks ask for them again and again.
struct HeadView {
    /// A head of an exchange, as the lowest bits of its pointer.
    enum Kind: UInt { case request = 1, response = 2 }

    // Unmanaged, so that reading a head counts no references. The exchange outlives the pointers to its heads.
    private let owner: Unmanaged<ExchangeCore>?
    private let isRequest: Bool
    private let alone: Unmanaged<HeadNode>?

    /// The head of a pointer; nil for NULL.
    @inline(__always)
    init?(_ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        let bits = UInt(bitPattern: pointer)
        guard let kind = Kind(rawValue: bits & 3) else {
            (owner, isRequest, alone) = (nil, false, .fromOpaque(UnsafeRawPointer(pointer)))
            return
        }
        owner = .fromOpaque(UnsafeRawPointer(pointer) - Int(bits & 3))
        (isRequest, alone) = (kind == .request, nil)
    }

    private var exchange: ExchangeCore? { owner?.takeUnretainedValue() }

    // MARK: Reading

    var count: Int { withFields { $0.count } }

    var status: Int {
        if let alone { return alone._withUnsafeGuaranteedRef { $0.status } }
        return isRequest ? 0 : owner?._withUnsafeGuaranteedRef { $0.response?.head.status } ?? 0
    }

    /// The method of a request; {NULL, 0} for a response.
    var method: plug_text {
        guard isRequest, let owner else { return plug_text() }
        return owner._withUnsafeGuaranteedRef { exchange in
            // The most frequent method needs no copy.
            exchange.request.head.method == .get
                ? HeadView.get.text : exchange.scratch.text(exchange.request.head.method.name)
        }
    }

    private static let get = ImmortalText("GET")

    /// The URL of a request; {NULL, 0} for a response.
    var url: plug_text {
        guard isRequest, let owner else { return plug_text() }
        return owner._withUnsafeGuaranteedRef { $0.scratch.text($0.request.head.url) }
    }

    /// The value of the first field of a name, without a copy.
    func field(_ name: UnsafeRawBufferPointer) -> plug_text {
        withFields { fields in
            fields.withValue(name) { value in
                guard let value else { return plug_text() }
                noteReading()
                return plug_text(value)
            }
        }
    }

    func field(at index: UInt64) -> plug_field? {
        withFields { fields in
            guard index < UInt64(fields.count) else { return nil }
            noteReading()
            return fields.withField(Int(index)) { plug_field(name: plug_text($0), value: plug_text($1)) }
        }
    }

    /// Writes views of the fields from an index on, as many as there is room for. Returns their number.
    func read(from first: UInt64, to views: UnsafeMutableBufferPointer<plug_head_field_v1>) -> UInt64 {
        withFields { fields in
            guard first < UInt64(fields.count) else { return 0 }
            noteReading()
            let first = Int(first)
            let count = min(views.count, fields.count - first)
            for index in 0..<count {
                let flags = fields.isSecret(at: first + index) ? PLUG_FLAG_SECRET : 0
                fields.withField(first + index) { name, value in
                    views.initializeElement(
                        at: index,
                        to: plug_head_field_v1(
                            name: plug_text(name), value: plug_text(value), flags: flags, reserved: 0))
                }
            }
            return UInt64(count)
        }
    }

    func isSecret(at index: UInt64) -> Bool {
        withFields { index < UInt64($0.count) && $0.isSecret(at: Int(index)) }
    }

    /// Looks at the fields without a copy: plugins ask for them one by one.
    @inline(__always)
    private func withFields<Result>(_ look: (borrowing Fields) -> Result) -> Result {
        if let alone { return alone._withUnsafeGuaranteedRef { $0.withFields(look) } }
        guard let owner else { return look(Fields()) }
        return owner._withUnsafeGuaranteedRef { exchange in
            if isRequest { return look(exchange.request.head.fields) }
            guard exchange.response != nil else { return look(Fields()) }
            return look(exchange.response!.head.fields)  // Checked above.
        }
    }

    /// Notes that bytes of the fields are handed out.
    @inline(__always)
    private func noteReading() { owner?._withUnsafeGuaranteedRef { $0.views.noteReading(isRequest) } }

    // MARK: Editing

    /// Whether this head can be edited now: the request while it goes inward or before a resend, the response in
    /// `on_response`.
    var isEditable: Bool {
        guard let exchange, exchange.frame.isSteering else { return false }
        return isRequest || exchange.steering.stage == .response
    }

    /// Edits the fields; values that were handed out stay readable until the hook returns.
    func edit(_ change: (inout Fields) -> Void) -> plug_result {
        guard isEditable, let exchange else { return PLUG_WRONG_TIME }
        if exchange.views.takeReading(isRequest) {
            exchange.scratch.keep(withFields { copy $0 })
        }
        if isRequest {
            exchange.willEditRequest()
            change(&exchange.request.head.fields)
            exchange.core.markSecrets(in: &exchange.request.head.fields)
        } else {
            guard exchange.response != nil else { return PLUG_WRONG_TIME }
            change(&exchange.response!.head.fields)  // Checked above.
            exchange.core.markSecrets(in: &exchange.response!.head.fields)
        }
        return PLUG_OK
    }

    func setStatus(_ status: Int) -> plug_result {
        guard isEditable, !isRequest, exchange?.response != nil else { return PLUG_WRONG_TIME }
        guard (200...999).contains(status) else { return PLUG_BAD_ARGUMENT }
        exchange?.response?.head.status = status
        return PLUG_OK
    }

    func editRequest(_ change: (inout Request) -> Void) -> plug_result {
        guard isEditable, isRequest, let exchange else { return PLUG_WRONG_TIME }
        exchange.willEditRequest()
        change(&exchange.request.head)
        return PLUG_OK
    }
}
