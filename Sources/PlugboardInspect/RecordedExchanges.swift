import Plugboard
import PlugboardJSON
import PlugboardRecorder
import PlugboardSystem

/// Exchanges of a file, which a kernel with the plugin recorder reads. What is sent again is recorded beside them.
struct RecordedExchanges: ExchangeSource {
    let sendsAgain = true
    private let kernel: Kernel

    /// - Parameter path: A HAR file, which is read once, or a file of the recorder, in which other processes may go on
    ///   recording. Nil: the recorder's file in the data directory.
    init(_ path: String?) async throws(PlugboardError) {
        let isStore = try path.map { path throws(PlugboardError) in try RecordedExchanges.isStore(path) } ?? true
        kernel = try Kernel(plugins: [
            .recorder { settings in
                settings.persistence = isStore ? .file : .memory
                if isStore { settings.path = path.map(RecordedExchanges.absolute) }
                // Reading must not remove records.
                settings.limit = 1_000_000
                settings.size = .gibibytes(64)
                settings.age = .seconds(315_360_000)
            }, .decode, .redirect,
        ])
        if !isStore, let path {
            _ = try await kernel.command(
                "recorder", "import", JSONWriter.write(.object(["path": .string(RecordedExchanges.absolute(path))])))
        }
    }

    func har(after: Int, before: Int?, limit: Int) async throws(PlugboardError) -> [UInt8] {
        let arguments = RecordedExchanges.arguments(after: after, before: before, limit: limit)
        switch try await kernel.command("recorder", "har", JSONWriter.write(.object(arguments))) {
        case .json(let text): return Array(text.utf8)
        case .body(let body): return Array(try await body.collect(upTo: .gibibytes(4)))
        }
    }

    /// The arguments of the recorder's command `har`.
    static func arguments(after: Int, before: Int?, limit: Int) -> JSONObject {
        var arguments: JSONObject = ["limit": .number(JSONNumber(limit)), "bytes": .number(JSONNumber(16 << 20))]
        if after > 0 { arguments["after"] = .number(JSONNumber(after)) }
        if let before { arguments["before"] = .number(JSONNumber(before)) }
        return arguments
    }

    func sendAgain(_ id: Int) async throws(PlugboardError) -> String {
        guard case .json(let text) = try await kernel.command("recorder", "show", "{\"id\": \(id)}"),
            let entry = (try? JSONParser.parse(text))?["entries"]?.arrayValue?.first
        else { throw PlugboardError(.recorderArgument, "There is no exchange \(id).") }
        var (request, missing) = try RepeatedRequest.make(of: entry["request"] ?? .null, id: id)
        request.options.timeout = .seconds(30)
        request.recorder.label = "again: \(id)"
        let response = try await kernel.send(request)
        var count = 0
        for try await piece in response.body { count += piece.count }
        let without = missing.isEmpty ? "" : ", sent without \(missing.joined(separator: ", ")), which is not recorded"
        return "Status \(response.status), \(count) bytes\(without)."
    }

    // MARK: Files

    private static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        var folder = [CChar](repeating: 0, count: 4096)
        guard getcwd(&folder, folder.count) != nil else { return path }
        return folder.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" } + "/" + path
    }

    /// Whether a file is one of SQLite, by its first bytes.
    private static func isStore(_ path: String) throws(PlugboardError) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw PlugboardError(.recorderFile, "Cannot read \(Printable.text(path)): \(systemText(errno)).")
        }
        defer { close(file) }
        let mark = Array("SQLite format 3\0".utf8)
        var bytes = [UInt8](repeating: 0, count: mark.count)
        return read(file, &bytes, bytes.count) == mark.count && bytes == mark
    }
}
