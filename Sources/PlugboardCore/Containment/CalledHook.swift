/// Which function of a plugin runs, by the name that `plugboard.h` gives it (hooks as in Swift).
enum CalledHook: UInt8, Sendable {
    case onRequest, onResponse, onFailure, onClose, onEvent, pull
    case create, check, start, service, stop, destroy, command
    /// Functions that a plugin handed in: with a body, with bytes, with a state; with a pull, a sub-request, a timer, a
    /// descriptor or work of its own.
    case rewind, release, pulled, completed, fired, ready, work, done
    /// A file's constructors and its entry function.
    case load

    /// The hooks that exchanges call, and `pull`. They come first.
    static let ofExchanges: [CalledHook] = [.onRequest, .onResponse, .onFailure, .onClose, .onEvent, .pull]

    /// Whether it is one of `ofExchanges`: called on the loop, and measured.
    @inline(__always)
    var isOfExchanges: Bool { rawValue <= CalledHook.pull.rawValue }

    /// Whether its verdict counts.
    @inline(__always)
    var isSteering: Bool { rawValue <= CalledHook.onFailure.rawValue }
}

extension Stage {
    /// The hook of this stage.
    var hook: CalledHook {
        switch self {
        case .request: .onRequest
        case .response: .onResponse
        case .failure: .onFailure
        }
    }
}
