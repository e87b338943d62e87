import Plugboard
import PlugboardKit

/// What is told of the requests of downloads and uploads beside their progress: by `--verbose`, `--trace`,
/// `--dump-header` and `--write-out`.
struct TransferReport: Sendable {
    let isVerbose: Bool
    let showsSecrets: Bool
    let group: CurlGroup
    private let logLevel: LogLevel?
    private let writeOut: WriteOut?

    /// Reads the file of `--write-out`. Blocks.
    init(_ printing: TransferPrinting, _ transfer: TransferArguments) throws(CommandFailure) {
        group = transfer.group
        isVerbose = printing.isVerbose && !group.isTraced
        logLevel = group.isTraced && !printing.silent ? nil : printing.logLevel
        showsSecrets = printing.showSecrets
        writeOut = try group.values["write-out"].map { format throws(CommandFailure) in try WriteOut(format) }
        _ = try SlowTransfer(group)
    }

    /// Whether requests must be observed.
    var isNeeded: Bool {
        isVerbose || writeOut != nil || ["dump-header", "speed-limit"].contains { group.values[$0] != nil }
    }

    /// Makes the files of `--stderr`, `--dump-header` and `--trace`, and adds to the configuration what is told of
    /// connections.
    func begin(_ configuration: inout Configuration, _ catalog: inout Catalog) throws(CommandFailure) {
        if let file = group.values["stderr"] { StandardError.redirect(to: file) }
        if let file = group.values["dump-header"], file != "-" { _ = try ByteOutput(path: file) }
        let trace = try WireTrace(group)
        WireOutput.add(
            to: &configuration, &catalog, isVerbose: isVerbose, showingSecrets: showsSecrets, trace: trace)
        configuration.kernel.logLevel = logLevel ?? configuration.kernel.logLevel
    }

    /// Writes the heads for `--dump-header` and the text of `--write-out`, when a transfer has ended.
    func end(_ facts: WriteOut.Facts, _ heads: [ResponseHead]) throws(CommandFailure) {
        if let file = group.values["dump-header"] {
            var manner = ResponseFile.Manner()
            manner.appends = true
            try ResponseWriter(ResponseFile(file == "-" ? nil : file, manner), showingSecrets: showsSecrets)
                .write(heads)
        }
        try writeOut?.write(facts)
    }
}
