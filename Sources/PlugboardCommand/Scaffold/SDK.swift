import ScaffoldTemplates

/// The folder `SDK` of the repository as `plugboard plugins sdk` installs it. Pure: writes nothing.
enum SDK {
    /// Paths are relative to the prefix.
    static var files: [NewFile] {
        [
            NewFile("include/plugboard.h", scaffold_plugboard_h()),
            NewFile("include/plugboard-transform.h", scaffold_plugboard_transform_h()),
            NewFile("include/plugboard-store.h", scaffold_plugboard_store_h()),
            NewFile("include/plugboard.hpp", scaffold_plugboard_hpp()),
            NewFile(
                "lib/pkgconfig/plugboard.pc", template: scaffold_sdk_plugboard_pc(), ["version": Program.version]),
            NewFile("share/plugboard/plugboard.rs", scaffold_plugboard_rs()),
            NewFile("share/plugboard/README.md", scaffold_sdk_README_md()),
        ]
    }
}
