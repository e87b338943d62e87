import PlugboardQueueOptions

extension QueueFile.Limits {
    init(_ settings: QueueSettings) {
        self.init(
            requests: settings.limit, bytes: settings.bytes.bytes, dropsOldest: settings.whenFull == .dropOldest,
            age: settings.age.nanoseconds, resultAge: settings.resultAge.nanoseconds,
            longestWait: max(settings.delay, settings.delayLimit).nanoseconds, lease: settings.lease.nanoseconds)
    }
}
