import Plugboard
import PlugboardDownloads
import PlugboardKit

/// The values of options as downloads take them.
extension DownloadVerb {
    /// The configuration with the changes of the command line. Redirects are followed unless the configuration mentions
    /// the plugin.
    func configuration() throws -> Configuration {
        try arguments.configuration(isDry: output.printCurl) { configuration in
            let isLinked = Catalog.bundled.descriptor("redirect") != nil
            guard !noLocation, isLinked, !configuration.names("redirect") else { return }
            try configuration.switchOn("redirect", for: "download")
        }
    }

    /// The digest of `--checksum`; nil without this option.
    var digest: ExpectedDigest? {
        get throws(CommandFailure) {
            guard let checksum else { return nil }
            guard let digest = ExpectedDigest(checksum) else {
                throw CommandFailure(
                    .usage, "--checksum must be sha-256= or sha-512= with hexadecimal digits or with base 64.")
            }
            return digest
        }
    }

    /// Nil for no limit.
    var speed: ByteCount? {
        get throws(CommandFailure) {
            try ByteCount.limit(transfer.limitRate, "--limit-rate")
        }
    }

    /// Nil for the usual number.
    var attempts: Int? {
        get throws(CommandFailure) {
            guard let tries else { return nil }
            guard tries >= 0 else { throw CommandFailure(.usage, "--max-tries must be 0 or more.") }
            return tries == 0 ? .max : tries
        }
    }
}
