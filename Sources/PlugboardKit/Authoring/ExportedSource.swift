import CPlugboard

/// A Swift source as the C struct that crosses the border.
final class ExportedSource {
    private let source: any BodySource
    private let host: PluginHost

    private init(_ source: any BodySource, host: PluginHost) {
        self.source = source
        self.host = host
    }

    static func make(_ source: any BodySource, host: PluginHost) -> OpaquePointer? {
        // The kernel reads bytes in memory without calling the plugin.
        if let bytes = Body(uncounted: source).unreadBytes {
            return host.raw.pointee.body_of_bytes(host.raw, bytes.exported)
        }
        let exported = ExportedSource(source, host: host)
        let length = source.length.map { UInt64(clamping: $0) } ?? UInt64.max
        var table = plug_source_v1()
        table.context = Unmanaged.passRetained(exported).toOpaque()
        table.length = length
        table.pull = { context, pull in
            guard let exported = ExportedSource.borrow(context) else { return }
            exported.source.pull(Pull(exported.host.pullCompletion, serial: pull))
        }
        if source.canRewind {
            table.rewind = { context in
                ExportedSource.borrow(context)?.source.rewind() == true ? PLUG_OK : PLUG_WRONG_TIME
            }
        }
        table.release = { context in
            guard let context else { return }
            let exported = Unmanaged<ExportedSource>.fromOpaque(context).takeRetainedValue()
            exported.source.release()
        }
        return host.raw.pointee.body_of_source(host.raw, &table)
    }

    private static func borrow(_ context: UnsafeMutableRawPointer?) -> ExportedSource? {
        context.map { Unmanaged<ExportedSource>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Completes pulls across the border. Each plugin has one.
final class PullCompletion: PullReceiver {
    private let host: HostPointer

    init(_ host: HostPointer) { self.host = host }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        let table = host.raw
        switch piece {
        case .bytes(let bytes):
            return table.pointee.pull_give(table, serial, bytes.exported) == PLUG_OK
        case .end(let trailers):
            return withCFields(trailers) { table.pointee.pull_end(table, serial, $0, $1) } == PLUG_OK
        case .broken(let error):
            return withText(error.code.name) { code in
                withText(error.reason) { table.pointee.pull_fail(table, serial, code, $0) }
            } == PLUG_OK
        }
    }
}

extension Bytes {
    /// The bytes as a C struct, without a copy: the kernel releases them through `release`.
    var exported: plug_bytes {
        let kept = Unmanaged.passRetained(KeptBytes(self)).toOpaque()
        return withUnsafeBytes { buffer in
            plug_bytes(bytes: buffer.baseAddress, count: UInt64(buffer.count), release: releaseObject, context: kept)
        }
    }

    private final class KeptBytes {
        let bytes: Bytes
        init(_ bytes: Bytes) { self.bytes = bytes }
    }
}
