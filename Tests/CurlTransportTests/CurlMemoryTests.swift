import CPlugboardCurl
import Foundation
import Synchronization
import Testing

/// The list of small blocks that libcurl's allocator keeps for a loop's thread.
///
/// The list belongs to a thread, so that each test runs in a thread of its own, from its begin to its end.
struct CurlMemoryTests {
    private func inThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread {
                ccurl_begin_keeping()
                body()
                ccurl_end_keeping()
                continuation.resume()
            }.start()
        }
    }

    @Test func `a block of any size has room for its bytes, also when it is used again`() async {
        await inThread {
            for _ in 0..<3 {
                var blocks: [(UnsafeMutableRawPointer, Int)] = []
                for size in Array(0...1100) + Array(stride(from: 1100, through: 20_000, by: 61)) {
                    guard let block = ccurl_take(size) else { continue }
                    #expect(ccurl_header_of(block).pointee.room >= size)
                    memset(block, Int32(size & 0xFF), size)
                    blocks.append((block, size))
                }
                for (block, size) in blocks {
                    let bytes = UnsafeRawBufferPointer(start: block, count: size)
                    #expect(bytes.allSatisfy { $0 == UInt8(size & 0xFF) })
                    ccurl_give(block)
                }
            }
        }
    }

    @Test func `a block that was given is the next one of its size`() async {
        await inThread {
            for size in [1, 24, 25, 700, 1032, 1033, 1488, 9584] {
                guard let block = ccurl_take(size) else { return }
                ccurl_give(block)
                guard let next = ccurl_take(size) else { return }
                #expect(next == block)
                ccurl_give(next)
            }
        }
    }

    @Test func `a block that is too large to be kept is given back to the system`() async {
        await inThread {
            for size in [20_000, 60_000, 1 << 20] {
                guard let block = ccurl_take(size) else { return }
                #expect(ccurl_class_of(block) == CCURL_LARGE)
                memset(block, 1, size)
                ccurl_give(block)
            }
        }
        #expect(ccurl_take(.max) == nil)
    }

    @Test func `a block of one thread is kept by another that gives it`() async {
        let address = Mutex<UInt>(0)
        await inThread { address.withLock { $0 = UInt(bitPattern: ccurl_take(100)) } }
        #expect(address.withLock { $0 } != 0)
        await inThread {
            guard let taken = UnsafeMutableRawPointer(bitPattern: address.withLock { $0 }) else { return }
            memset(taken, 1, 100)

            ccurl_give(taken)

            let next = ccurl_take(100)
            #expect(next == taken)
            ccurl_give(next)
        }
    }

    // The sanitizer does not allow reading before such a block.
    @Test(.disabled(if: ccurl_is_sanitized() != 0, "the allocator is not used with a sanitizer"))
    func `a block that libcurl has from the time before this allocator is given back to the system`() async {
        await inThread {
            for size in [1, 24, 100, 9584, 100_000, 1 << 20] {
                guard let block = malloc(size) else { return }
                memset(block, 7, size)

                ccurl_give(block)
                let grown = ccurl_resize(calloc(1, size), 2 * size)

                #expect(grown.map { ccurl_class_of($0) > CCURL_SLOT } == true)
                #expect(UnsafeRawBufferPointer(start: grown, count: size).allSatisfy { $0 == 0 })
                ccurl_give(grown)
            }
        }
    }

    @Test func `a block of a slot is given back to its owner`() async {
        await inThread {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 16)
            defer { memory.deallocate() }
            guard let block = ccurl_begin_slot(memory, { $0?.storeBytes(of: 7, as: UInt8.self) }) else { return }
            block.storeBytes(of: 0, as: UInt8.self)

            ccurl_give(block)

            #expect(block.load(as: UInt8.self) == 7)
        }
    }

    @Test func `zeroed memory is zero, whatever was in the block before`() async {
        await inThread {
            for size in [1, 24, 100, 1488, 9584, 100_000] {
                guard let old = ccurl_take(size) else { return }
                memset(old, 0xFF, size)
                ccurl_give(old)
                guard let block = ccurl_take_zeroed(1, size) else { return }
                #expect(UnsafeRawBufferPointer(start: block, count: size).allSatisfy { $0 == 0 })
                ccurl_give(block)
            }
            #expect(ccurl_take_zeroed(.max, 16) == nil)
        }
    }

    @Test func `a block that becomes larger or smaller keeps its bytes`() async {
        await inThread {
            guard var block = ccurl_take(10) else { return }
            memset(block, 7, 10)
            for size in [11, 24, 40, 41, 2000, 50_000, 1000, 30, 10] {
                guard let other = ccurl_resize(block, size) else { return }
                #expect(ccurl_header_of(other).pointee.room >= size)
                block = other
                #expect(UnsafeRawBufferPointer(start: block, count: 10).allSatisfy { $0 == 7 })
            }
            ccurl_give(block)
        }
    }

    @Test func `a copied text ends with its NUL`() async {
        await inThread {
            for count in [0, 1, 23, 24, 25, 300] {
                let text = String(repeating: "x", count: count)
                guard let copy = ccurl_copy(text) else { return }
                #expect(String(cString: copy) == text)
                ccurl_give(copy)
            }
        }
    }
}
