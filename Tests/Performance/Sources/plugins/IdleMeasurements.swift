import Plugboard
import PlugboardCookiesOptions
import measuring

/// The cost of plugins that have little to do, over a transport that responds at once.
func measureIdlePlugins(folder: String, _ count: Int) async throws {
    let transport = InstantTransport([:], body: .empty)
    func cost(_ name: String, _ plugins: [PluginEntry], _ cookies: Int = 0) async throws {
        let kernel = try makeKernel(plugins, transport, folder: folder)
        // Ten for each host, as many hosts as it takes.
        for number in 0..<cookies {
            try await kernel.cookies.set(
                "name\(number % 10)=value\(number)", for: "http://host\(number / 10).test/")
        }
        try await withTaskExecutorPreference(kernel.executor) {
            try await Measurement.best(count) { _ in try await fetch(kernel, "http://host0.test/") }.row(name)
        }
        await kernel.shutDown()
    }
    try await cost("an exchange without plugins and without a network", [])
    try await cost("the same with retry, which has nothing to do", ["retry"])
    try await cost("the same with redirect, which has nothing to do", ["redirect"])
    let jar = PluginEntry("cookies", settings: ["persistence": "memory", "limit": 20_000])
    try await cost("the same with cookies and an empty jar", [jar])
    try await cost("the same with ten cookies to attach, of a jar of 10", [jar], 10)
    try await cost("the same with ten cookies to attach, of a jar of 10,000", [jar], 10_000)
}
