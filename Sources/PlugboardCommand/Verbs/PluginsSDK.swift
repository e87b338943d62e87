import ArgumentParser

struct PluginsSDK: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sdk", abstract: "Installs the headers that plugins are built with.",
        discussion: """
            Writes these files below the prefix, and replaces those of an earlier version:
              include/plugboard.h           the ABI, and its manual
              include/plugboard-transform.h transformers of bodies, for C
              include/plugboard.hpp         the ABI for C++
              lib/pkgconfig/plugboard.pc    for `pkg-config --cflags plugboard`
              share/plugboard/plugboard.rs  the ABI for Rust
              share/plugboard/README.md     how to build in each language

            EXAMPLES:
              plugboard plugins sdk --prefix /usr/local
              plugboard plugins sdk --prefix ~/.local
            """)

    @Option(help: ArgumentHelp("The folder to install into.", valueName: "folder"), completion: .directory) var prefix:
        String
    @Option(
        help: ArgumentHelp(
            "Where Plugboard's package is, for Swift; without it, where this command was built.",
            valueName: "folder|url"))
    var plugboard: String?

    func validate() throws {
        if prefix.isEmpty { throw ValidationError("--prefix needs a folder.") }
    }

    func run() throws {
        let package =
            try plugboard.map { try PlugboardPackage($0) } ?? .ofThisCommand() ?? .folder("/path/to/plugboard")
        let files = SDK.files
        try NewFolder(path: prefix).replace(files)
        try ByteOutput.standard.write(
            files.map { "\(prefix)/\($0.path)\n" }.joined() + """

                C and C++   pkg-config --cflags plugboard
                            (where pkg-config does not look there: PKG_CONFIG_PATH=\(prefix)/lib/pkgconfig)
                Rust        \(prefix)/share/plugboard/plugboard.rs, as src/plugboard.rs of the crate
                Swift       \(package.dependency)
                            .product(name: "PlugboardKit", package: "\(package.name)")

                """)
    }
}
