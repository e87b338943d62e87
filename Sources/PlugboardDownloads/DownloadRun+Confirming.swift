import PlugboardFieldValues
import PlugboardMessages
import PlugboardRanges
import PlugboardSystem

/// Compares the file that an earlier download has completed.
extension DownloadRun {
    /// Compares an existing file with the server's present file.
    ///
    /// - Returns: The result if the files are equal; nil if there is no file, or it must not be compared.
    func confirm(
        _ whole: Representation, _ response: Response, _ destination: String
    ) async throws(PlugboardError) -> DownloadResult? {
        guard download.confirmsFile, !download.replacesFile, download.request.method == .get,
            PartialFile.isThere(destination)
        else { return nil }
        // Only the head is compared.
        response.body.source.release()
        let descriptor = open(destination, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw PartialFile.exists(destination, "It cannot be read.") }
        let file = OpenFile(descriptor, destination)
        var entry = stat()
        guard fstat(descriptor, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else {
            throw PartialFile.exists(destination, "It is not a regular file.")
        }
        let count = Int(entry.st_size)
        guard let length = whole.length else {
            throw PartialFile.exists(destination, "The server does not say the length that it must have.")
        }
        guard length == count else {
            throw PartialFile.exists(destination, "It has \(count) bytes, and the server's file has \(length).")
        }
        let expected = expected(response.head)
        let digests = FileDigests(file)
        digests.begin(expected.map(\.algorithm), from: [])
        let found = expected.isEmpty ? [:] : try await digests.end(of: count)
        if let wrong = expected.first(where: { found[$0.algorithm] != $0.hexadecimal }) {
            throw PartialFile.exists(destination, "It does not have the expected \(wrong.algorithm.title).")
        }
        // Without a digest: the file was complete at its own date, according to this system's clock.
        let modified = response.fields[.lastModified].flatMap { HTTPDate($0, now: HTTPDate(seconds: 0)) }
        if expected.isEmpty, let modified, modified.seconds > Int64(entry.st_mtim.tv_sec) {
            throw PartialFile.exists(destination, "The server's file was modified later.")
        }
        partial.remove()
        pace.end(TransferProgress(received: count, toReceive: count, resumed: count))
        var response = response
        response.body = .empty
        return DownloadResult(
            response: response, isComplete: true, file: destination, count: count, resumed: count,
            isVerified: !expected.isEmpty, wasComplete: true)
    }
}
