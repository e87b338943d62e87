/// The one error type that Plugboard throws.
///
/// A code is a kind, or a kind and a name within it. All codes, each name with the dot that stands before it:
///
///     cancelled
///     timeout         .connect .idle .attempt .exchange
///     transport       .dns .connect .tls .tls.certificate .proxy .reset .stale .unprocessed .protocol
///     body            .read .cut .limit .decode .rewind
///     request         .url .field .option .parameter .refused .taken .dry
///     response        .status .type
///     runaway
///     plugin          .fault .failed .disabled .subrequest .order .start
///     command         .unknown .failed .reply
///     configuration
///     control         .socket .request
///     loading         .missing .writable .owner .folder .archive .size .changed .notELF .notShared .architecture
///                     .truncated .damaged .metadata .noEntry .entries .hash .symbols .open .revision .descriptor
///     network         .unreadable
///     resources
///     shutDown
///     kernel
///     download        .busy .digest .exists .metalink .part .write
///     upload          .busy .changed .journal .limit .offset .protocol
///     check           .failed .sample .system
///     testing         .folder
///     ignored
///     queued
///
/// The bundled plugins add codes under their ids:
///
///     authentication  .credential .refresh
///     cache           .damaged .removed .unreadable .command
///     cookies         .refused .argument .file
///     limit           .exceeded
///     mock            .argument .unmatched
///     queue           .full .argument .unknown .file .rejected .attempts .expired .route .body .collapsed
///     recorder        .argument .file .store
///     redirect        .limit .refused .body
///     resume          .changed
///     retry           .circuitOpen
///     validator       .coding .invalid .json .limit .schema
///
/// Each has a constant, whose name is the words of the code in camel case: `.timeoutIdle` is `timeout.idle`. The
/// documentation of each constant says what it means. Codes are text, so that any plugin can add its own
/// (`acme.expired`). The reason says what, where and what to do; it never holds header values, bodies or query strings.
public struct PlugboardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, for programs: one of a bounded set of names.
    public struct Code: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
        /// The words of the tree above, joined by dots: ASCII letters, digits and hyphens.
        public let name: String

        /// A code of any name. Names are not checked; plugins write their id and a dot before theirs.
        public init(_ name: String) { self.name = name }
        /// The code of a literal, as in `error.code == "cache.damaged"`.
        public init(stringLiteral name: String) { self.name = name }

        /// The name.
        public var description: String { name }

        /// The part before the first dot: `timeout` of `timeout.idle`.
        public var kind: Substring { name.prefix { $0 != "." } }
    }

    /// What went wrong, for programs.
    public var code: Code {
        get { content.code }
        set { content.code = newValue }
    }
    /// What went wrong, where, and what to do, in sentences for people.
    public var reason: String {
        get { content.reason }
        set { content.reason = newValue }
    }
    /// The id of the plugin that failed the exchange; nil if no plugin did.
    public var plugin: String? {
        get { content.plugin }
        set { content.plugin = newValue }
    }
    /// The number of the attempt that failed, counted from 1; nil if no attempt was in progress.
    public var attempt: Int? {
        get { content.attempt }
        set { content.attempt = newValue }
    }
    /// The message of the layer below, such as libcurl's or the system's; nil if it gave none.
    public var underlying: String? {
        get { content.underlying }
        set { content.underlying = newValue }
    }
    /// The response that the program refused (`response.…`); nil in other errors. It is never printed.
    public var response: ResponseExcerpt? {
        get { content.response?.excerpt }
        set { content.response = newValue.map(StoredExcerpt.init) }
    }

    private struct Content: Sendable, Equatable {
        var code: Code
        var reason: String
        var plugin: String?
        var attempt: Int?
        var underlying: String?
        var response: StoredExcerpt?
    }

    private final class Storage: Sendable {
        let content: Content
        /// No part of the content, because equal errors can come from different results.
        let transportResult: Int?

        init(_ content: Content, _ transportResult: Int? = nil) {
            (self.content, self.transportResult) = (content, transportResult)
        }
    }

    /// One word, because outcomes and pieces that may hold an error are copied at each step of an exchange.
    private var storage: Storage
    private var content: Content {
        get { storage.content }
        set { storage = Storage(newValue, storage.transportResult) }
    }

    /// The number by which the transport's library calls the failure; nil for other errors. It is libcurl's CURLcode.
    package var transportResult: Int? {
        get { storage.transportResult }
        set { storage = Storage(content, newValue) }
    }

    /// An error with this code and reason.
    ///
    /// - Parameters:
    ///   - reason: Sentences that hold no header values, no bodies and no query strings, because they are printed.
    ///   - plugin: The id of the plugin that fails the exchange. The kernel sets it for plugins.
    ///   - underlying: The message of the layer below; it is printed in parentheses.
    public init(
        _ code: Code, _ reason: String, plugin: String? = nil, attempt: Int? = nil, underlying: String? = nil
    ) {
        storage = Storage(
            Content(code: code, reason: reason, plugin: plugin, attempt: attempt, underlying: underlying))
    }

    /// Two errors are equal if they hold the same response, or none, and all else that they hold is equal.
    public static func == (left: PlugboardError, right: PlugboardError) -> Bool { left.content == right.content }

    /// The same text as `description`, for programs that import Foundation.
    ///
    /// It is found only where the static type is `PlugboardError`, as in the `catch` of a typed throw. For an
    /// `any Error`, Foundation makes a text of its own, unless the program imports the module PlugboardFoundation.
    public var localizedDescription: String { description }

    /// Code, reason, underlying message and plugin in one text: `CODE: REASON (UNDERLYING) [plugin ID]`.
    public var description: String {
        var text = reason
        if let underlying, !underlying.isEmpty { text += " (\(underlying))" }
        if let plugin { text += " [plugin \(plugin)]" }
        return "\(code): \(text)"
    }
}
