import CCurl

extension ExchangeMetrics {
    /// What libcurl has measured of an exchange that has ended.
    init(_ handle: UnsafeMutableRawPointer) {
        self.init()
        func time(_ info: CURLINFO) -> Duration? {
            let microseconds = unsafe lc_curl_size(handle, info)
            return microseconds > 0 ? .microseconds(microseconds) : nil
        }
        nameResolved = time(CURLINFO_NAMELOOKUP_TIME_T)
        connected = time(CURLINFO_CONNECT_TIME_T)
        secured = time(CURLINFO_APPCONNECT_TIME_T)
        requestBegun = time(CURLINFO_PRETRANSFER_TIME_T)
        responseBegun = time(CURLINFO_STARTTRANSFER_TIME_T)
        total = time(CURLINFO_TOTAL_TIME_T) ?? .zero
        sentHead = Int64(unsafe lc_curl_number(handle, CURLINFO_REQUEST_SIZE))
        sentBody = unsafe lc_curl_size(handle, CURLINFO_SIZE_UPLOAD_T)
        receivedHead = Int64(unsafe lc_curl_number(handle, CURLINFO_HEADER_SIZE))
        receivedBody = unsafe lc_curl_size(handle, CURLINFO_SIZE_DOWNLOAD_T)
        protocolName =
            Self.protocolNames[
                unsafe lc_curl_number(handle, CURLINFO_HTTP_VERSION)]
    }

    private static let protocolNames = [
        Int(CURL_HTTP_VERSION_1_0): "http/1.0", Int(CURL_HTTP_VERSION_1_1): "http/1.1",
        Int(CURL_HTTP_VERSION_2_0): "h2",
    ]
}
