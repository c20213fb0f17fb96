import CSystemd
import Glibc
public import SystemPackage

/// A connection to a message bus, for use by one thread. A thin layer over libsystemd's sd-bus.
///
/// There are no callbacks: the owner waits for the descriptor, takes messages one by one, and
/// answers calls. sd-bus answers pings itself.
@safe
public final class BusConnection {
    private let bus: OpaquePointer

    /// Connects to the bus at an address, such as `unix:path=/run/dbus/system_bus_socket`.
    public init(address: String) throws(BusError) {
        var bus: OpaquePointer?
        var status = unsafe sd_bus_new(&bus)
        guard status >= 0, let bus = unsafe bus else {
            throw Self.error("connect to a bus", status)
        }
        unsafe self.bus = bus
        status = unsafe sd_bus_set_address(bus, address)
        if status >= 0 { status = unsafe sd_bus_set_bus_client(bus, 1) }
        if status >= 0 { status = unsafe sd_bus_start(bus) }
        guard status >= 0 else { throw Self.error("connect to the bus at \(address)", status) }
    }

    /// Connects to the system bus; `DBUS_SYSTEM_BUS_ADDRESS` overrides its address.
    public init() throws(BusError) {
        var bus: OpaquePointer?
        let status = unsafe sd_bus_open_system(&bus)
        guard status >= 0, let bus = unsafe bus else {
            throw Self.error("connect to the system bus", status)
        }
        unsafe self.bus = bus
    }

    deinit {
        unsafe sd_bus_flush_close_unref(bus)
    }

    /// The file descriptor to wait for before calling `next()`.
    public var descriptor: FileDescriptor {
        FileDescriptor(rawValue: unsafe sd_bus_get_fd(bus))
    }

    /// Acquires a well-known name, which must be free.
    public func own(_ name: String) throws(BusError) {
        let status = unsafe sd_bus_request_name(bus, name, 0)
        guard status >= 0 else { throw Self.error("own the name \(name)", status) }
    }

    /// The next message; nil if there is none yet.
    ///
    /// - Throws: If the bus has disconnected.
    public func next() throws(BusError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let status = unsafe sd_bus_process(bus, &message)
            guard status >= 0 else { throw Self.error("read from the bus", status) }
            if let message = unsafe message { return unsafe BusMessage(adopting: message) }
            guard status > 0 else { return nil }
        }
    }

    /// Calls a method and waits for its reply.
    public func call(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [BusValue] = [], within patience: Duration = .seconds(25)
    ) throws(BusError) -> [BusValue] {
        let attempt = "call \(member) of \(interface)"
        var call: OpaquePointer?
        let status = unsafe sd_bus_message_new_method_call(
            bus, &call, destination, path.text, interface, member)
        guard status >= 0, let call = unsafe call else { throw Self.error(attempt, status) }
        defer { unsafe sd_bus_message_unref(call) }
        unsafe try MessageWriter(message: call).append(arguments)
        var failure = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&failure) }
        var answer: OpaquePointer?
        let limit = UInt64(max(1, patience / .microseconds(1)))
        let sent = unsafe sd_bus_call(bus, call, limit, &failure, &answer)
        guard sent >= 0, let answer = unsafe answer else {
            throw BusError(
                attempt: attempt, name: unsafe failure.name.map { unsafe String(cString: $0) },
                reason: unsafe failure.message.map { unsafe String(cString: $0) }
                    ?? Self.reason(sent))
        }
        return try unsafe BusMessage(adopting: answer).arguments()
    }

    /// Answers a call.
    public func answer(_ call: BusMessage, with values: [BusValue]) throws(BusError) {
        var message: OpaquePointer?
        let status = unsafe sd_bus_message_new_method_return(call.message, &message)
        unsafe try send(message, status, values)
    }

    /// Answers a call with the error `name`.
    public func refuse(_ call: BusMessage, _ name: String, _ text: String) throws(BusError) {
        var message: OpaquePointer?
        let status = unsafe name.withCString { name in
            unsafe text.withCString { text in
                var failure = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                return unsafe sd_bus_message_new_method_error(call.message, &message, &failure)
            }
        }
        unsafe try send(message, status, [])
    }

    /// Emits a signal.
    public func emit(
        _ path: ObjectPath, _ interface: String, _ member: String, _ values: [BusValue]
    ) throws(BusError) {
        var message: OpaquePointer?
        let status = unsafe sd_bus_message_new_signal(bus, &message, path.text, interface, member)
        unsafe try send(message, status, values)
    }

    private func send(
        _ message: OpaquePointer?, _ made: Int32, _ values: [BusValue]
    ) throws(BusError) {
        guard made >= 0, let message = unsafe message else {
            throw Self.error("write a message", made)
        }
        defer { unsafe sd_bus_message_unref(message) }
        unsafe try MessageWriter(message: message).append(values)
        var status = unsafe sd_bus_send(bus, message, nil)
        // Otherwise queued output would wait until the next message arrives.
        if status >= 0 { status = unsafe sd_bus_flush(bus) }
        guard status >= 0 else { throw Self.error("send a message", status) }
    }

    private static func error(_ attempt: String, _ status: Int32) -> BusError {
        BusError(attempt: attempt, reason: reason(status))
    }

    private static func reason(_ status: Int32) -> String {
        Errno(rawValue: -status).description
    }
}
