import CCurl

/// What libcurl is told before an exchange.
extension Exchange {
    /// How long a second address waits for the first (RFC 8305, section 5).
    private static let eyeballDelay = 250
    /// A day: `idleLimit` ends connections that take too long.
    private static let connectLimit = 86_400

    private func set(_ option: CURLoption, _ value: Int) {
        _ = unsafe lc_curl_set_number(handle, option, value)
    }

    private func set(_ option: CURLoption, _ value: String?) {
        guard let value else { return }
        _ = unsafe lc_curl_set_text(handle, option, value)
    }

    /// How to connect.
    func setConnection() {
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

    /// What to send.
    func setRequest() {
        set(CURLOPT_BUFFERSIZE, request.receiveBuffer)
        // Larger than libcurl's own, for fewer system calls.
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
}
