import CPlugboard
import PlugboardKit

/// The creation and the end of the plugin.
extension Check {
    private static let lives = 100

    static let lifetimes = Check("lifetimes", "it can be created and destroyed a hundred times") { subject in
        // The first kernels start threads of the runtime, which stay.
        for number in 0..<10 { try await live(subject, number) }
        let before = ProcessCounts.now
        for number in 10..<lives { try await live(subject, number) }
        let after = ProcessCounts.now
        let grown = lives / 2
        if after.descriptors - before.descriptors >= grown {
            throw CheckEnd.failed(
                "\(after.descriptors - before.descriptors) descriptors are open after \(lives - 10) lives")
        }
        if after.threads - before.threads >= grown {
            throw CheckEnd.failed("\(after.threads - before.threads) threads are left after \(lives - 10) lives")
        }
        return "\(lives) lives"
    }

    private static func live(_ subject: Subject, _ number: Int) async throws(CheckEnd) {
        let bench = try Bench(subject, isPlain: true)
        _ = try await bench.conclude(Traffic.plan("one exchange in life \(number + 1)", [.head(200)]))
        try await bench.close()
    }

    static let unknownExtension = Check("extension", "it returns NULL for an unknown extension") {
        subject in
        let plugin = try subject.descriptor().raw
        guard let ask = plugin.pointee.extension else { throw CheckEnd.skipped("it offers none") }
        let ids = [
            "", "plugboard.check.unknown/1", "/", "plugboard.check.unknown/1\0", String(repeating: "x", count: 65_536),
        ]
        for id in ids {
            Diary.now("an extension's id of \(id.utf8.count) bytes")
            let table = Wiretap.watched(.extensions) { withText(id) { ask(plugin, $0) } }
            guard table == nil else {
                throw CheckEnd.failed(
                    "it offers '\(id.prefix(40))', which it cannot know: the result for an unknown id must be NULL")
            }
        }
        return ""
    }

    static let bareHost = Check("bare-host", "it works with a host that offers no extension") { subject in
        let bench = try Bench(subject)
        for plan in subject.usual { _ = try await bench.conclude(plan) }
        try await bench.close()
        let asked = Wiretap.state.withLock { $0.askedExtensions.sorted() }
        return asked.isEmpty ? "" : "it asked for \(asked.joined(separator: ", ")), and works without"
    }
}
