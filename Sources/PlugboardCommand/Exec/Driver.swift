import Plugboard
import PlugboardDownloads
import PlugboardJSON
import PlugboardKit
import Synchronization

/// Executes the lines of `plugboard exec`, many at once, and writes one reply for each.
final class Driver: Sendable {
    /// Lines that are executed at a time; further lines wait in the pipe.
    static let limit = 256
    /// A line can hold a whole body, so its size limit is large.
    private static let options: JSONParser.Options = {
        var options = JSONParser.Options()
        options.sizeLimit = 1 << 30
        return options
    }()

    static let operations = ["exec", "reset", "cookie-date", "psl", "schemas", "validate", "bench"]

    private let kernel: Kernel
    private let plugins: Set<String>
    private let schemas = DriverSchemas()
    /// Locked while a line is written; the first error of writing, if there was one.
    private let failure = Mutex<CommandFailure?>(nil)
    /// The files whose downloads can leave a part.
    private let resumed = Mutex<Set<String>>([])

    init(_ kernel: Kernel) {
        self.kernel = kernel
        plugins = Set(kernel.plugins.map(\.id))
    }

    /// Returns when the input has ended and every line has its reply. Cancelling the task stops reading and cancels the
    /// exchanges in progress.
    ///
    /// - Throws: If a reply cannot be written. Then nothing more is read, and the exchanges in progress are cancelled.
    func run(_ input: StandardInputLines) async throws(CommandFailure) {
        await withDiscardingTaskGroup { group in
            for await line in input.lines {
                if hasFailed { break }
                group.addTask {
                    self.write(await self.reply(to: line))
                    if self.hasFailed { input.stop() }
                    input.done()
                }
            }
            if hasFailed { group.cancelAll() }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    private var hasFailed: Bool { failure.withLock { $0 != nil } }

    private func reply(to line: [UInt8]) async -> JSONObject {
        guard let object = (try? JSONParser.parse(line, options: Driver.options))?.objectValue else {
            return DriverError(.unsupported, "The line is not a JSON object.").reply(id: nil)
        }
        let id = object["id"]
        if let id, id.stringValue == nil { return DriverError(.invalid, "id must be a string.").reply(id: nil) }
        do throws(DriverError) {
            switch object["op"] {
            case nil, .null, .string("exec"):
                let request = try DriverRequest(object, plugins: plugins)
                if let file = request.file, request.resumes { resumed.withLock { _ = $0.insert(file) } }
                return try await DriverExchange(request, kernel).run().reply(id: id)
            case .string("reset"):
                _ = try DriverFields(object, known: ["id", "op"])
                return try await reset(id)
            case .string("cookie-date"):
                let input = try DriverFields(object, known: ["id", "op", "input"]).requiredString("input")
                return try await ask("cookies", "date", ["text": .string(input)], for: "date", id)
            case .string("psl"):
                let host = try DriverFields(object, known: ["id", "op", "host"]).requiredString("host")
                return try await ask("cookies", "registrable", ["host": .string(host)], for: "registrable", id)
            case .string("schemas"):
                let reply = try schemas.register(object)
                try await registerWithPlugin(object)
                return reply
            case .string("validate"):
                return try schemas.validate(object)
            case .string("bench"):
                return try DriverBench(schemas: schemas).run(object)
            case .string(let op):
                let near = Spelling.nearest(op, in: Driver.operations).map { " Did you mean \($0)?" } ?? ""
                throw DriverError(
                    .unsupported,
                    "This driver has no op \(Printable.text(op)).\(near) It has \(Driver.operations.joined(separator: ", "))."
                )
            default:
                throw DriverError(.invalid, "op must be a string.")
            }
        } catch {
            return error.reply(id: id)
        }
    }

    private func reset(_ id: JSONValue?) async throws(DriverError) -> JSONObject {
        do throws(PlugboardError) {
            try await kernel.forget()
        } catch {
            throw DriverError(error)
        }
        let files = resumed.withLock { files in
            defer { files = [] }
            return files
        }
        for file in files { Download.removePartial(of: file) }
        return ["id": id ?? .null, "ok": true]
    }

    /// The plugin `validator` compiles the schemas of requests, so it needs the documents too.
    private func registerWithPlugin(_ line: JSONObject) async throws(DriverError) {
        guard plugins.contains("validator"), let documents = line["documents"] else { return }
        do throws(PlugboardError) {
            _ = try await kernel.command("validator", "register", JSONWriter.write(["documents": documents]))
        } catch {
            throw DriverError(error)
        }
    }

    /// Runs a command of a plugin and returns its result as one member of the reply.
    private func ask(
        _ plugin: String, _ command: String, _ arguments: JSONObject, for member: String, _ id: JSONValue?
    ) async throws(DriverError) -> JSONObject {
        guard plugins.contains(plugin) else {
            throw DriverError(.unsupported, "This op needs the plugin \(plugin), which is not enabled.")
        }
        let result: CommandReply
        do throws(PlugboardError) {
            result = try await kernel.command(plugin, command, JSONWriter.write(.object(arguments)))
        } catch {
            throw DriverError(error)
        }
        guard case .json(let text) = result, let value = try? JSONParser.parse(text) else {
            throw DriverError(.aborted, "The plugin \(plugin) did not reply to its command \(command) with JSON.")
        }
        return ["id": id ?? .null, member: value[member] ?? .null]
    }

    private func write(_ reply: JSONObject) {
        let line: [UInt8] = JSONWriter.write(.object(reply)) + [UInt8(ascii: "\n")]
        failure.withLock { failure in
            guard failure == nil else { return }
            do throws(CommandFailure) {
                try ByteOutput.standard.write(Bytes(line))
            } catch {
                failure = error
            }
        }
    }
}
