import Plugboard
import PlugboardJSON
import PlugboardKit

/// Prints a request instead of sending it.
struct RequestPrinting {
    let arguments: RequestArguments
    let configuration: Configuration
    let showsSecrets: Bool

    /// Writes a line of curl to standard output.
    ///
    /// - Parameters:
    ///   - given: The body as options of curl; nil takes it from the request.
    ///   - options: Further options of curl.
    func printCurl(
        _ request: Request, _ given: PrintedCurlBody? = nil, _ kernel: Kernel, adding options: [String] = []
    ) async throws {
        Session.current?.leave()
        let request = marked(request, addingFields: true)
        let line = try PrintedCurl(
            request, try await body(request, given), said(kernel.options(of: request), request),
            PrintedCurlPlugins(configuration, arguments), adding: options, showingSecrets: showsSecrets)
        try ByteOutput.standard.write(line.text + "\n")
    }

    /// Writes a file of definitions with the request's to standard output, and to standard error what it leaves out.
    ///
    /// - Parameter others: Options of curl that are left out beside those of the request.
    func printDefinition(
        _ name: String, _ request: Request, _ given: PrintedCurlBody?, leavingOut others: [String] = []
    ) async throws {
        Session.current?.leave()
        var bytes: Bytes?
        if case .bytes(let body) = try await body(request, given) { bytes = body }
        let definition = try RequestDefinition(
            marked(request, addingFields: false), bytes, showingSecrets: showsSecrets)
        for omission in definition.omissions { StandardError.warn("the definition leaves out \(omission)") }
        let options = others + omittedOptions(of: request)
        if !options.isEmpty {
            let list = options.joined(separator: ", ")
            StandardError.warn("the definition leaves out these options, which plugboard call takes: \(list)")
        }
        let text: String = JSONWriter.write(
            .object([name: .object(definition.json)]), options: JSONWriter.Options(pretty: true))
        try ByteOutput.standard.write(text + "\n")
    }

    /// The names of options that a definition does not have: all but times and credentials.
    private func omittedOptions(of request: Request) -> [String] {
        var options = request.options
        (options.timeout, options.attemptTimeout, options.connectTimeout) = (nil, nil, nil)
        let plugins = PrintedCurlPlugins(configuration, arguments).options(of: request)
        return (plugins + PrintedCurlConnection(options).options).filter {
            $0.name != "-u" && $0.name != "--oauth2-bearer"
        }
        .map(\.name)
    }

    /// The options without the kernel's defaults, and without the certificates of the environment, which curl reads
    /// itself.
    private func said(_ options: RequestOptions, _ request: Request) -> RequestOptions {
        var options = options
        if request.options.connectTimeout == nil,
            options.connectTimeout == KernelSettings().defaults.connectTimeout
        {
            options.connectTimeout = nil
        }
        if arguments.connection.caFile == nil, options.tls.ca == Configuration.environmentTrust?.file {
            options.tls.ca = nil
        }
        return options
    }

    private func body(_ request: Request, _ given: PrintedCurlBody?) async throws -> PrintedCurlBody {
        if let given { return given }
        guard let body = request.body else { return .none }
        return .bytes(try await body.collect(upTo: .mebibytes(256)))
    }

    /// The request with what the configuration says of all requests: secret fields, and fields that the kernel adds.
    private func marked(_ request: Request, addingFields: Bool) -> Request {
        var request = request
        for (name, value) in configuration.kernel.headers.sorted(by: { $0.key < $1.key })
        where addingFields && !request.fields.contains(FieldName(name)) {
            request.fields.append(FieldName(name), value)
        }
        for name in configuration.kernel.secretFields { request.fields.markSecret(FieldName(name)) }
        return request
    }
}

extension Sending {
    /// Prints the request instead of sending it.
    func print(
        _ request: Request, _ body: PrintedCurlBody?, to target: CurlTarget, _ configuration: Configuration,
        _ kernel: Kernel
    ) async throws {
        let printing = RequestPrinting(
            arguments: arguments, configuration: configuration, showsSecrets: output.showSecrets)
        if let name = output.printDefinition {
            try await printing.printDefinition(name, request, body)
        } else {
            try await printing.printCurl(request, body, kernel, adding: output.curlOptions(for: target))
        }
    }
}

extension OutputArguments {
    /// The options of output that curl has too.
    fileprivate func curlOptions(for target: CurlTarget) -> [String] {
        var options: [String] = []
        switch target.output {
        case nil, .file("-"): break
        case .file(let file): options += ["-o", file]
        case .remoteName: options.append("-O")
        }
        if let outputDir { options += ["--output-dir", outputDir] }
        options += group.printed
        if noClobber { options.append("--no-clobber") }
        if include { options.append("-i") }
        if silent { options.append("-s") }
        return options
    }
}
