import CPlugboardCurl
import PlugboardSystem
import PlugboardTransport

/// Performs attempts with libcurl, on an event loop.
///
/// It only transfers messages: it follows no redirects, keeps no cookies, decodes nothing, and adds no fields except
/// those that frame the message. `shutDown` must be called before the loop stops.
///
/// Sendable because everything except `init` is called on the loop's thread.
package final class CurlTransport: Transport, @unchecked Sendable {
    private static let isReady: Bool = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return false }
        // libcurl reports refused streams only in this log, which `Callbacks.debug` reads.
        if CurlAbilities.current.tellsRefusedStreams { ccurl_trace("http/2") }
        return true
    }()

    private let loop: EventLoop
    private let settings: CurlTransportSettings
    /// Read once, because reading the environment while another thread changes it is not safe.
    private let usesProxyEnvironment: Bool
    private let environmentBypass: ProxyBypass?
    private var multi: MultiHandle?
    /// Multi handles that take no new transfers, until their last transfer ends.
    private var retired: [MultiHandle] = []
    // Unchecked, because the cache calls no other code.
    @exclusivity(unchecked) private var urls = URLCache()
    private var isShutDown = false

    /// A transport without connections. Called on any thread; all other functions are called on the loop.
    package init(loop: EventLoop, settings: CurlTransportSettings = CurlTransportSettings()) {
        precondition(CurlTransport.isReady, "libcurl cannot be initialized. Check its TLS library.")
        self.loop = loop
        self.settings = settings
        usesProxyEnvironment = proxyVariables.contains { getenv($0) != nil }
        let list = getenv("no_proxy") ?? getenv("NO_PROXY")
        environmentBypass = list.map { ProxyBypass(String(cString: $0)) }
    }

    /// See `Transport`. An attempt that cannot start, such as one with an invalid URL, ends on the loop with its error.
    package func perform(
        _ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop
    ) -> any Attempt {
        do {
            return try begin(attempt, observer)
        } catch {
            return RefusedAttempt(error, observer: observer, loop: self.loop)
        }
    }

    /// See `Transport`. Attempts in progress continue on their connections.
    package func forget() {
        urls.removeAll()
        guard let multi else { return }
        self.multi = nil
        retire(multi)
    }

    /// See `Transport`.
    package func shutDown() {
        isShutDown = true
        forget()
        for multi in retired { multi.endAll(CurlTransport.shutDownError) }
    }

    private static var shutDownError: PlugboardError {
        PlugboardError(.shutDown, "The transport is shutting down.")
    }

    private func begin(_ attempt: AttemptRequest, _ observer: any AttemptObserver) throws(PlugboardError) -> Transfer {
        if isShutDown { throw CurlTransport.shutDownError }
        let body = try RequestBody(attempt)
        let url = try urls.url(attempt.url)
        let multi = openMulti()
        guard let handle = multi.handle() else {
            throw PlugboardError(.transportConnect, "libcurl has no memory for another attempt.")
        }
        let isRepeatable = attempt.method.isIdempotent && attempt.body?.canRewind ?? true
        let isRisky = !isRepeatable && multi.abruptHosts.contains(url.hostAndPort, at: loop.systemNow)
        try handle.prepare(attempt, url: url, body: body, avoidsKept: isRisky)
        let transfer = Transfer(multi: multi, attempt: attempt, url: url, handle: handle, observer: observer)
        handle.state.pointee.begin(
            transfer, headLimit: settings.headLimit.bytes, fieldLimit: settings.headFieldLimit,
            body: body)
        multi.enroll(transfer)
        transfer.pullUpload(handle.state)
        transfer.armClock()
        multi.start(transfer)
        return transfer
    }

    private func openMulti() -> MultiHandle {
        if let multi { return multi }
        let multi = MultiHandle(
            loop: loop, settings: settings, usesProxyEnvironment: usesProxyEnvironment,
            environmentBypass: environmentBypass)
        self.multi = multi
        return multi
    }

    private func retire(_ multi: MultiHandle) {
        retired.append(multi)
        multi.retire { [weak self, unowned multi] in
            // Later, because the last transfer is still reporting its end.
            self?.loop.atEndOfTurn { self?.retired.removeAll { $0 === multi } }
        }
    }
}

/// An attempt that cannot start. Its end is reported by a job of the loop, because `perform` returns before any report.
private final class RefusedAttempt: Attempt {
    init(_ error: PlugboardError, observer: any AttemptObserver, loop: EventLoop) {
        loop.enqueue { observer.attemptEnded(error, Timings()) }
    }

    func cancel() {}
    func suspend() {}
    func resume() {}
}
