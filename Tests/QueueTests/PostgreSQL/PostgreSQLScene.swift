import Plugboard
import PlugboardCore
import PlugboardJSON
import PlugboardQueue
import PlugboardSQLite
import PluginLoader
import TestSupport

@testable import PlugboardQueuePostgreSQL

/// A queue in a database, the kernels that share it, and what their requests reached.
struct PostgreSQLScene: Sendable {
    let server: PostgreSQLProcess
    let schema: String
    /// What the origin was asked: method, path, the field X-Kind, and the bytes of the body.
    let requests = Record()
    let log = Record()
    let origin: LoopbackServer

    init(_ server: PostgreSQLProcess? = nil) async throws {
        if let server { self.server = server } else { self.server = try await PostgreSQLProcess.shared.value }
        schema = try self.server.schema()
        origin = try LoopbackServer.responding { [requests] request in
            requests.add("\(request.method) \(request.path) \(request["X-Kind"] ?? "-") \(request.body.count)")
            return ServerResponse(status: 200, body: "carried out")
        }
    }

    /// A kernel on the queue.
    func kernel(
        _ linkage: Linkage = .linked, settings: JSONObject = [:], library: String = "plugboard-queue-postgresql"
    )
        throws -> Kernel
    {
        var settings = settings
        settings["store"] = settings["store"] ?? .string(server.url)
        settings["schema"] = settings["schema"] ?? .string(schema)
        settings["spread"] = "0s"
        let path = linkage == .loaded ? try Products.library(library) : nil
        return try Kernel(
            configuration: Configuration(plugins: [PluginEntry(id: "queue", path: path, settings: settings)]),
            catalog: Catalog(linkage == .linked ? [queuePlugin()] : []), loader: .dynamic,
            log: KernelLog(level: .debug) { [log] _, _, text in log.add(text) })
    }

    func post(_ name: String, category: String? = nil) -> Request {
        var request = Request(.post, origin.url("/\(name)"), body: .text("body"))
        request.queue.category = category
        return request
    }

    /// Runs a statement as another program does. `@` stands for the schema.
    @discardableResult func run(_ sql: String) throws -> [[String?]] {
        try PostgreSQLConnection(server.url).run([.init(QueueNames(schema: schema)(sql))])[0].map { row in
            (0..<row.count).map { row.text($0) }
        }
    }
}
