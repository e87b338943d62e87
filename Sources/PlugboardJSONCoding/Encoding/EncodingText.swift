import PlugboardJSON

/// A JSON text that types write by appending only.
///
/// Each value that is being encoded is a frame. Text is appended to the innermost frame, because `encode(to:)` ends
/// before its caller continues. Containers of `nestedContainer` and `superEncoder` may be written to at any time until
/// the end; each has a separate text, which `finish` inserts at its place.
final class EncodingText {
    struct Frame {
        enum Content: UInt8 { case nothing, value, array, object }

        /// The offset of the value, or of the key before it if it is a member.
        var start: Int
        var keyStart: Int
        var count: Int
        var content: Content
        /// Distinguishes the frame from earlier and later frames at its depth.
        let serial: Int
    }

    let keys: JSONKeyStrategy
    let writers: [ObjectIdentifier: JSONValueEncoder.Writer]
    /// The path of the value, and the number of arrays and objects that contain it.
    private let path: [any CodingKey]
    private let outerDepth: Int
    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int
    /// The values that are being encoded, the innermost last.
    private(set) var frames: UnsafeMutablePointer<Frame>
    private(set) var depth = 0
    private var frameCapacity = 16
    private var lastSerial = 0
    private var inserted: [(offset: Int, text: EncodingText)] = []

    init(
        keys: JSONKeyStrategy, writers: [ObjectIdentifier: JSONValueEncoder.Writer], path: [any CodingKey],
        outerDepth: Int, capacity: Int
    ) {
        self.keys = keys
        self.writers = writers
        self.path = path
        self.outerDepth = outerDepth
        self.capacity = capacity
        bytes = .allocate(capacity: capacity)
        frames = .allocate(capacity: frameCapacity)
    }

    deinit {
        bytes.deallocate()
        frames.deallocate()
    }

    /// Ends the text and calls `body` with each of its pieces.
    func finish(_ body: (UnsafeRawBufferPointer) -> Void) {
        while depth > 0 { leave() }
        var written = 0
        for (offset, text) in inserted {
            body(UnsafeRawBufferPointer(start: bytes + written, count: offset - written))
            text.finish(body)
            // One byte reserves the place.
            written = offset + 1
        }
        body(UnsafeRawBufferPointer(start: bytes + written, count: count - written))
    }

    // MARK: Frames

    /// Begins a value at the end. If it has a key, the key was written last.
    @inline(__always)
    func enter(keyStart: Int) -> Int {
        lastSerial &+= 1
        if depth == frameCapacity { growFrames() }
        frames[depth] = Frame(start: count, keyStart: keyStart, count: 0, content: .nothing, serial: lastSerial)
        depth &+= 1
        return lastSerial
    }

    @inline(never)
    private func growFrames() {
        let more = UnsafeMutablePointer<Frame>.allocate(capacity: frameCapacity * 2)
        more.update(from: frames, count: frameCapacity)
        frames.deallocate()
        frames = more
        frameCapacity *= 2
    }

    /// Ends the innermost frame.
    @inline(__always)
    func leave() {
        depth &-= 1
        switch frames[depth].content {
        case .value: break
        case .array: append(UInt8(ascii: "]"))
        case .object: append(UInt8(ascii: "}"))
        // A type that encodes nothing becomes an object without members.
        case .nothing: append(literal: "{}")
        }
    }

    @inline(__always)
    func isInnermost(_ level: Int, _ serial: Int) -> Bool { level == depth &- 1 && frames[level].serial == serial }

    var isTooDeep: Bool { outerDepth + depth > JSONValueEncoder.depthLimit }

    /// Makes the innermost frame an array or an object. Replaces other text of the frame.
    @inline(__always)
    func open(_ content: Frame.Content) {
        let last = depth &- 1
        guard frames[last].content != content else { return }
        if frames[last].content != .nothing { truncate(to: frames[last].start) }
        frames[last].content = content
        frames[last].count = 0
        append(content == .array ? UInt8(ascii: "[") : UInt8(ascii: "{"))
    }

    /// Prepares the innermost frame for a value. Replaces other text of the frame.
    @inline(__always)
    func beginValue() {
        let last = depth &- 1
        if frames[last].content != .nothing { truncate(to: frames[last].start) }
        frames[last].content = .value
    }

    /// Begins a member or an element of the innermost frame: writes the separator.
    @inline(__always)
    func beginPart() {
        let last = depth &- 1
        if frames[last].count > 0 { append(UInt8(ascii: ",")) }
        frames[last].count += 1
    }

    /// Removes a part that could not be encoded, including its comma.
    func dropPart(from offset: Int, level: Int) {
        depth = level + 1
        frames[level].count -= 1
        truncate(to: offset)
    }

    /// Removes a value that could not be encoded.
    func dropValue(level: Int) {
        depth = level + 1
        frames[level].content = .nothing
        truncate(to: frames[level].start)
    }

    private func truncate(to offset: Int) {
        count = offset
        while let last = inserted.last, last.offset >= offset { inserted.removeLast() }
    }

    /// A separate text, which will be inserted here.
    func insertText(at path: [any CodingKey]) -> EncodingText {
        let text = EncodingText(
            keys: keys, writers: writers, path: path, outerDepth: outerDepth + depth, capacity: 128)
        inserted.append((count, text))
        append(UInt8(ascii: " "))
        return text
    }

    /// The path of the frame at a level, or of the innermost one.
    func path(to last: Int? = nil) -> [any CodingKey] {
        var path = path
        for level in 0..<max(0, min(last ?? depth, depth - 1)) where frames[level].content != .value {
            path.append(step(into: frames[level + 1], of: frames[level]))
        }
        return path
    }

    private func step(into frame: Frame, of parent: Frame) -> any CodingKey {
        guard parent.content == .object else { return DocumentKey(.index(parent.count - 1)) }
        // The key, with its quotes and its colon.
        let key = UnsafeRawBufferPointer(start: bytes + frame.keyStart, count: max(0, frame.start - 1 - frame.keyStart))
        return DocumentKey(.key((try? JSONParser.parse(key))?.stringValue ?? ""))
    }

    // MARK: Bytes

    @inline(__always)
    func reserve(_ more: Int) {
        if capacity - count < more { grow(more) }
    }

    @inline(never)
    private func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: bytes, count: count)
        bytes.deallocate()
        bytes = larger
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        reserve(1)
        bytes[count] = byte
        count += 1
    }

    @inline(__always)
    func append(literal text: StaticString) {
        reserve(text.utf8CodeUnitCount)
        (bytes + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        count += text.utf8CodeUnitCount
    }

    @inline(__always)
    func append(_ text: UnsafeBufferPointer<UInt8>) {
        guard let first = text.baseAddress else { return }
        reserve(text.count)
        (bytes + count).update(from: first, count: text.count)
        count += text.count
    }

    @inline(__always)
    func advance(_ written: Int) { count += written }
}
