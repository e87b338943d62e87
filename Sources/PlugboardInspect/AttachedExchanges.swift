import Dispatch
import PlugboardControl
import PlugboardJSON
import PlugboardMessages

/// Exchanges of a running program, whose plugin recorder is asked over the program's socket.
struct AttachedExchanges: ExchangeSource {
    let sendsAgain = false
    private let path: String
    private let queue = DispatchQueue(label: "plugboard-inspect.attached")

    /// - Parameter path: `kernel.control` of the program. Throws if no program of this user listens there.
    init(_ path: String) throws(PlugboardError) {
        self.path = path
        _ = try ControlClient(path)
    }

    func har(after: Int, before: Int?, limit: Int) async throws(PlugboardError) -> [UInt8] {
        let arguments = RecordedExchanges.arguments(after: after, before: before, limit: limit)
        let (path, queue) = (path, queue)
        // The client blocks, and each request has a connection of its own, so that the program may be restarted.
        let result: Result<[UInt8], PlugboardError> = await withCheckedContinuation { done in
            queue.async { done.resume(returning: AttachedExchanges.ask(path, arguments)) }
        }
        return try result.get()
    }

    private static func ask(_ path: String, _ arguments: JSONObject) -> Result<[UInt8], PlugboardError> {
        do {
            var bytes: [UInt8] = []
            let client = try ControlClient(path)
            _ = try client.ask(
                ["do": "command", "plugin": "recorder", "name": "har", "arguments": .object(arguments)]
            ) { bytes += $0 }
            return .success(bytes)
        } catch let error as PlugboardError {
            return .failure(error)
        } catch {
            return .failure(PlugboardError(.controlSocket, "The program at \(Printable.text(path)) does not reply."))
        }
    }

    func sendAgain(_ id: Int) throws(PlugboardError) -> String {
        throw PlugboardError(
            .controlRequest, "A program's request is not sent again from here. Copy it as curl.")
    }
}
