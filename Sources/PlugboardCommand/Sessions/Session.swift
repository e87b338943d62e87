import Plugboard
import PlugboardCore
import PlugboardKit
import PlugboardMessages
import PlugboardSystem
import Synchronization

/// A named session: what requests have in common that several processes send, bound to origins.
///
/// Its folder, below the user's state folder, has `session.json` and the plugin's `cookies.sqlite`.
final class Session: Sendable {
    private struct State {
        var contents: SessionContents
        /// The origins whose parts must be written.
        var changed: Set<String> = []
        /// Whether the session stays as it is.
        var isReadOnly: Bool
        var hasWarned = false
    }

    private static let used = Mutex<Session?>(nil)

    /// The session of this process; nil without one.
    static var current: Session? { used.withLock { $0 } }

    /// Leaves the current session, which the next request of a command line need not have.
    static func end() { used.withLock { $0 = nil } }

    let folder: SessionFolder
    private let routes: ConfiguredRoutes
    private let state: Mutex<State>

    /// Reads the session, which may not exist yet, and makes it the current one.
    init(_ name: String, isReadOnly: Bool, _ settings: KernelSettings) throws(CommandFailure) {
        folder = try isReadOnly ? .existing(name, settings) : .made(name, settings)
        routes = ConfiguredRoutes(settings)
        state = Mutex(State(contents: try folder.contents(), isReadOnly: isReadOnly))
        Session.used.withLock { $0 = self }
    }

    /// Whether any origin has a credential.
    var hasCredentials: Bool { state.withLock { $0.contents.parts.values.contains { $0.credential != nil } } }

    /// Adds to the request what the session keeps for its origin, unless the command line says otherwise, and keeps
    /// what the command line says.
    ///
    /// - Parameter arguments: The fields of the command line.
    func complete(_ request: inout Request, with arguments: [FieldArgument]) {
        guard let origin = Origin(url: request.url) else { return }
        let route = routes.route(of: request)
        // What was kept for a server whose certificate was verified is for no other, and the other way round.
        let trust = route.isVerified ? "" : " unverified"
        if !route.isVerified { warn() }
        let key = "\(origin)\(route.detour.map { " by \($0)" } ?? "")\(trust)"
        let given = Credential(of: request)
        let part = state.withLock { state in
            var part = state.contents.parts[key] ?? SessionContents.Part()
            part.take(arguments)
            if let given { part.credential = given.kept ?? part.credential }
            if part != state.contents.parts[key] ?? SessionContents.Part() {
                state.contents.parts[key] = part
                state.changed.insert(key)
            }
            return part
        }
        let names = Set(arguments.map(\.name))
        let own = part.fields.filter { !names.contains($0.name) }
        for field in own { request.fields.remove(field.name) }
        for field in own { request.fields.append(field.name, field.value) }
        // What is kept for one origin does not follow a redirect to another.
        for field in part.fields where !Session.harmless.contains(field.name) { request.fields.markSecret(field.name) }
        guard given == nil, request.fields[.authorization] == nil else { return }
        switch part.credential {
        case .basic(let user, let password): request.authentication.basic(user: user, password: password)
        case .bearer(let token): request.authentication.bearer(token)
        case nil: break
        }
    }

    private func warn() {
        let isFirst = state.withLock { state in
            defer { state.hasWarned = true }
            return !state.hasWarned
        }
        guard isFirst else { return }
        StandardError.warn(
            "without verification (-k), nothing is sent that session \(folder.name) has kept with it, and no cookies are "
                + "kept; --cacert FILE trusts a certificate")
    }

    /// Fields that are no secrets of a session, and on which the responses of other origins may depend.
    private static let harmless: Set<FieldName> = [
        .userAgent, .accept, "Accept-Language", "Accept-Encoding", "Accept-Charset",
    ]

    /// Keeps nothing of this process's requests, because they are not sent.
    func leave() { state.withLock { $0.isReadOnly = true } }

    /// Writes what has changed. Origins that other processes have changed since stay as they are.
    func save() throws(CommandFailure) {
        let state = self.state.withLock { state in
            defer { state.changed = [] }
            return state
        }
        guard !state.isReadOnly, !state.changed.isEmpty else { return }
        // Between reading and writing, no other process may write.
        let lock = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if lock >= 0 { flock(lock, LOCK_EX) }
        defer { if lock >= 0 { close(lock) } }
        var contents = try folder.contents()
        for origin in state.changed { contents.parts[origin] = state.contents.parts[origin] }
        try PrivateFile.write(contents.bytes, to: folder.file, replaces: true)
    }

    /// The credential of the command line.
    private struct Credential {
        /// The credential to keep; nil if a session does not keep it, such as the command that prints a token.
        let kept: SessionContents.Credential?

        /// Nil for a request without one.
        init?(of request: Request) {
            let given = request.authentication
            switch (given.scheme, given.user, given.password, given.token) {
            case (nil, _, _, _): return nil
            case (.basic?, let user?, let password?, _): kept = .basic(user: user, password: password)
            case (.bearer?, _, _, let token?): kept = .bearer(token)
            default: kept = nil
            }
        }
    }
}
