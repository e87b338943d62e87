import PlugboardKit

/// The bytes of a shared object, which are checked before any of its code runs.
///
/// Every offset and size in the file is checked against the file's size before it is used. The system's loader may
/// still refuse the file, but cannot read beyond its end, where a mapping causes SIGBUS. Names and layouts are those of
/// the System V ABI, chapters 4 and 5, for 64-bit files.
struct SharedObject {
    /// An entry of the program header table.
    struct Segment {
        var type: UInt32
        var offset: UInt64
        var address: UInt64
        var fileSize: UInt64
        var memorySize: UInt64
    }

    let path: String
    let reader: ELFReader
    let segments: [Segment]
    /// The contents of the sections named `plugboard`.
    let metadataSections: [Range<Int>]

    /// Checks the structure of the file. Throws the first error.
    init(path: String, bytes: [UInt8]) throws(PlugboardError) {
        let reader = ELFReader(bytes: bytes)
        guard bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else {
            throw PlugboardError(
                .loadingNotELF,
                "\(path) is not a shared object: it is not an ELF file. Name the .so file of a plugin.")
        }
        guard bytes.count >= SharedObject.headerSize else { throw SharedObject.truncated(path, "its header") }
        try SharedObject.checkMachine(path, reader)
        guard reader.number(16, as: UInt16.self) == SharedObject.dynamicType else {
            throw PlugboardError(
                .loadingNotShared,
                "\(path) is an ELF file and not a shared object. Link the plugin with -shared.")
        }
        self.path = path
        self.reader = reader
        segments = try SharedObject.segments(path, reader)
        metadataSections = try SharedObject.sections(path, reader)
    }

    static let headerSize = 64
    private static let dynamicType: UInt16 = 3
    private static let loadSegment: UInt32 = 1
    private static let emptySection: UInt32 = 0
    private static let unfiledSection: UInt32 = 8

    // MARK: Segments

    private static func segments(_ path: String, _ reader: ELFReader) throws(PlugboardError) -> [Segment] {
        let start = reader.number(32, as: UInt64.self) ?? 0
        let size = UInt64(reader.number(54, as: UInt16.self) ?? 0)
        let count = UInt64(reader.number(56, as: UInt16.self) ?? 0)
        guard count > 0, size == 56 else {
            throw damaged(path, "it has no table of segments in the form of 64-bit files")
        }
        guard reader.range(start, entries: count, size: size) != nil else {
            throw truncated(path, "its table of segments")
        }
        var segments: [Segment] = []
        for index in 0..<count {
            let entry = start + index * size
            guard let type: UInt32 = reader.number(entry), let offset: UInt64 = reader.number(entry + 8),
                let address: UInt64 = reader.number(entry + 16), let fileSize: UInt64 = reader.number(entry + 32),
                let memorySize: UInt64 = reader.number(entry + 40)
            else { throw truncated(path, "its table of segments") }
            if type == loadSegment {
                guard reader.range(offset, fileSize) != nil else { throw truncated(path, "segment \(index)") }
                guard fileSize <= memorySize, !address.addingReportingOverflow(memorySize).overflow else {
                    throw damaged(path, "segment \(index) is larger in the file than in memory")
                }
            }
            segments.append(
                Segment(type: type, offset: offset, address: address, fileSize: fileSize, memorySize: memorySize))
        }
        return segments
    }

    /// The offset in the file of `count` bytes that are mapped at an address; nil if they are not.
    func offset(of address: UInt64, count: UInt64) -> UInt64? {
        for segment in segments where segment.type == SharedObject.loadSegment && segment.address <= address {
            let within = address - segment.address
            if within <= segment.fileSize, count <= segment.fileSize - within { return segment.offset + within }
        }
        return nil
    }

    // MARK: Sections

    /// Checks all sections and returns those named `plugboard`. The table may be missing (stripped).
    private static func sections(_ path: String, _ reader: ELFReader) throws(PlugboardError) -> [Range<Int>] {
        let start = reader.number(40, as: UInt64.self) ?? 0
        guard start != 0 else { return [] }
        let size = UInt64(reader.number(58, as: UInt16.self) ?? 0)
        guard size == 64 else { throw damaged(path, "its table of sections is not in the form of 64-bit files") }
        guard reader.range(start, size) != nil else { throw truncated(path, "its table of sections") }
        // Numbers that are too large for the header are in the first section.
        var count = UInt64(reader.number(60, as: UInt16.self) ?? 0)
        if count == 0 { count = reader.number(start + 32) ?? 0 }
        var namesIndex = UInt64(reader.number(62, as: UInt16.self) ?? 0)
        if namesIndex == 0xffff { namesIndex = UInt64(reader.number(start + 40, as: UInt32.self) ?? 0) }
        guard reader.range(start, entries: count, size: size) != nil else {
            throw truncated(path, "its table of sections")
        }

        var contents: [(name: UInt32, range: Range<Int>)] = []
        var names: Range<Int>?
        for index in 0..<count {
            let entry = start + index * size
            guard let name: UInt32 = reader.number(entry), let type: UInt32 = reader.number(entry + 4),
                let offset: UInt64 = reader.number(entry + 24), let length: UInt64 = reader.number(entry + 32)
            else { throw truncated(path, "its table of sections") }
            guard type != emptySection, type != unfiledSection else { continue }
            guard let range = reader.range(offset, length) else { throw truncated(path, "section \(index)") }
            contents.append((name, range))
            if index == namesIndex { names = range }
        }
        guard let names else { return [] }
        return contents.compactMap { name, range in
            let text = reader.text(UInt64(names.lowerBound) + UInt64(name), before: names.upperBound, limit: 64)
            return text?.elementsEqual("plugboard".utf8) == true ? range : nil
        }
    }

    // MARK: Errors

    static func truncated(_ path: String, _ what: String) -> PlugboardError {
        PlugboardError(
            .loadingTruncated,
            "The plugin \(path) is incomplete: \(what) reaches beyond the end of the file. Copy or build it again.")
    }

    static func damaged(_ path: String, _ how: String) -> PlugboardError {
        PlugboardError(.loadingDamaged, "The plugin \(path) is damaged: \(how). Copy or build it again.")
    }
}
