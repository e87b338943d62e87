#if AllPackages || SwiftLog
    import Logging
    import PlugboardCore
    import PlugboardMessages

    extension KernelLog {
        /// A log that writes to a logger of swift-log, at the logger's level.
        ///
        /// The metadata has `plugin`, the id of the plugin that wrote the line, or `kernel`. Lines that a hook of an
        /// exchange wrote, such as those of the plugin `logging`, also have:
        ///
        /// - `id`: the exchange's number, the same in all its lines.
        /// - `method`, and `url` without the user and without the values of its query.
        /// - `status` of the response, once there is one.
        /// - `duration`: seconds since the exchange began.
        /// - `attempts` that were begun on the network.
        /// - `error`: the code of the failure, if there is one.
        /// - `trace`: the trace that the request is in, if it has the field `traceparent`.
        /// - `tag`: the request's tag, if it has one.
        public init(_ logger: Logger) {
            self.init(
                level: LogLevel(logger.logLevel),
                lines: { line in
                    logger.log(level: line.level.loggerLevel, "\(line.printable)", metadata: line.metadata)
                })
        }
    }

    extension KernelLog.Line {
        /// The text, whose line breaks alone remain of what could control a terminal.
        var printable: String {
            text.split(separator: "\n", omittingEmptySubsequences: false)
                .map { Printable.text(String($0)) }.joined(separator: "\n")
        }

        var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = ["plugin": "\(source)"]
            guard let exchange else { return metadata }
            metadata["id"] = "\(exchange.id)"
            metadata["method"] = "\(exchange.method)"
            metadata["url"] = "\(exchange.url)"
            metadata["status"] = exchange.status.map { "\($0)" }
            metadata["duration"] = "\(exchange.duration / .seconds(1))"
            metadata["attempts"] = "\(exchange.attempts)"
            metadata["error"] = exchange.error.map { "\($0)" }
            metadata["trace"] = exchange.trace.map { "\($0)" }
            metadata["tag"] = exchange.tag.map { "\(Printable.text($0))" }
            return metadata
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
#else
    #error("PlugboardSwiftLog needs a trait of the package plugboard: .package(…, traits: [\"SwiftLog\"]).")
#endif
