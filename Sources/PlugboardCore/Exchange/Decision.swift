import CPlugboard
import PlugboardBorder

/// What a hook decided, with its payload.
enum Decision {
    case next
    case respond(OutwardResponse)
    case resend(Duration)
    case hold(Int)
    case wait(UInt64, deadline: Int64?)
    case fail(PlugboardError)

    /// The number that the hook returns with this payload.
    var code: UInt32 {
        switch self {
        case .next: PLUG_VERDICT_NEXT
        case .respond: PLUG_VERDICT_RESPOND
        case .resend: PLUG_VERDICT_RESEND
        case .hold: PLUG_VERDICT_HOLD
        case .wait: PLUG_VERDICT_WAIT
        case .fail: PLUG_VERDICT_FAIL
        }
    }

    /// Whether the same hook runs again.
    var isPause: Bool {
        switch self {
        case .hold, .wait: true
        default: false
        }
    }

    /// Releases the payload of a decision that will not be carried out.
    func drop() {
        if case .respond(let response) = self { response.body?.release() }
    }

    /// The decision in words, for a trace.
    var words: String {
        switch self {
        case .next: "next"
        case .respond(let response): "respond \(response.head.status)"
        case .resend(let delay): delay == .zero ? "resend" : "resend after \(DurationText(delay))"
        case .hold: "hold"
        case .wait: "wait"
        case .fail(let error): "fail \(error.code)"
        }
    }
}
