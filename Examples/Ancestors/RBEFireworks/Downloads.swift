import PlugboardEndpoints

/// A film for a disk that may not be there, from a server that sends no validators.
struct Film: Endpoint {
    typealias Response = DownloadedFile
    let name: String
    let folder: String

    var path: String { "films/{name}" }
    var parameters: Parameters { ["name": name] }
    /// A folder: the file has the server's name, or else that of the URL.
    var downloadPath: String { "\(folder)/disk/" }

    func prepare(_ download: inout Download) {
        // The partial file is continued if its last bytes are the same.
        download.overlap = .kibibytes(1)
        download.fallback = folder
    }
}

/// The connection breaks; sent again, the endpoint receives the missing bytes. The file is in the fallback folder.
func downloadFilm(_ client: Client, to folder: String) async throws {
    do throws(PlugboardError) {
        _ = try await client.send(Film(name: "launch.mp4", folder: folder))
    } catch {
        print("film: \(error.code)")
    }
    // The partial file, in the folder where the file can be written.
    print("so far: \(try Body.file("\(folder)/launch.mp4.part").length ?? 0) bytes")
    let film = try await client.send(Film(name: "launch.mp4", folder: folder))
    print("film: \(film.byteCount) bytes, not on the disk: \(film.path == "\(folder)/launch.mp4")")
}
