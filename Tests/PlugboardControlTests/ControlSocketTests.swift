import CPlugboardControl
import Foundation
import Plugboard
import PlugboardControl
import PlugboardJSON
import TestSupport
import Testing

/// The file of the socket, and peers that mean no good.
struct ControlSocketTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("control") }

    init() throws { folder = try TemporaryFolder() }

    private func kernel(_ path: String? = nil) throws -> Kernel {
        var configuration = Configuration()
        configuration.kernel.control = path ?? self.path
        return try Kernel(configuration: configuration, transport: MockTransport(), log: .silent)
    }

    /// A connected socket, past the program's first line.
    private func connect() async throws -> Int32 {
        let file = ccontrol_open(1)
        guard file >= 0, ccontrol_connect(file, path) == 0 else { throw SystemError.failed("connect", errno) }
        _ = try await line(file)
        return file
    }

    /// The next line; nil at the end.
    private func line(_ file: Int32) async throws -> String? {
        try await offTasks { ControlSocketTests.readLine(file) }
    }

    private static func readLine(_ file: Int32) -> String? {
        var (line, byte) = ([UInt8](), UInt8(0))
        while read(file, &byte, 1) == 1 {
            if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    @Test func `only the owner can use the file, and the file of a dead process is replaced`() async throws {
        let stale = ccontrol_open(0)
        #expect(ccontrol_listen(stale, path, 1) == 0)
        close(stale)

        let kernel = try kernel()

        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let second = #expect(throws: PlugboardError.self) { try self.kernel() }
        #expect(second?.code == "control.socket" && second?.reason.contains("another process listens") == true)
        await kernel.shutDown()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `what is no socket is not replaced, and a path that is too long is refused`() throws {
        let file = try folder.write("file", "kept")
        let error = #expect(throws: PlugboardError.self) { try kernel(file) }
        #expect(error?.reason.contains("kernel.control is \(file)") == true, "\(String(describing: error))")
        #expect(try folder.read("file") == Array("kept".utf8))

        let long = #expect(throws: PlugboardError.self) {
            try kernel(folder.file(String(repeating: "a", count: 120)))
        }
        #expect(long?.reason.contains("longer than 107 bytes") == true)
    }

    @Test func `a program without the module is told what to import`() throws {
        let configuration = try Configuration.text(#"{"kernel": {"control": "control"}}"#, folder: folder.path)

        let error = #expect(throws: PlugboardError.self) {
            try Kernel(configuration: configuration, control: nil, transport: MockTransport(), log: .silent)
        }

        #expect(error?.code == .configuration && error?.reason.contains("pass `control: .socket`") == true)
    }

    @Test(arguments: [
        "no JSON", "[]", #"{"do": "fly"}"#, #"{"id": {}, "do": "status"}"#, #"{"id": 1, "do": "status", "x": 1}"#,
        #"{"do": "cancel", "tag": 1}"#, #"{"do": "watch", "events": [1]}"#, #"{"do": "shutdown", "within": "soon"}"#,
        #"{"do": "metrics", "format": "xml"}"#, #"{"do": "command", "plugin": "a"}"#,
        String(repeating: "[", count: 5000),
    ])
    func `a line that is no request has an error, and the next one is read`(text: String) async throws {
        let kernel = try kernel()
        let file = try await connect()
        defer { close(file) }

        write(file, text + "\n")
        let refusal = try #require(try await line(file))
        write(file, #"{"id": "next", "do": "status"}"# + "\n")
        let reply = try #require(try await line(file))
        await kernel.shutDown()

        #expect(refusal.contains(#""code":"control.request""#), "\(refusal)")
        #expect(reply.contains(#""id":"next""#) && reply.contains(#""result""#))
    }

    @Test func `a line without an end is refused and its peer closed`() async throws {
        let kernel = try kernel()
        let file = try await connect()
        defer { close(file) }

        write(file, String(repeating: "a", count: (64 << 10) + (17 << 10)))

        #expect(try await line(file)?.contains("A line is longer than 65536 bytes") == true)
        #expect(try await line(file) == nil)
        await kernel.shutDown()
    }

    @Test func `many lines at once are served in their order`() async throws {
        let kernel = try kernel()
        let file = try await connect()
        defer { close(file) }

        write(file, (0..<100).map { #"{"id": \#($0), "do": "status"}"# + "\n" }.joined())
        var replies: [String] = []
        for _ in 0..<100 { replies.append(try await line(file) ?? "") }
        await kernel.shutDown()

        #expect(replies.enumerated().allSatisfy { $1.contains("\"id\":\($0),") })
    }

    @Test func `a watcher that reads nothing holds nothing up, and is told what it has missed`() async throws {
        let kernel = try kernel()
        let file = try await connect()
        defer { close(file) }
        write(file, #"{"id": 1, "do": "watch"}"# + "\n")
        #expect(try await line(file)?.contains("result") == true)

        for _ in 0..<500 { _ = try await kernel.send(Request(.get, "http://a.test/")).body.text() }

        let lost = try await offTasks {
            while let line = ControlSocketTests.readLine(file) {
                if let lost = try? JSONParser.parse(line)["lost"]?.numberValue?.integer(Int.self) { return lost }
            }
            return 0
        }
        #expect(lost > 0)
        await kernel.shutDown()
    }

    @Test func `more peers than there may be wait, and are served when others go`() async throws {
        let kernel = try kernel()
        var files: [Int32] = []
        for _ in 0..<16 { files.append(try await connect()) }
        let path = path

        let waiting = Task { try await offTasks { try ControlClient(path).ask(["do": "status"]) } }
        for file in files { close(file) }

        #expect(try await waiting.value["loops"] != nil)
        await kernel.shutDown()
    }

    private func write(_ file: Int32, _ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
