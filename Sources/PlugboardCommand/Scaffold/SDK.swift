import CPlugboard
import ScaffoldTemplates

/// What authors of plugins install: headers, what pkg-config reads, and a page. Pure: writes nothing.
struct SDK {
    /// By which a plugin in Swift gets PlugboardKit.
    let package: PlugboardPackage

    var files: [NewFile] {
        let words = [
            "version": Program.version, "revision": "\(PLUG_ABI_REVISION)", "dependency": package.dependency,
            "package": package.name,
        ]
        return [
            NewFile("include/plugboard.h", scaffold_plugboard_h()),
            NewFile("include/plugboard-transform.h", scaffold_plugboard_transform_h()),
            NewFile("include/plugboard.hpp", scaffold_plugboard_hpp()),
            NewFile("lib/pkgconfig/plugboard.pc", template: scaffold_sdk_plugboard_pc(), words),
            NewFile("share/plugboard/plugboard.rs", scaffold_plugboard_rs()),
            NewFile("share/plugboard/README.md", template: scaffold_sdk_README_md(), words),
        ]
    }
}
