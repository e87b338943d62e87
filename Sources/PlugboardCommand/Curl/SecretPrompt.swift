import PlugboardKit
import PlugboardSystem
import Synchronization

/// Asks the terminal of the process for a secret, without showing what is typed.
enum SecretPrompt {
    /// The answers to prompts of this process, so that several requests ask once.
    private static let answers = Mutex<[String: String]>([:])

    /// Blocks, unless the prompt has an answer already. Throws a usage error where there is no terminal, and where the
    /// input ends before the line does.
    ///
    /// - Parameter option: The option that can have the secret, for the error.
    static func ask(_ prompt: String, for option: String = "--user") throws(CommandFailure) -> String {
        if let answer = answers.withLock({ $0[prompt] }) { return answer }
        let answer = try typed(after: prompt, option)
        answers.withLock { $0[prompt] = answer }
        return answer
    }

    private static func typed(after prompt: String, _ option: String) throws(CommandFailure) -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        var shown = termios()
        guard terminal >= 0, tcgetattr(terminal, &shown) == 0 else {
            if terminal >= 0 { close(terminal) }
            throw CommandFailure(.usage, "There is no terminal to ask for the password: write \(option) NAME:PASSWORD.")
        }
        defer { close(terminal) }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(terminal, TCSAFLUSH, &hidden)
        defer { tcsetattr(terminal, TCSAFLUSH, &shown) }
        show(prompt, on: terminal)
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        var isWhole = false
        while !isWhole, read(terminal, &byte, 1) == 1 {
            isWhole = byte == UInt8(ascii: "\n")
            if !isWhole { bytes.append(byte) }
        }
        show("\n", on: terminal)
        guard isWhole else { throw CommandFailure(.usage, "No password was typed: write \(option) NAME:PASSWORD.") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func show(_ text: String, on terminal: Int32) {
        var text = text
        text.withUTF8 { _ = write(terminal, $0.baseAddress, $0.count) }
    }
}
