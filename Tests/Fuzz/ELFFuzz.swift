// Feeds the reader of shared objects arbitrary bytes and checks what must hold whatever they are.
// It needs PlugboardError and PluginFile only, so it is built with a small module of that name: see `Plugboard` below.
//
//     swiftc -O -parse-as-library -emit-module -module-name Plugboard -emit-library -static -o libPlugboard.a …
