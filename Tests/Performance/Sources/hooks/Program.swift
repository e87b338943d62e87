// What one call of a hook costs through the plugin's C table, as the kernel makes it.
//
//     hooks C-PLUGIN.so SWIFT-PLUGIN.so [CALLS]                 rows of a table: ns a call
//     valgrind --tool=callgrind hooks … CALLS --only NAME       instructions, of one of them alone
import CPlugboard
@preconcurrency import Glibc
import idle
import idle_c
import measuring

private typealias Entry = @convention(c) () -> UnsafePointer<plug_plugin_v1>?

private func loaded(_ path: String, _ symbol: String) -> UnsafePointer<plug_plugin_v1>? {
    guard let object = dlopen(path, RTLD_NOW | RTLD_LOCAL), let entry = dlsym(object, symbol) else {
        fputs("\(path): \(String(cString: dlerror()))\n", stderr)
        exit(1)
    }
    return unsafeBitCast(entry, to: Entry.self)()
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2 else {
    fputs("usage: hooks C-PLUGIN.so SWIFT-PLUGIN.so [CALLS] [--only NAME]\n", stderr)
    exit(2)
}
let calls = words.dropFirst(2).first.flatMap { Int($0) } ?? 20_000_000
let only = words.firstIndex(of: "--only").map { words[$0 + 1] }
let plugins: [(String, () -> UnsafePointer<plug_plugin_v1>?)] = [
    ("C, linked", { idle_c_LTX_plugboard_plugin() }),
    ("C, loaded", { loaded(words[0], "idle_c_LTX_plugboard_plugin") }),
    ("Swift, linked", { idlePlugin() }),
    ("Swift, loaded", { loaded(words[1], "idle_LTX_plugboard_plugin") }),
]
if only == nil { print("| a hook in | ns a call |\n|---|---:|") }
for (name, descriptor) in plugins where only == nil || only == name {
    guard let plugin = descriptor() else { exit(1) }
    // A host that can do what an idle plugin asks of it: say why a hook runs.
    var host = plug_host_v1()
    host.plugin = plugin
    host.visit = { _ in PLUG_VISIT_FIRST }
    let table = UnsafeMutablePointer<plug_host_v1>.allocate(capacity: 1)
    table.initialize(to: host)
    let instance = plugin.pointee.create?(table, nil)
    // It is not read.
    let exchange = OpaquePointer(UnsafeMutableRawPointer(table))
    guard let hook = plugin.pointee.on_request else { exit(1) }
    var sum: UInt32 = 0
    let clock = ContinuousClock()
    let start = clock.now
    for _ in 0..<calls { sum &+= hook(instance, exchange) }
    let elapsed = seconds(clock.now - start) * 1e9 / Double(calls)
    guard sum == 0 else { exit(1) }
    if only == nil { print("| \(name) | \(rounded(elapsed, 1)) |") }
}
