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
        copy.copyMemory(from: bytes)
        return plug_text(UnsafeRawBufferPointer(copy))
    }

    private func room(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if count <= block.count - used {
            defer { used += count }
            return UnsafeMutableRawBufferPointer(rebasing: block[used..<used + count])
        }
        let text = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
        texts.append(text)
        return UnsafeMutableRawBufferPointer(start: text, count: count)
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
