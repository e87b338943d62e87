import Plugboard
import PlugboardEndpoints

/// The flights of a day: fresh for a minute, and stored under the version of the program's model.
struct Flights: Endpoint {
    typealias Response = [String]
    let day: Int
    let model: String

    var path: String { "days/{day}/flights" }
    var parameters: Parameters { ["day": day] }
    var cache: CacheUse { CacheUse(timeToLive: .seconds(60), overrides: true, version: model) }
}

/// Stores responses by time and by version; stored responses can be looked up before sending, and removed.
func useCache(_ client: Client) async throws {
    let cache = client.kernel.cache
    let flights = Flights(day: 1, model: "1")
    let before = try await cache.cachedResponse(for: try await client.request(for: flights))
    print("cached before: \(before != nil)")
    print("flights: \(try await client.send(flights)), again \(try await client.send(flights))")
    print("cached: \(try await cache.cachedResponse(for: try await client.request(for: flights))?.status ?? 0)")
    print("of another version: \(try await client.send(Flights(day: 1, model: "2")))")
    try await cache.purge(.memory)
    print("from the file: \(try await client.send(Flights(day: 1, model: "2")))")
    try await cache.purge(.all)
    print("after all are removed: \(try await client.send(Flights(day: 1, model: "2")))")
    // Stored as the server specifies, also with a validator.
    for path in ["fresh", "fresh", "tagged", "tagged"] {
        print("\(path): \(try await client.send(SimpleEndpoint(path, as: String.self)))")
    }
    // Memory keeps only the responses that were used last.
    let statistics = try await cache.stats()
    print("in memory: \(statistics.memoryEntries) of \(statistics.entries)")
}

/// A file of the CDN, which the plugin `resume` continues where the connection breaks.
struct Manual: Endpoint {
    typealias Response = DownloadedFile
    let name: String
    let folder: String
    /// The path if the folder cannot be written.
    var fallback: String?

    var path: String { "manuals/{name}" }
    var parameters: Parameters { ["name": name] }
    var usesCDN: Bool { true }
    var downloadPath: String { "\(folder)/\(name)" }

    func prepare(_ download: inout Download) { download.fallback = fallback }
}

/// A file from a server without validators: its partial file is continued if its last bytes are the same.
struct Film: Endpoint {
    typealias Response = DownloadedFile
    let downloadPath: String
    let path = "films/launch.mp4"

    func prepare(_ download: inout Download) { download.overlap = .kibibytes(1) }
}

func download(_ client: Client, to folder: String) async throws {
    print("manual: \(try await client.send(Manual(name: "a320.pdf", folder: folder)).byteCount) bytes")
    let film = Film(downloadPath: "\(folder)/launch.mp4")
    do throws(PlugboardError) {
        _ = try await client.send(film)
    } catch {
        // The partial file has a path of its own.
        let part = try Body.file("\(film.downloadPath).part")
        print("film: \(error.code), so far \(part.length ?? 0) bytes")
    }
    print("film: \(try await client.send(film).byteCount) bytes")
    let kept = try await client.send(Manual(name: "b737.pdf", folder: "\(folder)/missing", fallback: folder))
    print("kept elsewhere: \(kept.path == "\(folder)/b737.pdf")")
}

/// A passenger, whose JSON is checked before the model is made.
struct Passenger: Endpoint, Encodable {
    struct Response: Decodable, Sendable { let nick: String }
    let id: Int

    var path: String { "passengers/{id}" }
    var validation: ResponseValidation {
        .shape(["data": ["userId": .number, "nick": .string, "seats": [["row": .integer]]]])
    }
}

func checkShape(_ client: Client) async throws {
    print("passenger: \(try await client.send(Passenger(id: 1)).nick)")
    do throws(PlugboardError) {
        _ = try await client.send(Passenger(id: 2))
    } catch {
        print("passenger 2: \(error.code): \(error.reason)")
    }
    // JSON Schema can express more than a shape.
    var crew = SimpleEndpoint("passengers/1", as: JSONValue.self)
    crew.validation = .schema(["properties": ["data": ["required": ["rank"]]]])
    do throws(PlugboardError) { _ = try await client.send(crew) } catch { print("no crew: \(error.code)") }
}
