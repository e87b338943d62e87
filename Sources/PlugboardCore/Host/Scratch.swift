import CPlugboard
import PlugboardKit

/// Keeps texts that were handed out to a plugin until its hook returns.
final class Scratch {
    // Unchecked, because it is cleared after every hook.
    @exclusivity(unchecked) private var texts: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var fields: [Fields] = []
    @exclusivity(unchecked) private var options: [(name: String, value: String)]?

    deinit { clear() }

    /// A copy of a text that stays until `clear`.
    func text(_ string: String) -> plug_text {
        withUTF8(string) { text($0) }
    }

    func text(_ bytes: UnsafeRawBufferPointer) -> plug_text {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        copy.copyMemory(from: bytes)
        if let address = copy.baseAddress { texts.append(address) }
        return plug_text(UnsafeRawBufferPointer(rebasing: copy[..<bytes.count]))
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
        for text in texts { text.deallocate() }
        texts.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        if options != nil { options = nil }
    }
}
