import CCurl
import LinuxKernel

/// An exchange with libcurl: an easy handle and its callbacks. It belongs to its client's thread.
@safe
final class Exchange {
    /// The handle, for the multi handle that runs it.
    let handle: UnsafeMutableRawPointer
    let request: ExchangeRequest
    private let events: any ExchangeEvents
    let brake: Brake
    private let multipathSockets: MultipathSockets
    let errorText: UnsafeMutablePointer<CChar>
    /// The lines of the request's head, which libcurl does not copy.
    var headers: UnsafeMutablePointer<curl_slist>?
    var body: BodySource?
    private var reader = ResponseHeadReader()
    private var hasDeliveredHead = false
    private var hasReadBody = true
    private var transferred: Int64 = 0
    private var sent: Int64 = 0
    /// When something was exchanged last, or the connection was begun; nil while it is queued.
    private var lastActivity: ContinuousClock.Instant?
    private var isPaused = false

    init(
        _ request: ExchangeRequest, _ events: any ExchangeEvents, _ brake: Brake,
        _ multipathSockets: MultipathSockets
    ) throws(ExchangeFailure) {
        guard let handle = unsafe curl_easy_init() else {
            throw ExchangeFailure(.other, "libcurl cannot be used")
        }
        unsafe self.handle = handle
        (self.request, self.events, self.brake) = (request, events, brake)
        self.multipathSockets = multipathSockets
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        body = try BodySource(request.body)
        setConnection()
        setRequest()
        setCallbacks()
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(headers)
        unsafe errorText.deallocate()
    }

    /// When it has been idle for too long; nil if that cannot be said yet.
    var deadline: ContinuousClock.Instant? {
        guard !isPaused, let limit = request.idleLimit else { return nil }
        return lastActivity?.advanced(by: limit)
    }

    /// Stops or continues sending and receiving.
    func setPaused(_ paused: Bool) {
        isPaused = paused
        if !paused, lastActivity != nil { lastActivity = .now }
        unsafe lc_curl_pause(handle, paused ? 1 : 0)
    }

    /// Tells the end that libcurl has reported.
    func end(_ code: CURLcode) {
        if code == CURLE_OK {
            deliverHead()
            return events.ended(.success(unsafe ExchangeMetrics(handle)))
        }
        let detail = unsafe String(cString: errorText)
        let text = unsafe detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        events.ended(
            .failure(
                hasReadBody
                    ? ExchangeFailure(code, text)
                    : ExchangeFailure(.unreadableBody, "the file became shorter meanwhile")))
    }

    /// Tells that it has been ended here.
    func end(with failure: ExchangeFailure) {
        events.ended(.failure(failure))
    }
}

extension Exchange {
    private func noteActivity() {
        let isFirst = lastActivity == nil
        lastActivity = .now
        if isFirst { events.started() }
    }

    /// A line of the response's head; false ends the exchange.
    func readHead(_ line: String) -> Bool {
        noteActivity()
        reader.read(line)
        // libcurl answers a challenge itself; the body tells that this response is the last.
        let mayBeRepeated = reader.head?.status == 401 && request.digestLogin != nil
        guard reader.isComplete, !mayBeRepeated else { return true }
        return deliverHead()
    }

    @discardableResult
    private func deliverHead() -> Bool {
        guard !hasDeliveredHead, let head = reader.head, !head.isInterim else { return true }
        hasDeliveredHead = true
        return events.receive(head)
    }

    /// A part of the response's body; false ends the exchange.
    func readBody(_ bytes: [UInt8]) -> Bool {
        noteActivity()
        // The time that the receiver takes is not the server's.
        defer { lastActivity = .now }
        return deliverHead() && (bytes.isEmpty || events.receive(bytes))
    }

    /// Supplies the next part of the request's body; nil if it cannot be read.
    func writeBody(into space: UnsafeMutableRawBufferPointer) -> Int? {
        guard let body else { return 0 }
        let count = unsafe body.read(into: space)
        hasReadBody = count != nil
        return count
    }

    /// Starts the request's body over, after a lost connection.
    func seekBody(to offset: Int64) -> Bool {
        body?.seek(to: offset) ?? (offset == 0)
    }

    /// Bytes of the bodies so far.
    func count(received: Int64, sent: Int64) {
        if lastActivity == nil || received + sent != transferred { noteActivity() }
        transferred = received + sent
        guard sent != self.sent else { return }
        self.sent = sent
        events.sent(sent)
    }

    /// A socket for an address; -1 if it may not be used.
    func openSocket(to remote: UnsafePointer<curl_sockaddr>) -> Int32 {
        if lastActivity == nil { noteActivity() }
        if request.route == .system {
            var (here, there) = (lc_curl_address(), lc_curl_address())
            // Without a route the connection fails by itself, which says why.
            if unsafe lc_curl_route(remote, &here, &there) == 0,
                !events.mayConnect(from: SocketAddress(here), to: SocketAddress(there))
            {
                return -1
            }
        }
        let socket = unsafe lc_curl_open_socket(remote, request.isMultipath ? 1 : 0)
        if request.isMultipath, socket >= 0 { multipathSockets.add(socket) }
        return socket
    }

    /// Whether the request may be sent over the connection.
    func mayBegin(
        remote: String, _ remotePort: Int, local: String, _ localPort: Int
    ) -> Bool {
        noteActivity()
        return events.mayBegin(
            on: ExchangeConnection(
                localAddress: local, localPort: localPort, remoteAddress: remote,
                remotePort: remotePort,
                isReused: unsafe lc_curl_number(handle, CURLINFO_NUM_CONNECTS) == 0,
                isMultipath: multipathSockets.areConnected(from: localPort)))
    }
}

extension SocketAddress {
    fileprivate init(_ address: lc_curl_address) {
        self.init(
            address.is_ipv6 != 0
                ? IPAddress(ipv6High: address.high, low: address.low)
                : IPAddress(ipv4: UInt32(truncatingIfNeeded: address.low)),
            scope: address.scope)
    }
}
