import Glibc
import Plugboard
import PlugboardCacheOptions
import measuring

/// The plugin `cache` beside the uncached request to nginx, and beside a file.
func measureCache(nginx: String, files: String, folder: String, _ count: Int) async throws {
    let plain = try makeKernel([], folder: folder)
    let memory = try makeKernel([PluginEntry("cache", settings: ["persistence": "memory"])], folder: folder)
    let disk = try makeKernel(
        [PluginEntry("cache", settings: ["path": .string("\(folder)/hits.sqlite"), "memory": "0B"])], folder: folder)
    for (name, size) in [("1k", 1 << 10), ("1m", 1 << 20)] {
        let url = "\(nginx)/fresh/\(name)"
        let count = size > 1 << 16 ? count / 20 : count
        for kernel in [plain, memory, disk] {
            guard try await fetch(kernel, url) == size else {
                fatalError("The server's file is not what it should be.")
            }
        }
        // What was just received is written on the store's own thread.
        _ = try await disk.cache.stats()
        let title = size > 1 << 16 ? "1 MiB" : "1 KiB"
        let uncached = try await Measurement.best(count) { _ in try await fetch(plain, url) }
        uncached.row("\(title), uncached, from nginx")
        try await Measurement.best(count) { _ in try await fetch(memory, url) }
            .row("\(title), from memory", of: uncached)
        try await withTaskExecutorPreference(memory.executor) {
            try await Measurement.best(count) { _ in try await fetch(memory, url) }
                .row("\(title), from memory, on the loop", of: uncached)
        }
        try await Measurement.best(count) { _ in try await fetch(disk, url) }
            .row("\(title), from \(size > 1 << 18 ? "a file of the store" : "SQLite")", of: uncached)
        try await withTaskExecutorPreference(disk.executor) {
            try await Measurement.best(count) { _ in try await fetch(disk, url) }
                .row("\(title), the same on the loop", of: uncached)
        }
        try await Measurement.best(count) { _ in read(file: "\(files)/fresh/\(name)", size) }
            .row("\(title), read from a file", of: uncached)
    }
    let uncached = try await Measurement.best(count) { try await fetch(plain, "\(nginx)/fresh/1k?plain=\($0)") }
    uncached.row("1 KiB, each another URL, without the plugin")
    try await Measurement.best(count) { try await fetch(memory, "\(nginx)/fresh/1k?memory=\($0)") }
        .row("the same, each a miss that is stored in memory", of: uncached)
    let stored = try makeKernel(
        [PluginEntry("cache", settings: ["path": .string("\(folder)/misses.sqlite")])], folder: folder)
    try await Measurement.best(count) { try await fetch(stored, "\(nginx)/fresh/1k?disk=\($0)") }
        .row("the same, each a miss that is stored in memory and in SQLite", of: uncached)
    func onLoop(_ kernel: Kernel, _ name: String) async throws -> Measurement {
        try await withTaskExecutorPreference(kernel.executor) {
            try await Measurement.best(count) { try await fetch(kernel, "\(nginx)/fresh/1k?\(name)=\($0)") }
        }
    }
    let missed = try await onLoop(plain, "loop")
    missed.row("1 KiB, each another URL, without the plugin, on the loop")
    try await onLoop(memory, "loop")
        .added(to: missed, "the same, each a miss that is stored in memory")
    try await onLoop(stored, "loop")
        .added(to: missed, "the same, each a miss that is stored in memory and in SQLite")
    for kernel in [plain, memory, disk, stored] { await kernel.shutDown() }
}

/// A store of many responses: look-ups, and the cost of storing one more when another one must be removed for it.
func measureLargeStore(folder: String, _ count: Int) async throws {
    let transport = InstantTransport(
        ["Cache-Control": "max-age=86400"], body: Bytes([UInt8](repeating: 7, count: 1024)))
    let settings: JSONObject = ["path": .string("\(folder)/large.sqlite"), "memory": "0B", "disk": "1GiB"]
    let kernel = try makeKernel([PluginEntry("cache", settings: settings)], transport, folder: folder)
    try await Measurement.best(of: 1, count) { try await fetch(kernel, "http://origin.test/\($0)") }
        .row("storing each of \(count) responses of 1 KiB in SQLite")
    _ = try await kernel.cache.stats()
    var generator = SystemRandomNumberGenerator()
    try await Measurement.best(20_000) { _ in
        try await fetch(kernel, "http://origin.test/\(Int.random(in: 0..<count, using: &generator))")
    }.row("one of them, at random, from SQLite")
    await kernel.shutDown()

    let full = try makeKernel(
        [PluginEntry("cache", settings: ["path": .string("\(folder)/full.sqlite"), "memory": "0B", "disk": "32MiB"])],
        transport,
        folder: folder)
    try await Measurement.best(of: 1, count) { try await fetch(full, "http://origin.test/\($0)") }
        .row("storing each of \(count) where there is room for a quarter")
    let stats = try await full.cache.stats()
    print("| … of which are left | \(stats.entries) | | |")
    await full.shutDown()
}

/// Exchanges without a network, all on the loop, for a profiler such as callgrind: those with `hit` and `miss` use
/// memory, those with `file` are misses that are stored in memory and SQLite, those with `disk` hits from SQLite. Those
/// with `pool` are hits from memory on Swift's default executor. Those with `net` in front of them have nginx instead.
func profileCache(_ what: String, _ count: Int, nginx: String, folder: String) async throws {
    let transport = InstantTransport(
        ["Cache-Control": "max-age=86400", "Content-Type": "text/plain", "Server": "nginx"],
        body: Bytes([UInt8](repeating: 7, count: 1024)))
    let isReal = what.hasPrefix("net")
    let what = isReal ? String(what.dropFirst(3)) : what
    let plugins: [PluginEntry] =
        switch what {
        case "nothing": []
        case "disk": [PluginEntry("cache", settings: ["path": .string("\(folder)/profile.sqlite"), "memory": "0B"])]
        case "file": [PluginEntry("cache", settings: ["path": .string("\(folder)/profile.sqlite")])]
        default: [PluginEntry("cache", settings: ["persistence": "memory"])]
        }
    let kernel = try makeKernel(plugins, isReal ? nil : transport, folder: folder)
    let isHit = ["hit", "disk", "pool"].contains(what)
    let url = isReal ? "\(nginx)/fresh/1k" : "http://origin.test/"
    try await withTaskExecutorPreference(what == "pool" ? nil : kernel.executor) {
        try await Measurement.best(of: 1, count) { number in
            try await fetch(kernel, isHit ? url : "\(url)?\(number)")
        }.row(what)
    }
    await kernel.shutDown()
}

/// As the plain program would: open, read, close.
private func read(file path: String, _ size: Int) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer { buffer.deallocate() }
    var count = 0
    while count < size {
        let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), size - count)
        guard got > 0 else { fatalError("The file cannot be read.") }
        count += got
    }
}
