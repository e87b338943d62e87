import CPlugboard
import PlugboardBorder

/// Delivers the piece that a plugin has pulled, and keeps the original during the call, so that the plugin can pass it
/// on unchanged.
///
/// Sendable because the header says that the plugin's context may go to any thread.
struct PieceDelivery: @unchecked Sendable {
    typealias Pulled = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<plug_piece_v1>?) -> Void

    /// The slot of the plugin that pulls; nil if it pulled from a thread of its own, against the rules.
    private let slot: Int?
    private let context: UnsafeMutableRawPointer?
    private let pulled: Pulled

    init(to slot: Int?, context: UnsafeMutableRawPointer?, pulled: @escaping Pulled) {
        self.slot = slot
        self.context = context
        self.pulled = pulled
    }

    /// A piece that is being delivered, by the address of its view.
    struct Delivered {
        fileprivate let address: UnsafePointer<plug_piece_v1>
        fileprivate let piece: Piece
    }

    /// Called on the loop of the plugin that pulls.
    func deliver(_ piece: Piece, _ home: KernelLoop) {
        var view = plug_piece_v1()
        var scratch: Scratch?
        var trailerHead: HeadNode?
        switch piece {
        case .bytes(let bytes):
            view.kind = PLUG_PIECE_BYTES
            view.bytes = bytes.withUnsafeBytes { plug_text($0) }
        case .end(let trailers):
            view.kind = PLUG_PIECE_END
            if !trailers.isEmpty { trailerHead = HeadNode(ResponseHead(status: 0, fields: trailers)) }
            view.trailers = trailerHead?.pointer
        case .broken(let error):
            let texts = Scratch()
            view.kind = PLUG_PIECE_BROKEN
            view.code = texts.text(error.code.name)
            view.reason = texts.text(error.reason)
            scratch = texts
        }
        withExtendedLifetime((piece, scratch, trailerHead)) {
            withUnsafePointer(to: &view) { pointer in
                home.delivered.append(Delivered(address: pointer, piece: piece))
                if let slot {
                    home.containment.call(slot, .pulled) { pulled(context, pointer) }
                } else {
                    pulled(context, pointer)
                }
                home.delivered.removeLast()
            }
        }
    }

    /// The original of a piece that is being delivered; nil for any other pointer, and on other threads.
    /// [any]
    static func original(of piece: UnsafePointer<plug_piece_v1>, _ core: KernelCore?) -> Piece? {
        core?.current?.delivered.last { $0.address == piece }?.piece
    }
}
