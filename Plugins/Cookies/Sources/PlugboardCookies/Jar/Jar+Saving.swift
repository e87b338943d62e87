extension Jar {
    /// The changes that are to be written to a file.
    struct Changes: Sendable {
        /// Cookies to write.
        var written: [Cookie] = []
        /// Cookies to remove, if the file has them.
        var removed: [Cookie.ID] = []
        /// Cookies to mark as sent, if the file still has them.
        var sent: [Cookie] = []

        var isEmpty: Bool { written.isEmpty && removed.isEmpty && sent.isEmpty }
        var ids: [Cookie.ID] { written.map(\.id) + removed }
    }

    /// Whether the file stores the cookie.
    func isStored(_ cookie: Cookie) -> Bool { cookie.isStored(keepsSession) }

    mutating func takeChanges() -> Changes {
        var changes = Changes()
        for id in unsaved {
            if let cookie = self[id], isStored(cookie) {
                changes.written.append(cookie)
            } else {
                changes.removed.append(id)
            }
        }
        changes.sent = touched.subtracting(unsaved).compactMap { self[$0] }
        unsaved.removeAll()
        touched.removeAll()
        return changes
    }

    /// Marks cookies as unsaved again after saving them failed.
    mutating func putBack(_ ids: some Sequence<Cookie.ID>) {
        unsaved.formUnion(ids)
        // Cookies that were set and removed while the file could not be written may never have been in it.
        if unsaved.count > 4 * limits.total { unsaved = unsaved.filter { self[$0] != nil } }
    }

    /// Marks all cookies that the file stores as unsaved, because their file is lost.
    mutating func markUnsaved() {
        for cookies in domains.values {
            for cookie in cookies where isStored(cookie) { unsaved.insert(cookie.id) }
        }
    }

    /// Replaces the cookies that the file stores by those of the file. Unsaved cookies of this jar are newer and stay.
    mutating func load(_ saved: [Cookie], now: Duration) {
        let (unsaved, touched, keepsSession) = (unsaved, touched, keepsSession)
        var accessed: [Cookie.ID: Int64] = [:]
        remove { cookie in
            guard cookie.isStored(keepsSession), !unsaved.contains(cookie.id) else { return false }
            accessed[cookie.id] = cookie.accessed
            return true
        }
        let ofProcess = Set(domains.values.joined().lazy.filter { !$0.isStored(keepsSession) }.map(\.id))
        var loaded: [Cookie] = []
        // The list of public suffixes may have grown since they were saved. Each domain is looked up once.
        var isSuffix: [String: Bool] = [:]
        for var cookie in saved where !cookie.hasExpired(at: now) && !unsaved.contains(cookie.id) {
            // Another process may keep cookies of the session in this file, even if this one does not.
            if !isStored(cookie) || ofProcess.contains(cookie.id) { continue }
            cookie.accessed = max(cookie.accessed, accessed[cookie.id] ?? 0)
            if !cookie.id.isHostOnly {
                let domain = cookie.id.domain
                let isOne = isSuffix[domain] ?? suffixes.contains(domain)
                isSuffix[domain] = isOne
                if isOne { continue }
            }
            loaded.append(cookie)
        }
        insert(loaded)
        // Loading leaves nothing to save, except the removal of cookies that exceed this jar's limits.
        self.unsaved = unsaved
        enforceLimits(now: now)
        self.touched = touched.filter { self[$0] != nil }
    }
}

extension Cookie {
    /// Whether the file stores the cookie: any if it keeps those of the session, otherwise one with an expiry.
    fileprivate func isStored(_ keepsSession: Bool) -> Bool { keepsSession || expires != nil }
}
