import CPlugboard
import PlugboardBorder

/// What C sees as a head: the request's or the response's of an exchange, or one that stands by itself.
final class HeadNode: OpaqueNode {
    enum Kind {
        // The exchange owns its two nodes, so it outlives them.
        case request(ExchangeCore)
        case response(ExchangeCore)
        case alone
    }

    // Unmanaged, so that reading a head counts no references.
    private var owner: Unmanaged<ExchangeCore>?
    private var exchange: ExchangeCore? { owner?.takeUnretainedValue() }
    private var isRequest = false
    /// A head that stands by itself.
    private var alone: ResponseHead?
    private lazy var ownScratch = Scratch()
    private var wasRead = false

    init(_ kind: Kind) { become(kind) }

    /// Makes it another head, because each exchange with plugins needs one or two.
    func become(_ kind: Kind) {
        wasRead = false
        switch kind {
        case .request(let exchange): (owner, isRequest) = (.passUnretained(exchange), true)
        case .response(let exchange): (owner, isRequest) = (.passUnretained(exchange), false)
        case .alone: (owner, isRequest) = (nil, false)
        }
    }

    convenience init(_ head: ResponseHead) {
        self.init(.alone)
        alone = head
    }

    /// Makes a head that stands by itself another one; nil for none.
    func show(_ head: ResponseHead?) { alone = head }

    // MARK: Reading

    var scratch: Scratch {
        guard let exchange else { return ownScratch }
        return exchange.scratch
    }

    var fields: Fields {
        guard let exchange else { return alone?.fields ?? Fields() }
        return isRequest ? exchange.request.head.fields : exchange.response?.head.fields ?? Fields()
    }

    var status: Int {
        guard let owner else { return alone?.status ?? 0 }
        return isRequest ? 0 : owner._withUnsafeGuaranteedRef { $0.response?.head.status ?? 0 }
    }

    /// The method of a request; {NULL, 0} for a response.
    var method: plug_text {
        guard isRequest, let owner else { return plug_text() }
        return owner._withUnsafeGuaranteedRef { exchange in
            // The most frequent method needs no copy.
            exchange.request.head.method == .get
                ? HeadNode.get.text : exchange.scratch.text(exchange.request.head.method.name)
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
        wasRead = true
        return withFields { $0.withValue(name) { value in value.map { plug_text($0) } ?? plug_text() } }
    }

    func field(at index: UInt64) -> plug_field? {
        wasRead = true
        return withFields { fields in
            guard index < UInt64(fields.count) else { return nil }
            return fields.withField(Int(index)) { plug_field(name: plug_text($0), value: plug_text($1)) }
        }
    }

    /// Writes views of the fields from an index on, as many as there is room for. Returns their number.
    func read(from first: UInt64, to views: UnsafeMutableBufferPointer<plug_head_field_v1>) -> UInt64 {
        wasRead = true
        return withFields { fields in
            guard first < UInt64(fields.count) else { return 0 }
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
        guard let owner else { return look(alone?.fields ?? Fields()) }
        return owner._withUnsafeGuaranteedRef { exchange in
            if isRequest { return look(exchange.request.head.fields) }
            guard exchange.response != nil else { return look(Fields()) }
            return look(exchange.response!.head.fields)  // Checked above.
        }
    }

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
        if wasRead {
            scratch.keep(fields)
            wasRead = false
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
