import PlugboardKit
import Testing

@testable import PlugboardIndicator

/// What is shown when, without a clock and without a terminal.
struct IndicatorFrameTests {
    private func row(_ message: String, _ change: (inout ActiveRequests.Row) -> Void = { _ in }) -> ActiveRequests.Row {
        var row = ActiveRequests.Row(exchange: 1, message: message, isModal: false, control: nil, began: .zero)
        change(&row)
        return row
    }

    @Test func `bytes that are sent and received are bars, if the totals are known`() {
        let sending = row("a") { row in
            row.progress.sent = 512
            row.progress.toSend = 1024
        }
        let receiving = row("b") { row in
            row.progress.sent = 1024
            row.progress.toSend = 1024
            row.progress.received = 3 << 20
            row.progress.toReceive = 4 << 20
        }
        let unknown = row("c") { $0.progress.received = 1536 }

        let lines = Frame(rows: [sending, receiving, unknown], limit: 8, number: 0, columns: 80).lines

        #expect(
            lines == [
                "⠋ a  ↑ ██████████░░░░░░░░░░ 50 %  512 B of 1.0 KiB",
                "⠋ b  ↓ ███████████████░░░░░ 75 %  3.0 MiB of 4.0 MiB", "⠋ c  ↓ 1.5 KiB",
            ])
    }

    @Test(arguments: [1, 2, 10, 40])
    func `a line is narrower than the terminal, also in wide characters`(columns: Int) {
        let rows = [
            row(String(repeating: "x", count: 100)), row(String(repeating: "地", count: 100)),
            row(String(repeating: "⏰", count: 100)),
        ]

        let lines = Frame(rows: rows, limit: 8, number: 3, columns: columns).lines

        #expect(lines[0].unicodeScalars.count <= max(columns - 1, 1))
        for line in lines.dropFirst() {
            #expect(
                line.unicodeScalars.reduce(0) { $0 + ([0x5730, 0x23F0].contains($1.value) ? 2 : 1) }
                    <= max(columns - 1, 1))
        }
    }

    @Test func `a request waits for the delay, and a modal one hides the others`() {
        var requests = ActiveRequests(delay: .milliseconds(300))
        requests.begin(row("a"))
        requests.begin(
            ActiveRequests.Row(exchange: 2, message: "b", isModal: true, control: nil, began: .milliseconds(100)))

        #expect(requests.shown(at: .milliseconds(299)).isEmpty)
        #expect(requests.wait(at: .milliseconds(250)) == .milliseconds(50))
        #expect(requests.shown(at: .milliseconds(300)).map(\.message) == ["a"])
        #expect(requests.shown(at: .milliseconds(400)).map(\.message) == ["b"])
        #expect(requests.wait(at: .milliseconds(400)) == nil)
        #expect(requests.end(2)?.message == "b" && requests.end(2) == nil)
        #expect(requests.shown(at: .milliseconds(400)).map(\.message) == ["a"])
    }
}
