import PlugboardDownloads
import PlugboardMessages
import PlugboardXML

/// A Metalink document (RFC 5854): files, with their digests and URLs.
///
///     let metalink = try Metalink(bytes)
///     for file in metalink.files { try await file.download(in: "images").run(with: kernel) }
public struct Metalink: Sendable, Equatable {
    /// One file, which is available at each of its URLs.
    public struct File: Sendable, Equatable {
        /// A safe name: not a path, not hidden, without control characters.
        public var name: String
        /// The number of bytes; nil if the document does not contain it.
        public var size: ByteCount?
        /// The strongest digest that can be verified; nil if there is none.
        public var digest: ExpectedDigest?
        /// The digests of its pieces that can be verified; nil if there are none, or the size is unknown.
        public var pieces: PieceHashes?
        /// URLs with the schemes http and https, the preferred one first; never empty.
        public var urls: [String]

        /// A download of the file to a folder, from the preferred URL, with the other URLs as mirrors. An existing file
        /// is not replaced unless `replacesFile` is set.
        ///
        /// - Parameter prepare: Makes the request for a URL; by default a plain GET.
        public func download(
            in folder: String, prepare: (_ url: String) -> Request = { Request(.get, $0) }
        ) -> Download {
            let separator = folder.isEmpty || folder.utf8.last == UInt8(ascii: "/") ? "" : "/"
            var download = Download(prepare(urls[0]), to: folder + separator + name)
            download.replacesFile = false
            download.mirrors = urls.dropFirst().map(prepare)
            download.digest = digest
            download.pieces = pieces
            download.size = size
            return download
        }
    }

    /// The files in the order of the document; never empty.
    public let files: [File]

    /// The media type of documents (RFC 5854 §7).
    public static let contentType = MirrorLinks.contentType
    private static let namespace = "urn:ietf:params:xml:ns:metalink"
    /// The largest priority, which is also that of a URL without one (RFC 5854 §4.1.1.2).
    private static let lastPriority = 999_999

    /// Reads a document. Throws `download.metalink` if it is not valid, or has no file with a URL of http or https.
    public init(_ bytes: Bytes) throws(PlugboardError) {
        let root: XMLTree
        do throws(PlugboardError) {
            root = try XMLCodec().decode(XMLTree.self, from: bytes, contentType: nil)
        } catch {
            throw PlugboardError(.downloadMetalink, "The Metalink document cannot be used. \(error.reason)")
        }
        let (prefix, name) = Metalink.split(root.name)
        let own = root[attribute: prefix.isEmpty ? "xmlns" : "xmlns:" + prefix]
        guard name == "metalink", own == Metalink.namespace else {
            throw Metalink.refused("its root is not metalink of the namespace \(Metalink.namespace)")
        }
        // Elements of other namespaces are extensions.
        func children(_ element: XMLTree, _ name: String) -> [XMLTree] {
            element.children.filter {
                Metalink.split($0.name) == (prefix, name)
                    && $0[attribute: "xmlns"].map { $0 == Metalink.namespace } ?? true
            }
        }
        var files: [File] = []
        var names: Set<String> = []
        for element in children(root, "file") {
            guard let given = element[attribute: "name"], let name = SafeName.from(name: given) else {
                throw Metalink.refused("a file has no name that can be used")
            }
            guard names.insert(name).inserted else { throw Metalink.refused("two files have the name \(name)") }
            var file = File(name: name, size: nil, digest: nil, pieces: nil, urls: [])
            if let size = children(element, "size").first {
                guard let count = Int(Metalink.text(size)), count >= 0 else {
                    throw Metalink.refused("the size of \(name) is not a number")
                }
                file.size = .bytes(count)
            }
            for hash in children(element, "hash") {
                guard let function = hash[attribute: "type"], ExpectedDigest.Algorithm(function) != nil else {
                    continue
                }
                guard let digest = ExpectedDigest(function, Metalink.text(hash)) else {
                    throw Metalink.refused("the \(Printable.text(function)) of \(name) is not a digest")
                }
                if file.digest == nil || digest.algorithm == .sha512 { file.digest = digest }
            }
            for pieces in children(element, "pieces") where file.pieces == nil {
                file.pieces = try Metalink.pieces(pieces, children(pieces, "hash"), of: file)
            }
            file.urls = Metalink.urls(children(element, "url"))
            if !file.urls.isEmpty { files.append(file) }
        }
        guard !files.isEmpty else { throw Metalink.refused("it has no file with a URL of http or https") }
        self.files = files
    }

    /// The digests of pieces (RFC 5854 §4.2.9); nil if their function is not supported, or the size of the file is
    /// unknown.
    private static func pieces(
        _ element: XMLTree, _ hashes: [XMLTree], of file: File
    ) throws(PlugboardError) -> PieceHashes? {
        guard let function = element[attribute: "type"], ExpectedDigest.Algorithm(function) != nil,
            let size = file.size, size.bytes > 0
        else { return nil }
        let digests = hashes.compactMap { ExpectedDigest(function, text($0)) }
        guard digests.count == hashes.count, let length = element[attribute: "length"].flatMap({ Int($0) }),
            let pieces = PieceHashes(length: length, size: size.bytes, digests: digests)
        else { throw refused("the pieces of \(file.name) do not have a digest each") }
        return pieces
    }

    /// URLs that can be requested, by priority; URLs of equal priority are in the order of the document.
    private static func urls(_ elements: [XMLTree]) -> [String] {
        var urls: [(priority: Int, index: Int, url: String)] = []
        for (index, element) in elements.enumerated() {
            let url = text(element)
            guard let scheme = URLParts(url)?.scheme, ["http", "https"].contains(scheme.lowercased()) else { continue }
            urls.append((element[attribute: "priority"].flatMap { Int($0) } ?? lastPriority, index, url))
        }
        return urls.sorted { ($0.priority, $0.index) < ($1.priority, $1.index) }.map { $0.url }
    }

    /// The text of an element, without the space around it.
    private static func text(_ element: XMLTree) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        let bytes = element.text.utf8
        let end = bytes.lastIndex { !isSpace($0) }.map(bytes.index(after:)) ?? bytes.startIndex
        return String(Substring(bytes[..<end].drop(while: isSpace)))
    }

    private static func split(_ name: String) -> (prefix: String, local: String) {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return ("", name) }
        return (String(name[..<colon]), String(name[name.utf8.index(after: colon)...]))
    }

    private static func refused(_ reason: String) -> PlugboardError {
        PlugboardError(.downloadMetalink, "The Metalink document cannot be used: \(reason).")
    }
}
