import CPlugboard
import PlugboardKit
import Synchronization

/// Tells a plugin what its pull brought, and remembers the original meanwhile, so that it can be passed on as it is.
struct PieceTelling {
    typealias Pulled = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<plug_piece_v1>?) -> Void

    /// The place of the plugin that pulls; nil if it broke the rules, and pulled from a thread of its own.
    private let place: Int?
    private let context: UnsafeMutableRawPointer?
    private let pulled: Pulled

    init(to place: Int?, context: UnsafeMutableRawPointer?, pulled: @escaping Pulled) {
        self.place = place
        self.context = context
        self.pulled = pulled
    }

    /// What is being told right now, by the address of its view.
    private static let current = Mutex<[UInt: Piece]>([:])

    func tell(_ piece: Piece, _ core: KernelCore) {
        var view = plug_piece_v1()
        let scratch = Scratch()
        var trailerHead: HeadNode?
        switch piece {
        case .bytes(let bytes):
            view.kind = UInt32(PLUG_PIECE)
            view.bytes = bytes.withUnsafeBytes { plug_text($0) }
        case .end(let trailers):
            view.kind = UInt32(PLUG_END)
            if !trailers.isEmpty { trailerHead = HeadNode(ResponseHead(status: 0, fields: trailers)) }
            view.trailers = trailerHead?.pointer
        case .broken(let error):
            view.kind = UInt32(PLUG_BREAK)
            view.code = scratch.text(error.code.name)
            view.reason = scratch.text(error.reason)
        }
        withExtendedLifetime((piece, scratch, trailerHead)) {
            withUnsafePointer(to: &view) { pointer in
                let address = UInt(bitPattern: pointer)
                PieceTelling.current.withLock { $0[address] = piece }
                if let place {
                    core.calling(place, .pulled) { pulled(context, pointer) }
                } else {
                    pulled(context, pointer)
                }
                PieceTelling.current.withLock { $0[address] = nil }
            }
        }
    }

    /// The original of a piece that is being told; nil for one that the plugin made up.
    static func original(of piece: UnsafePointer<plug_piece_v1>) -> Piece? {
        current.withLock { $0[UInt(bitPattern: piece)] }
    }
}
