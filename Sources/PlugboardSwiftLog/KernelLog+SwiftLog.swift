import Logging
import PlugboardCore
import PlugboardMessages

extension KernelLog {
    /// A log that writes to a logger of swift-log, at the logger's level. The plugin's id is in the metadata as
    /// `source`.
    public init(_ logger: Logger) {
        self.init(level: LogLevel(logger.logLevel)) { level, source, text in
            logger.log(level: level.loggerLevel, "\(text)", metadata: ["source": "\(source)"])
        }
    }
}

extension LogLevel {
    init(_ level: Logger.Level) {
        switch level {
        case .trace, .debug: self = .debug
        case .info, .notice: self = .info
        case .warning: self = .warning
        case .error, .critical: self = .error
        }
    }

    var loggerLevel: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
