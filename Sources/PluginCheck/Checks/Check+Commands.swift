/// Commands of the plugin.
extension Check {
    static let commands = Check("commands", "each command replies, before exchanges and after them") { subject in
        let names = try subject.descriptor().commands.map(\.name)
        for name in subject.commands.keys.sorted() where !names.contains(name) {
            throw CheckEnd.failed("--command names \(name), which is no command of the plugin")
        }
        if names.isEmpty { throw CheckEnd.skipped("it has none") }
        let bench = try Bench(subject)
        for round in 1...2 {
            for name in names {
                try await bench.command(name, "{}")
                if let arguments = subject.commands[name] { try await bench.command(name, arguments) }
            }
            guard round == 1 else { break }
            for plan in subject.usual { _ = try await bench.conclude(plan) }
        }
        try await bench.close()
        return "\(names.count) commands"
    }
}
