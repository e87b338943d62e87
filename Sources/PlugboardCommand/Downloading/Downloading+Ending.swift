import Plugboard
import PlugboardDownloads
import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// Receives one file, and writes what became of it.
extension Downloading {
    func end(_ result: DownloadResult, _ job: Job, _ index: Int, _ facts: JSONObject) {
        if options.setsTime, let date = CurlCondition.modified(result.response.head) {
            ResponseFile.setTime(date, of: result.file)
        }
        var object: JSONObject = [
            "file": .string(result.file), "received": .number(JSONNumber(result.count)),
            "resumed": .number(JSONNumber(result.resumed)), "isComplete": true,
            "isVerified": .bool(result.isVerified), "wasComplete": .bool(result.wasComplete),
        ]
        for (name, value) in facts { object[name] = value }
        let note = Downloading.note(on: result, job)
        if let note { object["note"] = .string(note) }
        let size = ProgressBar.size(Int64(result.count))
        let state = result.wasComplete ? "complete already, \(size)" : size
        let line = "\(result.file): \(state)" + (note.map { ". \($0)" } ?? "")
        display.end(index, line, object, isExpected: note == nil)
    }

    /// The server has nothing that meets the condition of `--time-cond`.
    func endUnchanged(_ job: Download, _ index: Int, _ facts: JSONObject) {
        var object: JSONObject = ["file": .string(job.file), "received": 0, "isComplete": true, "wasComplete": true]
        for (name, value) in facts { object[name] = value }
        display.end(index, "\(job.file): nothing newer on the server", object, isExpected: true)
    }

    func end(_ job: Download, _ index: Int, _ facts: JSONObject, _ message: String) {
        var object: JSONObject = ["file": .string(job.file), "error": .string(message), "isComplete": false]
        for (name, value) in facts { object[name] = value }
        display.end(index, "plugboard: \(job.file): \(message)", object)
    }

    func message(
        of failure: CommandFailure, _ error: PlugboardError, _ job: Download, _ kernel: Kernel
    ) -> String {
        var message = failure.message ?? "The download failed."
        if let response = error.response {
            message += TransferDisplay.advice(
                after: response.head.status, by: kernel, among: [301, 302, 303, 307, 308])
        }
        let isLeft = access("\(job.file).part", F_OK) == 0 && access("\(job.file).part.json", F_OK) == 0
        if isLeft, error.code != .downloadExists, error.code != .downloadBusy {
            message += " What was received stays in \(job.file).part: the same command with --resume continues it."
        }
        return message
    }

    func downloaded(
        _ job: Download, _ index: Int, _ facts: JSONObject, _ sender: ObservedSender, _ kernel: Kernel
    ) async throws(PlugboardError) -> DownloadResult {
        var job = job
        job.progress = { [display, file = job.file] in
            let count = TransferCount(done: $0.received, resumed: $0.resumed, total: $0.toReceive)
            display.show(index, file, count, facts)
        }
        return report.isNeeded ? try await job.run(with: sender) : try await job.run(with: kernel)
    }

    static func failure(_ error: PlugboardError) -> CommandFailure {
        switch error.code {
        case .responseStatus: CommandFailure(.status, error)
        case .downloadExists:
            CommandFailure(
                .write,
                "\(error.reason) Use --overwrite to replace it, -o to name another, or --auto-file-renaming.")
        default: CommandFailure(ExitStatus(for: error), error)
        }
    }
}
