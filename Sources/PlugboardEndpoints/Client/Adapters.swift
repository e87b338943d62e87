import PlugboardCodecs
import PlugboardCore

// These are structs and not closures, because Swift 6.3 crashes on array literals of closures with typed errors, and
// calls closures in arrays through an additional function.

/// Edits the parameters of each endpoint of a client.
///
///     settings.parameterAdapters = [ParameterAdapter { parameters, _ in parameters["lang"] = "de" }]
public struct ParameterAdapter: Sendable {
    let adapt: @Sendable (inout Parameters, CallContext) throws(PlugboardError) -> Void

    /// Creates an adapter. An error that it throws fails the request before anything is sent.
    public init(_ adapt: @escaping @Sendable (inout Parameters, CallContext) throws -> Void) {
        self.adapt = { (parameters: inout Parameters, context: CallContext) throws(PlugboardError) in
            do { try adapt(&parameters, context) } catch {
                throw PlugboardError(thrownBy: "An adapter of parameters", error)
            }
        }
    }
}

/// Edits the URL of each endpoint of a client, with its query.
public struct URLAdapter: Sendable {
    let adapt: @Sendable (inout String, CallContext) throws(PlugboardError) -> Void

    /// Creates an adapter. An error that it throws fails the request before anything is sent.
    public init(_ adapt: @escaping @Sendable (inout String, CallContext) throws -> Void) {
        self.adapt = { (url: inout String, context: CallContext) throws(PlugboardError) in
            do { try adapt(&url, context) } catch { throw PlugboardError(thrownBy: "An adapter of URLs", error) }
        }
    }
}

/// Edits the whole request of each endpoint of a client; may be asynchronous.
///
///     RequestAdapter { request, _ in request["X-Signature"] = try await signer.signature(of: request) }
public struct RequestAdapter: Sendable {
    let adapt: @Sendable (inout Request, CallContext) async throws(PlugboardError) -> Void

    /// Creates an adapter. An error that it throws fails the request before anything is sent.
    public init(_ adapt: @escaping @Sendable (inout Request, CallContext) async throws -> Void) {
        self.adapt = { (request: inout Request, context: CallContext) async throws(PlugboardError) in
            do { try await adapt(&request, context) } catch {
                throw PlugboardError(thrownBy: "An adapter of requests", error)
            }
        }
    }
}
