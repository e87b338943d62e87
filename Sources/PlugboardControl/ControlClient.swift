import CPlugboardControl
import PlugboardFieldValues
import PlugboardJSON
import PlugboardMessages
import PlugboardSystem

/// A connection to the socket of a running program, as the command uses it. Used by one thread at a time; its functions
/// block.
package final class ControlClient {
    /// The longest line that is read, in bytes: that of a plugin's longest reply.
    private static let lengthLimit = 32 << 20

    /// What comes next.
    package enum Next {
        case line(JSONObject)
        /// Nothing came in time.
        case nothing
        /// The program has closed the socket.
        case end
    }

    /// What the program says of itself first: `plugboard`, `control` and `pid`.
    package private(set) var greeting: JSONObject = [:]
    private let path: String
    private let file: Int32
    private var input: [UInt8] = []
    /// How far `input` was searched for the end of a line.
    private var searched = 0
    private var lastID = 0

    /// Throws `control.socket` if no program of this user listens at the path.
    package init(_ path: String) throws(PlugboardError) {
        self.path = path
        file = ccontrol_open(1)
        guard file >= 0 else { throw ControlClient.error(path, systemText(errno)) }
        guard ccontrol_connect(file, path) == 0 else {
            let cause = errno
            let reason =
                cause == ECONNREFUSED ? "the program that listened there has ended" : UnixControl.text(of: cause)
            throw ControlClient.error(path, reason)
        }
        guard ccontrol_peer_user(file) == Int(geteuid()) else {
            throw ControlClient.error(path, "another user's process listens there")
        }
        switch try next(within: 5000) {
        case .line(let line) where line["control"] == 1: greeting = line
        case .nothing: throw ControlClient.error(path, "it has its most peers already, or does not respond")
        case .line, .end:
            throw ControlClient.error(path, "what listens there is no program of this version of Plugboard")
        }
    }

    deinit { close(file) }

    private static func error(_ path: String, _ cause: String) -> PlugboardError {
        PlugboardError(
            .controlSocket,
            "No program can be reached at \(Printable.text(path)): \(cause). Its configuration must name this socket as "
                + "kernel.control.")
    }

    /// Sends a request, which gets the returned id.
    @discardableResult
    package func send(_ members: JSONObject) throws(PlugboardError) -> Int {
        lastID += 1
        var members = members
        members["id"] = .number(JSONNumber(lastID))
        var rest = ControlText.line(members)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                PlugboardSystem.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ControlClient.error(path, systemText(errno)) }
            rest = rest.dropFirst(count)
        }
        return lastID
    }

    /// Sends a request and returns its result. Lines about other things are passed over.
    ///
    /// - Parameter take: Called with the pieces of a body, which come before the result.
    package func ask(
        _ members: JSONObject, _ take: ([UInt8]) throws -> Void = { _ in }
    ) throws -> JSONValue {
        let id = try send(members)
        while true {
            guard case .line(let line) = try next() else {
                throw ControlClient.error(path, "the program has closed the connection")
            }
            guard line["id"]?.numberValue?.integer(Int.self) == id else { continue }
            if let bytes = line["bytes"]?.stringValue.flatMap({ Base64.decode($0) }) {
                try take(bytes)
            } else if let error = line["error"] {
                var failure = PlugboardError(
                    PlugboardError.Code(error["code"]?.stringValue ?? "control.request"),
                    error["reason"]?.stringValue ?? "")
                failure.plugin = error["plugin"]?.stringValue
                throw failure
            } else {
                return line["result"] ?? .null
            }
        }
    }

    /// The next line.
    ///
    /// - Parameter limit: The longest wait in milliseconds; negative for none.
    package func next(within limit: Int32 = -1) throws(PlugboardError) -> Next {
        while true {
            if let end = input[searched...].firstIndex(of: 0x0A) {
                let line = input[..<end]
                defer {
                    input.removeFirst(end + 1)
                    searched = 0
                }
                guard let object = try? JSONParser.parse(line).objectValue else {
                    throw ControlClient.error(path, "what comes from there is no JSON")
                }
                return .line(object)
            }
            searched = input.count
            guard input.count <= ControlClient.lengthLimit else {
                throw ControlClient.error(path, "a line from there is longer than \(ControlClient.lengthLimit) bytes")
            }
            var wanted = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            if limit >= 0, poll(&wanted, 1, limit) == 0 { return .nothing }
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            let count = read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .end }
            input += piece[..<count]
        }
    }
}
