/// SHA-512 (FIPS 180-4), of bytes that come in pieces.
///
/// Implemented here for the reason of `SHA256`: no library that is linked anyway offers it.
struct SHA512: Sendable {
    private typealias State = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    /// The fractions of the square roots of the first 8 primes (§5.3.5).
    private var state: State = (
        0x6a09e667_f3bcc908, 0xbb67ae85_84caa73b, 0x3c6ef372_fe94f82b, 0xa54ff53a_5f1d36f1,
        0x510e527f_ade682d1, 0x9b05688c_2b3e6c1f, 0x1f83d9ab_fb41bd6b, 0x5be0cd19_137e2179
    )
    /// The bytes after the last whole block.
    private var rest: [UInt8] = []
    private var count = 0
    private var schedule = [UInt64](repeating: 0, count: 80)

    /// The digest of no bytes.
    init() {}

    /// The digest of `count` bytes, whole blocks, that have brought it to this state.
    init?(midstate: [UInt64], count: Int) {
        guard midstate.count == 8, count >= 0, count.isMultiple(of: 128) else { return nil }
        state = (
            midstate[0], midstate[1], midstate[2], midstate[3], midstate[4], midstate[5], midstate[6], midstate[7]
        )
        self.count = count
    }

    /// The state after the whole blocks so far.
    var midstate: [UInt64] { [state.0, state.1, state.2, state.3, state.4, state.5, state.6, state.7] }

    /// Adds bytes at the end.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        var bytes = bytes
        if !rest.isEmpty {
            let taken = min(128 - rest.count, bytes.count)
            rest += bytes[..<taken]
            bytes = UnsafeRawBufferPointer(rebasing: bytes[taken...])
            guard rest.count == 128 else { return }
            let block = rest
            block.withUnsafeBytes { compress($0) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.count & ~127
        compress(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
        rest += bytes[whole...]
    }

    /// The digest of the bytes so far, as 128 hexadecimal digits in lower case.
    var hexadecimal: String {
        var copy = self
        // The last one or two blocks: the rest of the bytes, a one bit, zeros, and the length in bits, in 128 bits.
        var end = rest + [0x80]
        end += repeatElement(0, count: (240 - end.count % 128) % 128 + 8)
        withUnsafeBytes(of: (UInt64(count) << 3).bigEndian) { end += $0 }
        end.withUnsafeBytes { copy.compress($0) }
        let state = copy.state
        return [state.0, state.1, state.2, state.3, state.4, state.5, state.6, state.7].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard !blocks.isEmpty else { return }
        schedule.withUnsafeMutableBufferPointer { schedule in
            SHA512.roundConstants.withUnsafeBufferPointer { constants in
                SHA512.compress(blocks, &state, schedule, constants)
            }
        }
    }

    /// Adds whole blocks of 128 bytes to the state (§6.4.2).
    private static func compress(
        _ blocks: UnsafeRawBufferPointer, _ state: inout State,
        _ schedule: UnsafeMutableBufferPointer<UInt64>, _ constants: UnsafeBufferPointer<UInt64>
    ) {
        for start in stride(from: 0, to: blocks.count, by: 128) {
            for t in 0..<16 {
                schedule[t] = UInt64(bigEndian: blocks.loadUnaligned(fromByteOffset: start + 8 * t, as: UInt64.self))
            }
            for t in 16..<80 {
                let early = schedule[t - 15]
                let late = schedule[t - 2]
                schedule[t] =
                    schedule[t - 16] &+ schedule[t - 7]
                    &+ (rotated(early, 1) ^ rotated(early, 8) ^ early &>> 7)
                    &+ (rotated(late, 19) ^ rotated(late, 61) ^ late &>> 6)
            }
            var (a, b, c, d, e, f, g, h) = state
            for t in 0..<80 {
                let choice = (e & f) ^ (~e & g)
                let majority = (a & b) ^ (a & c) ^ (b & c)
                let first =
                    h &+ (rotated(e, 14) ^ rotated(e, 18) ^ rotated(e, 41)) &+ choice &+ constants[t] &+ schedule[t]
                let second = (rotated(a, 28) ^ rotated(a, 34) ^ rotated(a, 39)) &+ majority
                (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
            }
            state = (
                state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d,
                state.4 &+ e, state.5 &+ f, state.6 &+ g, state.7 &+ h
            )
        }
    }

    @inline(__always)
    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word &>> count | word &<< (64 &- count)
    }

    /// The fractions of the cube roots of the first 80 primes (§4.2.3).
    private static let roundConstants: [UInt64] = [
        0x428a2f98_d728ae22, 0x71374491_23ef65cd, 0xb5c0fbcf_ec4d3b2f, 0xe9b5dba5_8189dbbc,
        0x3956c25b_f348b538, 0x59f111f1_b605d019, 0x923f82a4_af194f9b, 0xab1c5ed5_da6d8118,
        0xd807aa98_a3030242, 0x12835b01_45706fbe, 0x243185be_4ee4b28c, 0x550c7dc3_d5ffb4e2,
        0x72be5d74_f27b896f, 0x80deb1fe_3b1696b1, 0x9bdc06a7_25c71235, 0xc19bf174_cf692694,
        0xe49b69c1_9ef14ad2, 0xefbe4786_384f25e3, 0x0fc19dc6_8b8cd5b5, 0x240ca1cc_77ac9c65,
        0x2de92c6f_592b0275, 0x4a7484aa_6ea6e483, 0x5cb0a9dc_bd41fbd4, 0x76f988da_831153b5,
        0x983e5152_ee66dfab, 0xa831c66d_2db43210, 0xb00327c8_98fb213f, 0xbf597fc7_beef0ee4,
        0xc6e00bf3_3da88fc2, 0xd5a79147_930aa725, 0x06ca6351_e003826f, 0x14292967_0a0e6e70,
        0x27b70a85_46d22ffc, 0x2e1b2138_5c26c926, 0x4d2c6dfc_5ac42aed, 0x53380d13_9d95b3df,
        0x650a7354_8baf63de, 0x766a0abb_3c77b2a8, 0x81c2c92e_47edaee6, 0x92722c85_1482353b,
        0xa2bfe8a1_4cf10364, 0xa81a664b_bc423001, 0xc24b8b70_d0f89791, 0xc76c51a3_0654be30,
        0xd192e819_d6ef5218, 0xd6990624_5565a910, 0xf40e3585_5771202a, 0x106aa070_32bbd1b8,
        0x19a4c116_b8d2d0c8, 0x1e376c08_5141ab53, 0x2748774c_df8eeb99, 0x34b0bcb5_e19b48a8,
        0x391c0cb3_c5c95a63, 0x4ed8aa4a_e3418acb, 0x5b9cca4f_7763e373, 0x682e6ff3_d6b2b8a3,
        0x748f82ee_5defb2fc, 0x78a5636f_43172f60, 0x84c87814_a1f0ab72, 0x8cc70208_1a6439ec,
        0x90befffa_23631e28, 0xa4506ceb_de82bde9, 0xbef9a3f7_b2c67915, 0xc67178f2_e372532b,
        0xca273ece_ea26619c, 0xd186b8c7_21c0c207, 0xeada7dd6_cde0eb1e, 0xf57d4f7f_ee6ed178,
        0x06f067aa_72176fba, 0x0a637dc5_a2c898a6, 0x113f9804_bef90dae, 0x1b710b35_131c471b,
        0x28db77f5_23047d84, 0x32caab7b_40c72493, 0x3c9ebe0a_15c9bebc, 0x431d67c4_9c100d4c,
        0x4cc5d4be_cb3e42b6, 0x597f299c_fc657e2a, 0x5fcb6fab_3ad6faec, 0x6c44198c_4a475817,
    ]
}
