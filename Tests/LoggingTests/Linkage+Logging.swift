import Plugboard
import PlugboardJSON
import PlugboardLogging
import PlugboardTransport
import TestSupport

extension Linkage {
    /// A kernel whose lines of the plugin are written to a record, with their levels. Without a transport, it has
    /// libcurl's.
    func logging(
        to record: Record, _ transport: (any Transport)? = MockTransport(), settings: JSONObject = [:],
        beside scripted: [ScriptedPlugin] = []
    ) throws -> Kernel {
        try kernel(
            loggingPlugin(), transport, settings: settings, beside: scripted,
            log: KernelLog(level: .debug) { level, source, text in
                if source == "logging" { record.add("\(level) \(text)") }
            })
    }
}
