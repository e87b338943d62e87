import Plugboard

/// Sends many requests at a time. The first error cancels the others.
func texts(of urls: [String], with kernel: Kernel) async throws -> [String] {
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for (index, url) in urls.enumerated() {
            group.addTask { (index, try await kernel.send(Request(.get, url)).body.text()) }
        }
        var texts = [String](repeating: "", count: urls.count)
        for try await (index, text) in group { texts[index] = text }
        return texts
    }
}
