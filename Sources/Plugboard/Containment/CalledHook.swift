/// Which function of a plugin runs.
enum CalledHook: UInt8, Sendable {
    case onRequest, onResponse, onFailure, onClose, onEvent, pull
    case create, start, stop, destroy

    /// Those that exchanges call.
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
