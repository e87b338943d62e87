import CPlugboard
import PlugboardBorder
import PlugboardEventLoop
import PlugboardSystem

/// Keeps texts that were handed out to a plugin until its hook returns.
final class Scratch {
    /// Whether the address sanitizer is in the process. Memory is then not used again, so that it finds plugins that
    /// keep what was handed out.
    static let isChecked = dlsym(nil, "__asan_init") != nil
    /// The size in bytes.
    private static let blockSize = isChecked ? 0 : 512

    /// Holds the first texts of a hook, as long as they fit.
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 1)
    // Unchecked, because changing them calls no other code.
    @exclusivity(unchecked) private var used = 0
    /// The texts that do not fit.
    @exclusivity(unchecked) private var texts: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var fields: [Fields] = []
    @exclusivity(unchecked) private var options: [(name: String, value: String)]?

    deinit {
        clear()
        block.deallocate()
    }

    /// A copy of a text that stays until `clear`.
    func text(_ string: String) -> plug_text {
        withUTF8(string) { text($0) }
    }

    func text(_ bytes: UnsafeRawBufferPointer) -> plug_text {
        let copy = room(bytes.count)
        if let start = bytes.baseAddress { copy.copyMemory(from: start, byteCount: bytes.count) }
        return plug_text(UnsafeRawBufferPointer(start: copy, count: bytes.count))
    }

    @inline(__always)
    private func room(_ count: Int) -> UnsafeMutableRawPointer {
        let start = used
        if count <= block.count &- start, let first = block.baseAddress {
            used = start &+ count
            return first + start
        }
        let text = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
        texts.append(text)
        return text
    }

    /// The options of the request as texts, made again when the first is asked for.
    func options(
        isFirst: Bool, _ make: () -> [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        if !isFirst, let options { return options }
        let made = make()
        options = made
        return made
    }

    /// Keeps fields whose bytes were handed out, because they are about to change.
    func keep(_ fields: Fields) { self.fields.append(fields) }

    func clear() {
        used = 0
        if !texts.isEmpty {
            for text in texts { text.deallocate() }
            texts.clear()
        }
        if !fields.isEmpty { fields.clear() }
        if options != nil { options = nil }
    }
}
