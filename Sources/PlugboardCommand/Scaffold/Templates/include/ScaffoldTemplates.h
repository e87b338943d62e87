// The files of this folder and of SDK/ as bytes in the program: what `plugboard plugins new` and `sdk` write.
#ifndef SCAFFOLD_TEMPLATES_H
#define SCAFFOLD_TEMPLATES_H

#include <stddef.h>

// Valid as long as the process.
typedef struct scaffold_template {
    const unsigned char *bytes;
    size_t count;
} scaffold_template;

scaffold_template scaffold_plugboard_h(void);
scaffold_template scaffold_plugboard_transform_h(void);
scaffold_template scaffold_plugboard_store_h(void);
scaffold_template scaffold_plugboard_hpp(void);
scaffold_template scaffold_plugboard_rs(void);
scaffold_template scaffold_plugboard_json(void);
scaffold_template scaffold_scenarios_json(void);
scaffold_template scaffold_exports_map(void);
scaffold_template scaffold_c_Makefile(void);
scaffold_template scaffold_c_README_md(void);
scaffold_template scaffold_c_gitignore(void);
scaffold_template scaffold_c_plugin_c(void);
scaffold_template scaffold_c_test_c(void);
scaffold_template scaffold_cpp_Makefile(void);
scaffold_template scaffold_cpp_README_md(void);
scaffold_template scaffold_cpp_plugin_cpp(void);
scaffold_template scaffold_rust_Cargo_toml(void);
scaffold_template scaffold_rust_README_md(void);
scaffold_template scaffold_rust_gitignore(void);
scaffold_template scaffold_rust_lib_rs(void);
scaffold_template scaffold_rust_test_rs(void);
scaffold_template scaffold_swift_Makefile(void);
scaffold_template scaffold_swift_Package_txt(void);
scaffold_template scaffold_swift_README_md(void);
scaffold_template scaffold_swift_gitignore(void);
scaffold_template scaffold_swift_metadata_c(void);
scaffold_template scaffold_swift_metadata_h(void);
scaffold_template scaffold_swift_plugin_txt(void);
scaffold_template scaffold_swift_tests_txt(void);
scaffold_template scaffold_sdk_README_md(void);
scaffold_template scaffold_sdk_plugboard_pc(void);

#endif
