import PlugboardKit

extension SharedObject {
    /// Throws `loading.architecture` if the file was built for another processor than this program.
    static func checkMachine(_ path: String, _ reader: ELFReader) throws(PlugboardError) {
        guard let width: UInt8 = reader.number(4), let order: UInt8 = reader.number(5) else {
            throw truncated(path, "its header")
        }
        // The machine's number is in the file's byte order, too.
        let stored = reader.number(18, as: UInt16.self) ?? 0
        let machine = order == hostOrder ? stored : stored.byteSwapped
        guard width == 2, order == hostOrder, machine == hostMachine else {
            throw PlugboardError(
                .loadingArchitecture,
                "The plugin \(path) is for \(describe(machine, width, order)), and this program for "
                    + "\(describe(hostMachine, 2, hostOrder)). Build the plugin for this machine.")
        }
    }

    private static func describe(_ machine: UInt16, _ width: UInt8, _ order: UInt8) -> String {
        let name = machineNames[machine] ?? "machine number \(machine)"
        let bits = [1: "32 bits", 2: "64 bits"][width] ?? "an unknown width"
        let ending = [1: "little-endian", 2: "big-endian"][order] ?? "in an unknown byte order"
        return "\(name) (\(bits), \(ending))"
    }

    private static let machineNames: [UInt16: String] = [
        3: "x86", 8: "MIPS", 20: "PowerPC", 21: "PowerPC", 22: "IBM Z", 40: "ARM", 62: "x86-64", 183: "AArch64",
        243: "RISC-V", 258: "LoongArch",
    ]

    #if _endian(little)
        private static let hostOrder: UInt8 = 1
    #else
        private static let hostOrder: UInt8 = 2
    #endif

    #if arch(x86_64)
        private static let hostMachine: UInt16 = 62
    #elseif arch(arm64)
        private static let hostMachine: UInt16 = 183
    #elseif arch(riscv64)
        private static let hostMachine: UInt16 = 243
    #elseif arch(powerpc64le)
        private static let hostMachine: UInt16 = 21
    #else
        #error("PluginLoader needs the ELF number of this architecture here.")
    #endif
}
