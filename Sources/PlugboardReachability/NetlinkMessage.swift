import CPlugboardNetlink

/// One message of a netlink datagram. Valid as long as the datagram's memory.
struct NetlinkMessage {
    let header: nlmsghdr
    /// What follows the header.
    let payload: UnsafeRawBufferPointer

    var type: Int { Int(header.nlmsg_type) }

    /// Calls a closure with each message of a datagram, in order.
    ///
    /// - Returns: False if a length is not possible; the rest of the datagram is then not read.
    static func forEach(in datagram: UnsafeRawBufferPointer, _ body: (NetlinkMessage) -> Void) -> Bool {
        let headerSize = MemoryLayout<nlmsghdr>.size
        var start = 0
        while datagram.count - start >= headerSize {
            let header = datagram.loadUnaligned(fromByteOffset: start, as: nlmsghdr.self)
            let length = Int(header.nlmsg_len)
            guard length >= headerSize, length <= datagram.count - start else { return false }
            let payload = UnsafeRawBufferPointer(rebasing: datagram[(start + headerSize)..<(start + length)])
            body(NetlinkMessage(header: header, payload: payload))
            start += aligned(length)
        }
        return true
    }

    /// The fixed part of the payload; nil if the payload is shorter.
    func fixed<Part: BitwiseCopyable>(_ type: Part.Type) -> Part? {
        payload.count >= MemoryLayout<Part>.size ? payload.loadUnaligned(as: type) : nil
    }

    /// Calls a closure with the type and the value of each attribute after the fixed part.
    func forEachAttribute<Part>(after fixed: Part.Type, _ body: (Int, UnsafeRawBufferPointer) -> Void) {
        let start = NetlinkMessage.aligned(MemoryLayout<Part>.size)
        guard start <= payload.count else { return }
        NetlinkMessage.forEachAttribute(in: UnsafeRawBufferPointer(rebasing: payload[start...]), body)
    }

    /// Calls a closure with the type and the value of each attribute. Stops at a length that is not possible.
    static func forEachAttribute(in bytes: UnsafeRawBufferPointer, _ body: (Int, UnsafeRawBufferPointer) -> Void) {
        let headerSize = MemoryLayout<rtattr>.size
        var start = 0
        while bytes.count - start >= headerSize {
            let header = bytes.loadUnaligned(fromByteOffset: start, as: rtattr.self)
            let length = Int(header.rta_len)
            guard length >= headerSize, length <= bytes.count - start else { return }
            // The two highest bits are flags (NLA_F_NESTED, NLA_F_NET_BYTEORDER).
            body(
                Int(header.rta_type & 0x3FFF),
                UnsafeRawBufferPointer(rebasing: bytes[(start + headerSize)..<(start + length)]))
            start += aligned(length)
        }
    }

    /// Messages, attributes and next hops begin at multiples of four bytes.
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension UnsafeRawBufferPointer {
    /// The first four bytes as a number; nil if there are fewer.
    var number: UInt32? { count >= 4 ? loadUnaligned(as: UInt32.self) : nil }

    /// The bytes before the first NUL as a text.
    var name: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}
