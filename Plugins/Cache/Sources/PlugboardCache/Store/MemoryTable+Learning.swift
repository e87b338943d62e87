import PlugboardKit

extension MemoryTable {
    /// Takes over what the store behind the memory tells.
    mutating func learn(_ change: BackingChange) {
        switch change {
        case .any: epoch += 1
        case .anyOwn:
            epoch += 1
            for id in idsInOrder where id < 0 { remove(id) }
        case .key(let key):
            for entry in entries(key) where entry.id < 0 { remove(entry.id) }
            setStored(key, nil)
        case .body(let entry, let pieces):
            guard self.entry(entry.id) != nil else { return }
            let stored = completeCount(entry.response.key)
            insert(entry, pieces)
            setStored(entry.response.key, stored)
        }
    }
}
