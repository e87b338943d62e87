import PlugboardKit
import PlugboardSystem

/// Asks the terminal of the process for a secret, without showing what is typed.
enum SecretPrompt {
    /// Blocks. Throws a usage error where there is no terminal.
    static func ask(_ prompt: String) throws(CommandFailure) -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        var shown = termios()
        guard terminal >= 0, tcgetattr(terminal, &shown) == 0 else {
            if terminal >= 0 { close(terminal) }
            throw CommandFailure(.usage, "There is no terminal to ask for the password: write --user NAME:PASSWORD.")
        }
        defer { close(terminal) }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(terminal, TCSAFLUSH, &hidden)
        defer { tcsetattr(terminal, TCSAFLUSH, &shown) }
        show(prompt, on: terminal)
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(terminal, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        show("\n", on: terminal)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func show(_ text: String, on terminal: Int32) {
        var text = text
        text.withUTF8 { _ = write(terminal, $0.baseAddress, $0.count) }
    }
}
