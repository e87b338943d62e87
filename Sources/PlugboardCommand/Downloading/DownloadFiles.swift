import ArgumentParser
import PlugboardDownloads
import PlugboardKit

/// The options of `plugboard download` that say where files go.
struct DownloadFiles: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "The file, or the folder; without it, the current folder. In a folder, files have the names that the "
                + "servers or the URLs give them, made safe.", valueName: "file"), completion: .file())
    var output: String?
    @Option(
        name: [
            .customShort("d"), .customShort("P"), .customLong("dir"), .customLong("directory-prefix"),
            .customLong("output-dir"),
        ], parsing: .unconditional,
        help: ArgumentHelp("The folder of all files, also of that of -o.", valueName: "folder"), completion: .directory)
    var folder: String?
    @Flag(help: "Makes the folders of -o and --dir.") var createDirs = false
    @Flag(
        name: [.customShort("O"), .long], help: "Names the file as the server or the URL does, which is the default.")
    var remoteName = false
    @Flag(name: [.long, .customLong("allow-overwrite")], help: "Replaces files that exist.") var overwrite = false
    @Flag(help: "Names a file FILE.1, FILE.2, and so on, where another has its name.") var autoFileRenaming = false

    /// The path of the file, or of the folder, which is empty or ends with a slash or exists.
    ///
    /// - Parameter isOne: Whether there is one URL and no Metalink document.
    func place(isOne: Bool) throws(CommandFailure) -> (path: String, isFolder: Bool) {
        if output == "-" {
            throw CommandFailure(
                .usage,
                "download writes files, which can be continued: plugboard get URL writes to standard output. For a file of "
                    + "this name, use -o ./-.")
        }
        var place = output ?? ""
        if let folder, !folder.isEmpty, !place.hasPrefix("/") {
            place = folder.hasSuffix("/") ? folder + place : "\(folder)/\(place)"
        }
        let isFolder = output == nil || place.hasSuffix("/") || FileContents.isFolder(place)
        guard isFolder || isOne && !remoteName else {
            throw CommandFailure(
                .usage, "-o must be a folder that exists, because of several URLs, --metalink or -O.")
        }
        if createDirs {
            try NewFolder.make(above: place)
        } else if let slash = place.lastIndex(of: "/"), !FileContents.isFolder(String(place[...slash])) {
            throw CommandFailure(
                .write,
                "\(output == nil ? "--dir" : "-o"): there is no folder \(place[..<slash]). Create it first, or write "
                    + "--create-dirs.")
        }
        return (place, isFolder)
    }

}
