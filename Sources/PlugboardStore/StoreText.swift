import CPlugboard
import CPlugboardStore

// Texts across the border.
extension plug_text {
    /// A view of memory; valid as long as the memory.
    init(viewing bytes: UnsafeRawBufferPointer) {
        // {NULL, 0} means that there is no value, so an empty value needs an address.
        self.init(
            bytes: (bytes.baseAddress ?? plug_text.noBytes).assumingMemoryBound(to: CChar.self),
            count: UInt64(bytes.count))
    }

    /// The bytes in place.
    var view: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count)) }

    /// Constant, and never released.
    nonisolated(unsafe) private static let noBytes = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
}

extension String {
    /// A copy of a text; what is not UTF-8 is replaced.
    init(_ text: plug_text) { self.init(decoding: text.view, as: UTF8.self) }

    /// A copy of a text that is UTF-8; else nil.
    init?(checking text: plug_text) {
        guard let string = String(validating: text.view, as: UTF8.self) else { return nil }
        self = string
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to 64 bits.
    var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}

/// Calls `body` with views of strings, which are valid during the call.
func withTexts(_ strings: [String], _ body: (UnsafeMutablePointer<plug_text>) -> Void) {
    withBuffers(strings.map { Array($0.utf8) }) { buffers in
        var texts = buffers.map { plug_text(viewing: $0) }
        if texts.isEmpty { texts = [plug_text()] }
        texts.withUnsafeMutableBufferPointer { if let texts = $0.baseAddress { body(texts) } }
    }
}

/// Calls `body` with views of entries, which are valid during the call.
func withEntries(_ entries: [StoreEntry], _ body: (UnsafeMutablePointer<plug_store_entry_v1>) -> Void) {
    withBuffers(entries.flatMap { [Array($0.key.utf8), $0.value.array] }) { buffers in
        var views = entries.indices.map { index in
            plug_store_entry_v1(
                key: plug_text(viewing: buffers[2 * index]), value: plug_text(viewing: buffers[2 * index + 1]),
                time_to_live: entries[index].timeToLive.nanoseconds)
        }
        if views.isEmpty { views = [plug_store_entry_v1()] }
        views.withUnsafeMutableBufferPointer { if let views = $0.baseAddress { body(views) } }
    }
}

/// Calls `body` with the bytes of all arrays, in one piece of memory.
private func withBuffers(_ arrays: [[UInt8]], _ body: ([UnsafeRawBufferPointer]) -> Void) {
    let bytes = arrays.flatMap { $0 }
    bytes.withUnsafeBytes { all in
        var (views, start): ([UnsafeRawBufferPointer], Int) = ([], 0)
        for array in arrays {
            views.append(UnsafeRawBufferPointer(rebasing: all[start..<start + array.count]))
            start += array.count
        }
        body(views)
    }
}
