import PlugboardMessages

/// Checks that the complete file must pass before it gets its name.
extension DownloadRun {
    /// Throws, and removes the bytes, if there are more than allowed.
    func checkReceived(_ count: Int) throws(PlugboardError) {
        do throws(PlugboardError) {
            try check(count)
        } catch {
            partial.remove()
            throw error
        }
    }

    /// The digests of the server and of the caller that the file must have.
    func expected(_ response: ResponseHead) -> [ExpectedDigest] {
        [download.digest, partial.journal?.announced, ExpectedDigest(response)].compactMap { $0 }
    }

    mutating func finish(_ response: Response) async throws(PlugboardError) -> Step {
        if let digest = ExpectedDigest(response.head), let own = download.digest,
            digest.algorithm == own.algorithm, digest != own
        {
            partial.remove()
            throw PlugboardError(
                .downloadDigest,
                "The server announces another \(own.algorithm.title) than the expected one, so the file was removed.")
        }
        do throws(PlugboardError) {
            try checkSize(partial.count)
        } catch {
            partial.remove()
            throw error
        }
        try await verify(partial.duePieces())
        guard partial.pieces?.covers(partial.count) ?? true else {
            if partial.count != partial.pieces?.hashes.size { partial.remove() }
            throw PlugboardError(
                .downloadDigest,
                "The file does not have the length of its pieces, or a piece could not be verified. Download it again.")
        }
        let expected = expected(response.head)
        isVerified = !expected.isEmpty || partial.pieces != nil
        place = try await partial.appear(
            as: destination, or: download.fallback(of: destination), replaces: download.replacesFile, expected)
        isComplete = true
        pace.end(TransferProgress(received: partial.count, toReceive: partial.count, resumed: resumed))
        var response = response
        response.body = .empty
        return .done(response)
    }
}
