// Feeds arbitrary bytes to the decoders of content codings, in pieces, and checks what must hold whatever they are.
import Fuzzing
import PlugboardKit
import Synchronization

@testable import PlugboardDecode

/// The first byte chooses the codings, the second how large the pieces are that the rest comes in.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard count > 2 else { return 0 }
    let codings = ContentCoding.allCases
    let (first, second) = (codings[Int(bytes[0]) % 4], codings[Int(bytes[0] >> 2) % 4])
    let chosen = bytes[0] >> 4 == 0 ? [first, second] : [first]

    bytes.withUnsafeBytes { bytes in
        checkTimeOfMaking(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(2))) { rest in
            decode(ArraySlice(rest), chosen, pieceSize: 16 + Int(bytes[1])).bytes.count
        }
    }
    let outcome = decode(bytes.dropFirst(2), chosen, pieceSize: 1 + Int(bytes[1]))
    let whole = decode(bytes.dropFirst(2), chosen, pieceSize: count)
    precondition(outcome.isWhole == whole.isWhole, "how it came in pieces decides what it is")
    precondition(!outcome.isWhole || outcome.bytes == whole.bytes)
    precondition(outcome.bytes.count <= limit, "more than is allowed")
    return 0
}

private let limit = 4 << 20

private func decode(_ bytes: ArraySlice<UInt8>, _ codings: [ContentCoding], pieceSize: Int) -> Reader {
    let source = DecodingSource.around(
        Pieces(bytes, pieceSize), codings: codings, budget: DecodingBudget(limit: .bytes(limit), ratio: 0))
    let reader = Reader()
    while reader.pull(source) {}
    source.release()
    return reader
}

/// Bytes in pieces of one size.
private final class Pieces: BodySource {
    private let rest: Mutex<ArraySlice<UInt8>>
    private let size: Int

    init(_ bytes: ArraySlice<UInt8>, _ size: Int) {
        rest = Mutex(bytes)
        self.size = size
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        let piece = rest.withLock { rest in
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
        if piece.isEmpty { pull.end() } else { pull.give(Bytes(piece)) }
    }
}

/// Receives pieces, all of which are given at once here.
private final class Reader: PullReceiver {
    private struct State {
        var bytes: [UInt8] = []
        var isWhole = false
        var isOver = false
        var isCompleted = false
    }

    private let state = Mutex(State())

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var isWhole: Bool { state.withLock { $0.isWhole } }

    /// Whether there is more.
    func pull(_ source: any BodySource) -> Bool {
        state.withLock { $0.isCompleted = false }
        source.pull(Pull(self))
        return state.withLock { state in
            precondition(state.isCompleted, "the pull was not completed")
            return !state.isOver
        }
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        state.withLock { state in
            precondition(!state.isCompleted && !state.isOver, "the pull was completed twice")
            state.isCompleted = true
            switch piece {
            case .bytes(let bytes): bytes.withUnsafeBytes { state.bytes += $0 }
            case .end: (state.isWhole, state.isOver) = (true, true)
            case .broken(let error):
                precondition(error.code == .bodyDecode)
                state.isOver = true
            }
        }
        return true
    }
}
