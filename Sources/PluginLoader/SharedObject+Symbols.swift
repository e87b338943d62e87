import PlugboardKit

extension SharedObject {
    /// The name of the exported function that ends with `_LTX_plugboard_plugin`.
    ///
    /// Throws `loading.noEntry` if there is none, and `loading.entries` if there are several.
    func entry() throws(PlugboardError) -> String {
        let names = try exportedFunctions(endingWith: SharedObject.entrySuffix, limit: SharedObject.entryLimit)
        guard let name = names.first else {
            throw PlugboardError(
                .loadingNoEntry,
                "\(path) is not a plugin of Plugboard: it exports no function NAME_LTX_plugboard_plugin. "
                    + "Define it with PLUGBOARD_PLUGIN, and export it.")
        }
        guard names.count == 1 else {
            let count = "\(names.count)" + (names.count == SharedObject.entryLimit ? " or more" : "")
            let others = names.count > 3 ? ", …" : ""
            throw PlugboardError(
                .loadingEntries,
                "\(path) contains several plugins (\(count)): "
                    + "\(names.sorted().prefix(3).joined(separator: ", "))\(others). Build one file for each.")
        }
        return name
    }

    private static let entrySuffix = Array("_LTX_plugboard_plugin".utf8)
    /// Longer than any entry's name, so that a hostile table cannot take much time.
    private static let nameLimit = 512
    /// The number up to which entries are counted. One is correct.
    private static let entryLimit = 1000

    /// The names with an ending among the exported functions, in the order of the symbol table, up to a limit.
    ///
    /// Read from the dynamic segment and not from sections, because the system's loader uses it and it cannot be
    /// stripped.
    private func exportedFunctions(
        endingWith suffix: [UInt8], limit: Int
    ) throws(PlugboardError) -> [String] {
        let table = try dynamicTable()
        guard let symbolAddress = table[.symbols], let textAddress = table[.texts], let textSize = table[.textsSize],
            let symbols = offset(of: symbolAddress, count: 0)
        else { return [] }
        guard let texts = offset(of: textAddress, count: textSize).flatMap({ reader.range($0, textSize) }) else {
            throw SharedObject.truncated(path, "its table of names")
        }
        let size: UInt64 = 24
        let count = try symbolCount(table)
        guard reader.range(symbols, entries: count, size: size) != nil else {
            throw SharedObject.truncated(path, "its table of symbols")
        }
        var names: [String] = []
        var known: Set<String> = []
        for entry in stride(from: symbols, to: symbols + count * size, by: Int(size)) {
            guard let name: UInt32 = reader.number(entry), let info: UInt8 = reader.number(entry + 4),
                let visibility: UInt8 = reader.number(entry + 5), let section: UInt16 = reader.number(entry + 6),
                SharedObject.isExportedFunction(info, visibility, section),
                let text = reader.text(
                    UInt64(texts.lowerBound) + UInt64(name), before: texts.upperBound, limit: SharedObject.nameLimit),
                text.count > suffix.count, text.suffix(suffix.count).elementsEqual(suffix),
                let string = String(validating: text, as: UTF8.self), known.insert(string).inserted
            else { continue }
            names.append(string)
            if names.count == limit { break }
        }
        return names
    }

    /// Whether a symbol is a defined function that is global or weak, and neither internal nor hidden.
    private static func isExportedFunction(_ info: UInt8, _ visibility: UInt8, _ section: UInt16) -> Bool {
        section != 0 && info & 0xf == 2 && (info >> 4 == 1 || info >> 4 == 2) && [0, 3].contains(visibility & 3)
    }

    // MARK: The dynamic segment

    private enum Tag: UInt64 {
        case hash = 4
        case texts = 5
        case symbols = 6
        case textsSize = 10
        case gnuHash = 0x6fff_fef5
    }

    private func dynamicTable() throws(PlugboardError) -> [Tag: UInt64] {
        guard let segment = segments.first(where: { $0.type == 2 }) else {
            throw SharedObject.damaged(path, "it has no dynamic segment")
        }
        // Found by its address, as the system's loader does, and not by its offset.
        guard let start = offset(of: segment.address, count: segment.fileSize) else {
            throw SharedObject.damaged(path, "its dynamic segment is not in the file")
        }
        var table: [Tag: UInt64] = [:]
        for entry in stride(from: start, to: start + segment.fileSize, by: 16) {
            guard let number: UInt64 = reader.number(entry), let value: UInt64 = reader.number(entry + 8), number != 0
            else { break }
            if let tag = Tag(rawValue: number) { table[tag] = value }
        }
        return table
    }

    /// The number of symbols, which only the hash tables contain.
    private func symbolCount(_ table: [Tag: UInt64]) throws(PlugboardError) -> UInt64 {
        if let address = table[.hash], let start = offset(of: address, count: 8),
            let count: UInt32 = reader.number(start + 4)
        {
            return UInt64(count)
        }
        guard let address = table[.gnuHash] else { return 0 }
        guard let start = offset(of: address, count: 16), let bucketCount: UInt32 = reader.number(start),
            let firstSymbol: UInt32 = reader.number(start + 4), let bloomCount: UInt32 = reader.number(start + 8)
        else { throw SharedObject.truncated(path, "its hash table") }
        let buckets = start + 16 + 8 * UInt64(bloomCount)
        let chains = buckets + 4 * UInt64(bucketCount)
        guard let range = reader.range(buckets, entries: UInt64(bucketCount), size: 4) else {
            throw SharedObject.truncated(path, "its hash table")
        }
        var last: UInt32 = 0
        for bucket in stride(from: UInt64(range.lowerBound), to: chains, by: 4) {
            last = max(last, reader.number(bucket) ?? 0)
        }
        guard last >= firstSymbol else { return UInt64(firstSymbol) }
        // The chain of the last bucket ends with an odd number; the symbol there is the last one.
        var offset = chains + 4 * UInt64(last - firstSymbol)
        while true {
            guard let hash: UInt32 = reader.number(offset) else {
                throw SharedObject.truncated(path, "its hash table")
            }
            if hash & 1 == 1 { return UInt64(firstSymbol) + (offset - chains) / 4 + 1 }
            offset += 4
        }
    }
}
