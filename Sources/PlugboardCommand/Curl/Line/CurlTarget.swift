/// One URL of a command line, what is uploaded to it, and where its response goes.
struct CurlTarget {
    let url: String
    /// The file of `-T`.
    let upload: String?
    /// The file of `-o`, with the values of the URL's lists in its name, or `-O`; nil for standard output.
    let output: CurlGroup.Output?
}

extension CurlGroup {
    /// Whether there is one target alone. A pattern that cannot be read is reported where it is used.
    var hasOneTarget: Bool {
        guard urls.count == 1, let url = urls.first else { return false }
        let pattern = try? URLGlob(url, isLiteral: self["globoff"])
        return pattern?.count ?? 1 == 1
    }

    /// The target of the URL at this index.
    ///
    /// - Parameters:
    ///   - url: One URL of its pattern.
    ///   - values: The values of the pattern's lists in this URL.
    ///   - upload: The file of `-T`.
    func target(_ index: Int, _ url: String, _ values: [String], _ upload: String?) -> CurlTarget {
        var output = index < outputs.count ? outputs[index] : self["remote-name-all"] ? .remoteName : nil
        if case .file(let name)? = output { output = .file(URLGlob.name(name, with: values)) }
        return CurlTarget(url: url, upload: upload, output: output)
    }

    /// The path of the file for a response; nil and `-` are standard output.
    ///
    /// - Parameter remoteName: The name of the file of `-O`; nil if the URL has none. With `-J`, the path is then empty
    ///   or that of the folder with its `/`, until the server names the file.
    func path(of target: CurlTarget, remoteName: @autoclosure () -> String?) throws(CommandFailure) -> String? {
        let name: String
        switch target.output {
        case nil: return nil
        case .file("-"): return "-"
        case .file(let file): name = file
        case .remoteName:
            guard let last = remoteName() ?? (self["remote-header-name"] ? "" : nil) else {
                throw ResponseFile.withoutName
            }
            name = last
        }
        return values["output-dir"].map { "\($0)/\(name)" } ?? name
    }
}
