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

    mutating func takeChanges() -> Changes {
        var changes = Changes()
        for id in unsaved {
            if let cookie = self[id], cookie.expires != nil {
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

    /// Marks all persistent cookies as unsaved, because their file is lost.
    mutating func markUnsaved() {
        for cookies in domains.values {
            for cookie in cookies where cookie.expires != nil { unsaved.insert(cookie.id) }
        }
    }

    /// Replaces the persistent cookies by those of the file. Unsaved cookies of this jar are newer and stay.
    mutating func load(_ saved: [Cookie], now: Duration) {
        let (unsaved, touched) = (unsaved, touched)
        let ids = Set(saved.map(\.id))
        remove { $0.expires != nil && !ids.contains($0.id) && !unsaved.contains($0.id) }
        for var cookie in saved where !cookie.hasExpired(at: now) && !unsaved.contains(cookie.id) {
            let mine = self[cookie.id]
            if let mine {
                guard mine.expires != nil else { continue }
                cookie.accessed = max(cookie.accessed, mine.accessed)
            }
            // The list of public suffixes may have grown since it was saved.
            guard cookie.id.isHostOnly || !suffixes.contains(cookie.id.domain) else { continue }
            replace(by: cookie)
        }
        // Loading leaves nothing to save, except the removal of cookies that exceed this jar's limits.
        self.unsaved = unsaved
        enforceLimits(now: now)
        self.touched = touched.filter { self[$0] != nil }
    }
}
