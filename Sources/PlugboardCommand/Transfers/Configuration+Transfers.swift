import Plugboard
import PlugboardKit

extension Configuration {
    /// The progress of transfers is what the terminal shows: nothing else draws on it or writes informative lines.
    mutating func leaveTerminalToProgress() {
        if kernel.logLevel.rawValue < LogLevel.warning.rawValue { kernel.logLevel = .warning }
        for index in plugins.indices where plugins[index].id == "indicator" {
            plugins[index].settings["terminal"] = "off"
        }
    }
}
