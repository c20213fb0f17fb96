import CCurl
import Glibc

/// The functions that libcurl calls.
extension Exchange {
    /// Lets libcurl call this object, which must outlive the handle.
    func setCallbacks() {
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
                guard let exchange = unsafe Exchange.from(context), !exchange.brake.isCancelled
                else { return 0 }
                // The same bytes come again when it goes on.
                guard !exchange.brake.isPaused else { return Int(CURL_WRITEFUNC_PAUSE) }
                return unsafe exchange.readBody([UInt8](bytes)) ? size * count : 0
            },
            { buffer, size, count, context in
                let space = unsafe UnsafeMutableRawBufferPointer(
                    start: buffer, count: size * count)
                guard let exchange = unsafe Exchange.from(context), !exchange.brake.isCancelled
                else { return Int(CURL_READFUNC_ABORT) }
                guard !exchange.brake.isPaused else { return Int(CURL_READFUNC_PAUSE) }
                return unsafe exchange.writeBody(into: space) ?? Int(CURL_READFUNC_ABORT)
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
