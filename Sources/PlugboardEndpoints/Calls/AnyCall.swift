import PlugboardCore

/// A call whose type of value does not matter: what registries, delegates and batches hold.
public protocol AnyCall: AnyObject, Sendable {
    /// The number of the call.
    var id: CallID { get }
    /// The names by which it is found.
    var labels: CallLabels { get }
    /// Where the request goes, as far as that is known before it is made; nil for a batch and a chain.
    var origin: Origin? { get }
    /// How far it is.
    var state: CallState { get }
    /// Why it did not succeed; nil while it is under way and after a success.
    var error: PlugboardError? { get }
    /// How many bytes were sent and received so far.
    var currentProgress: TransferProgress { get }

    /// Starts a call that waits; does nothing otherwise.
    func start()
    /// Ends the call at once: its state is `cancelled`, and neither success nor failure is called. Does nothing when
    /// the call has ended.
    func cancel()
    /// Stops hooks of plugins and the network until `resume`. The timeout of the exchange runs on.
    func suspend()
    /// Lets a suspended call go on; does nothing otherwise.
    func resume()
    /// The text for people about an error, in the language of the client's messages.
    func message(for error: PlugboardError) -> String
    /// Waits until the call has ended in any way. Cancelling the task does not end the wait.
    func ended() async
}

extension AnyCall {
    /// The name of this call.
    public var identifier: String? { labels.identifier }
    /// The name of the calls that it belongs to.
    public var group: String? { labels.group }
    /// Its mark.
    public var tag: String? { labels.tag }
    /// Its kind.
    public var category: String? { labels.category }
    /// The program's own values.
    public var userInfo: [String: any Sendable] { labels.userInfo }
}

/// Told of calls, instead of callbacks or beside them: a delegate, which the call holds weakly, or an accessory, which
/// it holds until its end. Called where the callbacks run: of success and failure after `onCompletion`, of the end
/// after `onFinished`.
public protocol CallDelegate: AnyObject, Sendable {
    /// The call has been started, or was when the delegate was attached.
    func callDidStart(_ call: any AnyCall)
    /// The call was suspended.
    func callDidSuspend(_ call: any AnyCall)
    /// The call was resumed.
    func callDidResume(_ call: any AnyCall)
    /// The call has succeeded. `value` is of the call's type.
    func call(_ call: any AnyCall, didSucceed value: any Sendable)
    /// The call has failed.
    func call(_ call: any AnyCall, didFail error: PlugboardError)
    /// The call has ended: after the two above, and after a cancellation. Not after a response that the judge ignores.
    func callDidFinish(_ call: any AnyCall)
    /// Bytes were sent or received.
    func call(_ call: any AnyCall, didProgress progress: TransferProgress)
}

extension CallDelegate {
    /// Does nothing.
    public func callDidStart(_ call: any AnyCall) {}
    /// Does nothing.
    public func callDidSuspend(_ call: any AnyCall) {}
    /// Does nothing.
    public func callDidResume(_ call: any AnyCall) {}
    /// Does nothing.
    public func call(_ call: any AnyCall, didSucceed value: any Sendable) {}
    /// Does nothing.
    public func call(_ call: any AnyCall, didFail error: PlugboardError) {}
    /// Does nothing.
    public func callDidFinish(_ call: any AnyCall) {}
    /// Does nothing.
    public func call(_ call: any AnyCall, didProgress progress: TransferProgress) {}
}
