import JSON
import Plugboard
import Synchronization

/// Answers the lines of `plugboard exec`: many at once, each with one line.
final class Driver: Sendable {
    /// Lines that are worked on at a time; more wait where they come from.
    static let limit = 256
    /// A body travels in one line.
    private static let options: JSONParser.Options = {
        var options = JSONParser.Options()
        options.sizeLimit = 1 << 30
        return options
    }()

    private let kernel: Kernel
    private let plugins: Set<String>
    private let output = Mutex(())

    init(_ kernel: Kernel) {
        self.kernel = kernel
        plugins = Set(kernel.plugins.map(\.id))
    }

    /// Returns when the input has ended and everything is answered.
    func run(_ input: StandardInputLines) async {
        await withDiscardingTaskGroup { group in
            for await line in input.lines {
                group.addTask {
                    self.write(await self.reply(to: line))
                    input.done()
                }
            }
        }
    }

    private func reply(to line: [UInt8]) async -> JSONObject {
        guard let object = (try? JSONParser.parse(line, options: Driver.options))?.objectValue else {
            return DriverFault(.unsupported, "The line is no JSON object.").reply(id: nil)
        }
        let id = object["id"]
        do throws(DriverFault) {
            switch object["op"] {
            case nil, .string("exec"):
                let request = try DriverRequest(object, plugins: plugins)
                return try await DriverExchange(request, kernel).run().reply(id: id)
            case .string("reset"):
                return try await reset(id)
            default:
                throw DriverFault(.unsupported, "This driver has no such op.")
            }
        } catch {
            return error.reply(id: id)
        }
    }

    private func reset(_ id: JSONValue?) async throws(DriverFault) -> JSONObject {
        do throws(PlugboardError) {
            try await kernel.forget()
        } catch {
            throw DriverFault(error)
        }
        return ["id": id ?? .null, "ok": true]
    }

    private func write(_ reply: JSONObject) {
        let line: [UInt8] = JSONWriter.write(.object(reply)) + [UInt8(ascii: "\n")]
        // Nobody listens any more if this fails, and the end of the input will follow.
        output.withLock { _ in try? ByteOutput.standard.write(Bytes(line)) }
    }
}
