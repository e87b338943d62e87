import PlugboardSystem
import PluginLoader

/// The names that a loaded object exports, as the system's loader sees them.
///
/// They are read from the dynamic segment in memory, which the system's loader uses too. Names and layouts are those
/// of the System V ABI, chapter 5.
struct ExportedSymbols {
    let names: [String]

    /// Nil if the object is not open, or has no such tables.
    init?(of path: String) {
        typealias Inform = @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeMutableRawPointer?) -> Int32
        var map: UnsafeMutablePointer<link_map>?
        // The module Glibc lacks the functions that need _GNU_SOURCE.
        guard let handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD), let address = dlsym(nil, "dlinfo"),
            unsafeBitCast(address, to: Inform.self)(handle, ExportedSymbols.askForLinkMap, &map) == 0,
            let dynamic = map?.pointee.l_ld
        else { return nil }
        var table: [Int64: UInt64] = [:]
        var entry = dynamic
        while entry.pointee.d_tag != 0 {
            table[Int64(entry.pointee.d_tag)] = UInt64(entry.pointee.d_un.d_ptr)
            entry += 1
        }
        guard let symbols = pointer(table[Tag.symbols]), let texts = pointer(table[Tag.texts]),
            let count = ExportedSymbols.count(table)
        else { return nil }
        names = (0..<count).compactMap { index in
            let symbol = symbols.load(fromByteOffset: index * MemoryLayout<Elf64_Sym>.stride, as: Elf64_Sym.self)
            guard ExportedSymbols.isExported(symbol) else { return nil }
            let text = texts.advanced(by: Int(symbol.st_name)).assumingMemoryBound(to: CChar.self)
            return String(cString: text)
        }
    }

    /// The names that are not entry functions, of any revision, and can clash with names of other objects.
    ///
    /// Names of Swift declarations (`$s…`) contain the name of their module, and the compiler exports all public ones:
    /// only plain C names can clash with those of another object. The linker's marks of where an image begins and
    /// ends are bound within each image.
    func foreign(entry: String) -> [String] {
        names.filter { name in
            !isEntry(name, entry) && !name.hasPrefix("$s") && !name.hasPrefix("$S")
                && !ExportedSymbols.marks.contains(name)
        }
        .sorted()
    }

    /// Whether it is the entry function of this revision, or that of another, whose name ends in `_` and a number.
    private func isEntry(_ name: String, _ entry: String) -> Bool {
        guard name.hasPrefix(entry) else { return false }
        let rest = name.utf8.dropFirst(entry.utf8.count)
        let digits = rest.dropFirst()
        return rest.isEmpty
            || rest.first == UInt8(ascii: "_") && !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static let marks: Set<String> = ["_init", "_fini", "_edata", "_end", "__bss_start"]
    /// RTLD_DI_LINKMAP
    private static let askForLinkMap: Int32 = 2

    private enum Tag {
        static let hash: Int64 = 4
        static let texts: Int64 = 5
        static let symbols: Int64 = 6
        static let gnuHash: Int64 = 0x6fff_fef5
    }

    /// Whether the symbol is defined here, is global, weak or unique, and is neither internal nor hidden.
    private static func isExported(_ symbol: Elf64_Sym) -> Bool {
        symbol.st_shndx != 0 && [1, 2, 10].contains(symbol.st_info >> 4) && [0, 3].contains(symbol.st_other & 3)
    }

    /// How many symbols there are; only the hash tables hold that number.
    private static func count(_ table: [Int64: UInt64]) -> Int? {
        if let hash = pointer(table[Tag.hash]) { return Int(hash.load(fromByteOffset: 4, as: UInt32.self)) }
        guard let hash = pointer(table[Tag.gnuHash]) else { return nil }
        let header = (0..<4).map { Int(hash.load(fromByteOffset: $0 * 4, as: UInt32.self)) }
        let (bucketCount, first, bloomCount) = (header[0], header[1], header[2])
        let buckets = hash.advanced(by: 16 + 8 * bloomCount)
        let chains = buckets.advanced(by: 4 * bucketCount)
        let last = (0..<bucketCount).map { Int(buckets.load(fromByteOffset: $0 * 4, as: UInt32.self)) }.max() ?? 0
        guard last >= first else { return first }
        var index = last
        // The chain of the last bucket ends with an odd number, which belongs to the last symbol of all.
        while chains.load(fromByteOffset: (index - first) * 4, as: UInt32.self) & 1 == 0 { index += 1 }
        return index + 1
    }
}

private func pointer(_ address: UInt64?) -> UnsafeRawPointer? {
    address.flatMap { UnsafeRawPointer(bitPattern: UInt($0)) }
}
