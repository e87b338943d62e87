import PlugboardKit
import Synchronization

/// Makes random UUIDs (RFC 9562 §5.4) for tickets and keys. Requests random bytes for many of them at once.
final class TicketMaker: Sendable {
    private static let batch = 64

    private let host: PluginHost
    private let bytes = Mutex<[UInt8]>([])

    init(_ host: PluginHost) { self.host = host }

    func make() -> String {
        let bytes = bytes.withLock { bytes in
            if bytes.count < 16 { bytes = host.random(16 * TicketMaker.batch) }
            defer { bytes.removeLast(16) }
            return Array(bytes.suffix(16))
        }
        return TicketMaker.text(bytes)
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            var end = 0
            func write(_ digit: UInt8) {
                buffer[end] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                end += 1
            }
            for (index, byte) in bytes.enumerated() {
                if [4, 6, 8, 10].contains(index) {
                    buffer[end] = UInt8(ascii: "-")
                    end += 1
                }
                // Version 4, variant 10.
                let byte = index == 6 ? byte & 0x0F | 0x40 : index == 8 ? byte & 0x3F | 0x80 : byte
                write(byte >> 4)
                write(byte & 15)
            }
            return end
        }
    }
}
