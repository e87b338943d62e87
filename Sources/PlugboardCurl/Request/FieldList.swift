import CPlugboardCurl
import PlugboardTransport

/// A request's fields in the form that libcurl reads: a linked list of lines. Its memory is kept for the next request.
final class FieldList {
    private var text = UnsafeMutablePointer<CChar>.allocate(capacity: 512)
    private var textCapacity = 512
    private var textCount = 0
    // Unchecked, because the functions that change it call no other code meanwhile.
    @exclusivity(unchecked) private var starts: [Int] = []
    private var nodes = UnsafeMutablePointer<curl_slist>.allocate(capacity: 16)
    private var nodeCapacity = 16
    /// The bytes of the longest name or value, and the index of its line.
    private var longest = (size: 0, line: 0)

    deinit {
        text.deallocate()
        nodes.deallocate()
    }

    func removeAll() {
        textCount = 0
        longest = (0, 0)
        starts.removeAll(keepingCapacity: true)
    }

    /// Adds a line that suppresses a field which libcurl adds by default.
    func suppress(_ name: StaticString) {
        begin()
        add(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        add(0x3A)
        add(0)
    }

    func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let size = max(name.count, value.count)
        if size > longest.size { longest = (size, starts.count) }
        begin()
        add(name)
        // libcurl omits the field for "Name:", and sends an empty field for "Name;".
        if FieldList.isBlank(value) {
            add(0x3B)
        } else {
            add(0x3A)
            add(0x20)
            add(value)
        }
        add(0)
    }

    /// Whether a value is empty or only white space.
    static func isBlank(_ value: UnsafeRawBufferPointer) -> Bool { value.allSatisfy { $0 == 0x20 || $0 == 0x09 } }

    /// Adds a field to the last line, whose value must not be empty, so that libcurl sends the field without parsing
    /// it.
    func appendUnknown(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        textCount -= 1
        add(0x0D)
        add(0x0A)
        add(name)
        add(0x3A)
        add(0x20)
        add(value)
        add(0)
    }

    /// Adds `Content-Length: 0`, for methods that define a meaning for a body (RFC 9110 §8.6).
    func appendEmptyLength() {
        begin()
        let line: StaticString = "Content-Length: 0"
        add(UnsafeRawBufferPointer(start: line.utf8Start, count: line.utf8CodeUnitCount))
        add(0)
    }

    /// The list, which is valid until the next change; nil if there are no lines. Throws for a field that libcurl would
    /// leave out.
    func list(for abilities: CurlAbilities) throws(PlugboardError) -> UnsafeMutablePointer<curl_slist>? {
        if starts.isEmpty { return nil }
        if let limit = abilities.fieldSizeLimit, longest.size > limit {
            let name = String(cString: text + starts[longest.line]).prefix { $0 != ":" }.prefix(60)
            throw PlugboardError(
                .requestField,
                "The field \(Printable.text(String(name))) of the request has \(longest.size) bytes, and libcurl "
                    + "\(abilities.version) sends at most \(limit). Nothing was sent.")
        }
        if starts.count > nodeCapacity {
            nodes.deallocate()
            nodeCapacity = 2 * starts.count
            nodes = .allocate(capacity: nodeCapacity)
        }
        for index in starts.indices {
            let next = index + 1 < starts.count ? nodes + index + 1 : nil
            (nodes + index).initialize(to: curl_slist(data: text + starts[index], next: next))
        }
        return nodes
    }

    private func begin() { starts.append(textCount) }

    private func add(_ byte: UInt8) {
        makeRoom(1)
        text[textCount] = CChar(bitPattern: byte)
        textCount += 1
    }

    private func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        makeRoom(bytes.count)
        UnsafeMutableRawPointer(text + textCount).copyMemory(from: start, byteCount: bytes.count)
        textCount += bytes.count
    }

    private func makeRoom(_ count: Int) {
        guard textCount + count > textCapacity else { return }
        textCapacity = 2 * (textCount + count)
        let larger = UnsafeMutablePointer<CChar>.allocate(capacity: textCapacity)
        larger.update(from: text, count: textCount)
        text.deallocate()
        text = larger
    }
}
