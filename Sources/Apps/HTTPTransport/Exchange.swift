import CCurl
import Glibc
import LinuxKernel

/// An exchange with libcurl: an easy handle and its callbacks. It belongs to its client's thread.
@safe
final class Exchange {
    /// The handle, for the multi handle that runs it.
    let handle: UnsafeMutableRawPointer
    private let request: ExchangeRequest
    private let events: any ExchangeEvents
    private let errorText: UnsafeMutablePointer<CChar>
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var body: BodySource?
    private var reader = ResponseHeadReader()
    private var hasDeliveredHead = false
    private var hasReadBody = true
    private var transferred: Int64 = 0
    private var sent: Int64 = 0
    /// When something was exchanged last, or the connection was begun; nil while it is queued.
    private var lastActivity: ContinuousClock.Instant?
    private var isPaused = false

    /// libcurl is prepared once per process.
    private static let isPrepared = lc_curl_prepare() != 0
    /// How long a second address waits for the first (RFC 8305, section 5).
    private static let eyeballDelay = 250
    /// A day: `idleLimit` ends connections that take too long.
    private static let connectLimit = 86_400

    init(_ request: ExchangeRequest, _ events: any ExchangeEvents) throws(ExchangeFailure) {
        guard Self.isPrepared, let handle = unsafe curl_easy_init() else {
            throw ExchangeFailure(.other, "libcurl cannot be used")
        }
        unsafe self.handle = handle
        (self.request, self.events) = (request, events)
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
    private func set(_ option: CURLoption, _ value: Int) {
        _ = unsafe lc_curl_set_number(handle, option, value)
    }

    private func set(_ option: CURLoption, _ value: String?) {
        guard let value else { return }
        _ = unsafe lc_curl_set_text(handle, option, value)
    }

    private func setConnection() {
        _ = unsafe lc_curl_set_error_buffer(handle, errorText)
        set(CURLOPT_URL, request.url)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT, Self.connectLimit)
        set(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, Self.eyeballDelay)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_STREAM_WEIGHT, request.weight)
        if case .interface(let name) = request.route { set(CURLOPT_INTERFACE, "if!\(name)") }
        set(CURLOPT_CAINFO, request.certificates.authorities)
        set(CURLOPT_SSLCERT, request.certificates.client)
        set(CURLOPT_SSLKEY, request.certificates.key)
        set(CURLOPT_KEYPASSWD, request.certificates.password)
        if let login = request.digestLogin {
            _ = unsafe lc_curl_set_digest(handle)
            set(CURLOPT_USERNAME, login.user)
            set(CURLOPT_PASSWORD, login.password)
        }
    }

    private func setRequest() {
        // Larger buffers than libcurl's own need fewer system calls.
        set(CURLOPT_BUFFERSIZE, 256 << 10)
        set(CURLOPT_UPLOAD_BUFFERSIZE, 512 << 10)
        if request.decodesBody { set(CURLOPT_ACCEPT_ENCODING, "") }
        let needsBody = ["POST", "PUT", "PATCH"].contains(request.method)
        if body != nil || needsBody {
            set(CURLOPT_UPLOAD, 1)
            set(CURLOPT_CUSTOMREQUEST, request.method)
            _ = unsafe lc_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, body?.size ?? 0)
        } else if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if request.method != "GET" {
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        // Servers that do not know `Expect` would cost a second per upload.
        var lines = ["Expect:"]
        for header in request.headers {
            lines.append(
                header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        for line in lines {
            unsafe headers = curl_slist_append(headers, line) ?? headers
        }
        _ = unsafe lc_curl_set_headers(handle, headers)
    }

    private func setCallbacks() {
        unsafe lc_curl_set_callbacks(
            handle, Unmanaged.passUnretained(self).toOpaque(),
            { buffer, size, count, context in
                let line = unsafe UnsafeRawBufferPointer(start: buffer, count: size * count)
                let isWanted = unsafe Exchange.from(context)?.readHead(
                    String(decoding: line, as: UTF8.self))
                return isWanted == true ? size * count : 0
            },
            { buffer, size, count, context in
                let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: size * count)
                let isWanted = unsafe Exchange.from(context)?.readBody([UInt8](bytes))
                return isWanted == true ? size * count : 0
            },
            { buffer, size, count, context in
                let space = unsafe UnsafeMutableRawBufferPointer(
                    start: buffer, count: size * count)
                return unsafe Exchange.from(context)?.writeBody(into: space)
                    ?? Int(CURL_READFUNC_ABORT)
            },
            { context, offset, origin in
                guard origin == SEEK_SET, let exchange = unsafe Exchange.from(context) else {
                    return CURL_SEEKFUNC_CANTSEEK
                }
                return exchange.seekBody(to: Int64(offset))
                    ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
            },
            { context, _, received, _, sent in
                unsafe Exchange.from(context)?.count(
                    received: Int64(received), sent: Int64(sent))
                return 0
            },
            { context, _, remote in
                guard let exchange = unsafe Exchange.from(context), let remote = unsafe remote
                else { return -1 }
                return unsafe exchange.openSocket(to: remote)
            },
            { context, remoteAddress, localAddress, remotePort, localPort in
                guard let exchange = unsafe Exchange.from(context),
                    let remoteAddress = unsafe remoteAddress,
                    let localAddress = unsafe localAddress
                else { return CURL_PREREQFUNC_ABORT }
                let mayBegin = unsafe exchange.mayBegin(
                    remote: String(cString: remoteAddress), Int(remotePort),
                    local: String(cString: localAddress), Int(localPort))
                return mayBegin ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Exchange? {
        unsafe context.map { unsafe Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension Exchange {
    private func noteActivity() {
        let isFirst = lastActivity == nil
        lastActivity = .now
        if isFirst { events.started() }
    }

    private func readHead(_ line: String) -> Bool {
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

    private func readBody(_ bytes: [UInt8]) -> Bool {
        noteActivity()
        // The time that the receiver takes is not the server's.
        defer { lastActivity = .now }
        return deliverHead() && (bytes.isEmpty || events.receive(bytes))
    }

    private func writeBody(into space: UnsafeMutableRawBufferPointer) -> Int? {
        guard let body else { return 0 }
        let count = unsafe body.read(into: space)
        hasReadBody = count != nil
        return count
    }

    private func seekBody(to offset: Int64) -> Bool {
        body?.seek(to: offset) ?? (offset == 0)
    }

    private func count(received: Int64, sent: Int64) {
        if lastActivity == nil || received + sent != transferred { noteActivity() }
        transferred = received + sent
        guard sent != self.sent else { return }
        self.sent = sent
        events.sent(sent)
    }

    private func openSocket(to remote: UnsafePointer<curl_sockaddr>) -> Int32 {
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
        return unsafe lc_curl_open_socket(remote, request.isMultipath ? 1 : 0)
    }

    private func mayBegin(
        remote: String, _ remotePort: Int, local: String, _ localPort: Int
    ) -> Bool {
        noteActivity()
        let socket = unsafe lc_curl_socket(handle)
        return events.mayBegin(
            on: ExchangeConnection(
                localAddress: local, localPort: localPort, remoteAddress: remote,
                remotePort: remotePort,
                isReused: unsafe lc_curl_number(handle, CURLINFO_NUM_CONNECTS) == 0,
                isMultipath: socket >= 0 && lc_curl_is_multipath(socket) != 0))
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
