/// Which function of a plugin runs, by the name that `plugboard.h` gives it (hooks as in Swift).
enum CalledHook: UInt8, Sendable {
    case onRequest, onResponse, onFailure, onClose, onEvent, pull
    case create, start, stop, destroy, command
    /// What a plugin handed in with a body, with bytes, with a state; with a pull, a sub-request or a timer of its own.
    case rewind, release, pulled, answered, fired
    /// A file's constructors and its entry function.
    case load
    /// Of the extension PLUG_ATTRIBUTES.
    case check

    /// Those that exchanges call; the first ones.
    static let ofExchanges: [CalledHook] = [.onRequest, .onResponse, .onFailure, .onClose, .onEvent, .pull]

    /// Whether its verdict counts.
    var isSteering: Bool { rawValue <= CalledHook.onFailure.rawValue }
}

extension Stage {
    var hook: CalledHook {
        switch self {
        case .request: .onRequest
        case .response: .onResponse
        case .failure: .onFailure
        }
    }
}
