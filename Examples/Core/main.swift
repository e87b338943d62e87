// The smallest program: one request through the core alone, without plugins, SQLite, libltdl or Foundation.
//
//     Tests/Performance/build-core .build-core
//     .build-core/release/plugboard-core http://127.0.0.1:8080/
import PlugboardCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

guard CommandLine.arguments.count == 2 else {
    print("usage: plugboard-core URL")
    exit(2)
}

do {
    let kernel = try Kernel()
    let response = try await kernel.send(Request(.get, CommandLine.arguments[1]))
    let body = try await response.body.collect(upTo: .mebibytes(16))
    print("\(response.status), \(body.count) bytes from \(response.url)")
    await kernel.shutDown()
} catch {
    print(error)
    exit(1)
}
