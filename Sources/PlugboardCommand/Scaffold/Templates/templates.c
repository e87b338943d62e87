// The compiler reads each file when it compiles this one, and compiles again when a file has changed. SDK/ lies outside
// of this target: #embed may read any file of the package, also where another package depends on it.
#include "ScaffoldTemplates.h"

// #embed is part of C23; Swift's clang has it in C11 too.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define TEMPLATE(name) \
    scaffold_template scaffold_##name(void) { \
        scaffold_template text = { name, sizeof name }; \
        return text; \
    }

static const unsigned char plugboard_h[] = {
#embed "../../../CPlugboard/include/plugboard.h"
};
TEMPLATE(plugboard_h)

static const unsigned char plugboard_transform_h[] = {
#embed "../../../../SDK/include/plugboard-transform.h"
};
TEMPLATE(plugboard_transform_h)

static const unsigned char plugboard_store_h[] = {
#embed "../../../CPlugboardStore/include/plugboard-store.h"
};
TEMPLATE(plugboard_store_h)

static const unsigned char plugboard_hpp[] = {
#embed "../../../../SDK/include/plugboard.hpp"
};
TEMPLATE(plugboard_hpp)

static const unsigned char plugboard_rs[] = {
#embed "../../../../SDK/share/plugboard/plugboard.rs"
};
TEMPLATE(plugboard_rs)

static const unsigned char plugboard_json[] = {
#embed "plugboard.json"
};
TEMPLATE(plugboard_json)

static const unsigned char scenarios_json[] = {
#embed "scenarios.json"
};
TEMPLATE(scenarios_json)

static const unsigned char exports_map[] = {
#embed "exports.map"
};
TEMPLATE(exports_map)

static const unsigned char c_Makefile[] = {
#embed "c.Makefile"
};
TEMPLATE(c_Makefile)

static const unsigned char c_README_md[] = {
#embed "c.README.md"
};
TEMPLATE(c_README_md)

static const unsigned char c_gitignore[] = {
#embed "c.gitignore"
};
TEMPLATE(c_gitignore)

static const unsigned char c_plugin_c[] = {
#embed "c.plugin.c"
};
TEMPLATE(c_plugin_c)

static const unsigned char c_test_c[] = {
#embed "c.test.c"
};
TEMPLATE(c_test_c)

static const unsigned char cpp_Makefile[] = {
#embed "cpp.Makefile"
};
TEMPLATE(cpp_Makefile)

static const unsigned char cpp_README_md[] = {
#embed "cpp.README.md"
};
TEMPLATE(cpp_README_md)

static const unsigned char cpp_plugin_cpp[] = {
#embed "cpp.plugin.cpp"
};
TEMPLATE(cpp_plugin_cpp)

static const unsigned char rust_Cargo_toml[] = {
#embed "rust.Cargo.toml"
};
TEMPLATE(rust_Cargo_toml)

static const unsigned char rust_README_md[] = {
#embed "rust.README.md"
};
TEMPLATE(rust_README_md)

static const unsigned char rust_gitignore[] = {
#embed "rust.gitignore"
};
TEMPLATE(rust_gitignore)

static const unsigned char rust_lib_rs[] = {
#embed "rust.lib.rs"
};
TEMPLATE(rust_lib_rs)

static const unsigned char rust_test_rs[] = {
#embed "rust.test.rs"
};
TEMPLATE(rust_test_rs)

static const unsigned char swift_Makefile[] = {
#embed "swift.Makefile"
};
TEMPLATE(swift_Makefile)

static const unsigned char swift_Package_txt[] = {
#embed "swift.Package.txt"
};
TEMPLATE(swift_Package_txt)

static const unsigned char swift_README_md[] = {
#embed "swift.README.md"
};
TEMPLATE(swift_README_md)

static const unsigned char swift_gitignore[] = {
#embed "swift.gitignore"
};
TEMPLATE(swift_gitignore)

static const unsigned char swift_metadata_c[] = {
#embed "swift.metadata.c"
};
TEMPLATE(swift_metadata_c)

static const unsigned char swift_metadata_h[] = {
#embed "swift.metadata.h"
};
TEMPLATE(swift_metadata_h)

static const unsigned char swift_plugin_txt[] = {
#embed "swift.plugin.txt"
};
TEMPLATE(swift_plugin_txt)

static const unsigned char swift_tests_txt[] = {
#embed "swift.tests.txt"
};
TEMPLATE(swift_tests_txt)

static const unsigned char sdk_README_md[] = {
#embed "../../../../SDK/README.md"
};
TEMPLATE(sdk_README_md)

static const unsigned char sdk_plugboard_pc[] = {
#embed "../../../../SDK/lib/pkgconfig/plugboard.pc"
};
TEMPLATE(sdk_plugboard_pc)
