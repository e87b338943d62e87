import Plugboard
import PlugboardUploads

extension Uploading {
    /// Prints the request of an upload that is not resumable. Throws for several files and for resumable uploads.
    func printCurl() async throws {
        guard let file = files.first, files.count == 1, !aborts, resumption == .none || resumption == .automatic else {
            throw CommandFailure(
                .usage, "--print-curl is for one file, and not for --abort and the protocols draft and tus.")
        }
        try await Kernel.whileRunning(configuration) { kernel in
            try arguments.check(kernel)
            let printing = RequestPrinting(
                arguments: arguments, configuration: configuration, showsSecrets: report.showsSecrets)
            try await printing.printCurl(request, .upload(file), kernel, adding: report.group.printed)
        }
    }
}
