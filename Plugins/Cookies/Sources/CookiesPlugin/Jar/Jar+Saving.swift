extension Jar {
    /// What a file is to learn.
    struct Changes: Sendable {
        /// To write as they are.
        var written: [Cookie] = []
        /// To remove, if they are there.
        var removed: [Cookie.ID] = []
        /// To mark as sent, if they are still there.
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

    /// Marks as unsaved again what could not be saved.
    mutating func putBack(_ ids: some Sequence<Cookie.ID>) {
        unsaved.formUnion(ids)
        // Set and removed while nothing could be saved: of these the file has never heard, or will hear too late.
        if unsaved.count > 4 * limits.total { unsaved = unsaved.filter { self[$0] != nil } }
    }

    /// Marks all that outlives the session as unsaved: the file that held it is lost.
    mutating func markUnsaved() {
        for cookies in domains.values {
            for cookie in cookies where cookie.expires != nil { unsaved.insert(cookie.id) }
        }
    }

    /// Takes over what a file holds now. What is unsaved here is newer, and cookies of this session are in no file.
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
        // That they came from the file is nothing to tell it, but what is too much for this jar is too much for the file.
        self.unsaved = unsaved
        enforceLimits(now: now)
        self.touched = touched.filter { self[$0] != nil }
    }
}
