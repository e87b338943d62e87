extension Request {
    /// Identifies the resource that the request is for, as journals of transfers compare it: a digest of its URL in
    /// normal form, and of the `Host` and the `target` that lead to another resource of the same server.
    ///
    /// A digest, because a URL may contain credentials.
    package var resourceKey: String {
        var text = NormalURL(url)?.text ?? url
        // Neither a URL nor a field contains a line break.
        if let host = fields[.host] { text += "\nHost \(host.lowercased())" }
        if let target = options.target { text += "\ntarget \(target)" }
        return Bytes(text).sha256
    }
}
