import Plugboard

/// One kernel for the whole program, configured in code.
func makeKernel() throws(PlugboardError) -> Kernel {
    var configuration = Configuration(plugins: ["redirect", "decode", "cookies", "cache", "retry"])
    configuration.kernel.connectTimeout = .seconds(10)
    configuration.kernel.timeout = .seconds(60)
    configuration.kernel.proxy = "http://proxy.example.com:3128"
    return try Kernel(configuration: configuration)
}
