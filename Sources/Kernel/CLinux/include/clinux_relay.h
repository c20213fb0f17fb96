// Sockets of the relay between a sandbox and the host's network. Each function returns a value of
// zero or above, or -errno.
#ifndef CLINUX_RELAY_H
#define CLINUX_RELAY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// An address and a port in host byte order; IPv4 has its 32 bits in `low`.
struct lc_endpoint {
    uint64_t high;
    uint64_t low;
    uint16_t port;
    uint8_t is_ipv6;
};

/// The kind of socket that `lc_transparent_socket` makes.
enum lc_transparent_kind {
    LC_TRANSPARENT_LISTENER,
    LC_TRANSPARENT_MULTIPATH_LISTENER,
    LC_TRANSPARENT_DATAGRAM,
};

/// A nonblocking socket with IP_TRANSPARENT on this port, or, if it is zero, on a port that the
/// kernel chooses: a listener for TCP, one for TCP and Multipath TCP, or a UDP socket that reports
/// the original destinations of its datagrams.
int lc_transparent_socket(enum lc_transparent_kind kind, int is_ipv6, uint16_t port);

/// The port to which a socket is bound.
int lc_bound_port(int fd);

/// A nonblocking raw socket that sends whole IP packets, marked with `mark`, and receives none.
int lc_raw_sender(int is_ipv6, uint32_t mark);

/// A nonblocking packet socket that receives the TCP SYNs and ICMP echo requests that arrive at an
/// interface, from the IP header on; and the beginning of packets of protocols other than TCP, UDP
/// and ICMP.
int lc_packet_tap(uint32_t interface);

/// recvmsg on a packet tap. `is_unfinished` becomes 1 if the transport checksum was left to a
/// network card (checksum offload).
int lc_receive_tapped(int fd, void *buffer, size_t capacity, int *is_unfinished);

/// sendto on a raw sender.
int lc_send_raw(int fd, const void *packet, size_t length, struct lc_endpoint to);

/// accept4 on a transparent listener: returns the socket, its peer and the original destination. At
/// most `unsent_limit` bytes wait in the socket to be sent for the first time.
int lc_accept(
    int fd, uint32_t unsent_limit, struct lc_endpoint *peer, struct lc_endpoint *destination);

/// What keeps the other end of a TCP connection from running ahead: how many bytes may wait in the
/// socket to be sent for the first time, the largest segment in both directions, the initial size
/// of the receive buffer, whether that grows, and whether the host's congestion control may pace it.
struct lc_stream_shape {
    uint32_t unsent_limit;
    uint32_t segment_size;
    uint32_t receive_buffer;
    int grows;
    int is_paced;
};

/// Gives a TCP socket, or those that a listener will accept, a congestion control without pacing.
void lc_send_unpaced(int fd);

/// A nonblocking TCP socket that starts to connect.
int lc_connect_stream(struct lc_endpoint to, struct lc_stream_shape shape);

/// A nonblocking TCP listener whose connections have this shape.
int lc_listen_stream(struct lc_endpoint at, struct lc_stream_shape shape);

/// Makes a listener refuse connections, even if other processes have copies of its descriptor.
int lc_stop_listening(int fd);

/// Starts to connect with the kernel's own shape, but for how many bytes may wait to be sent for the
/// first time.
int lc_connect_stream_unsent(struct lc_endpoint to, uint32_t unsent_limit);

/// A nonblocking TCP socket that starts to connect from an address. At most `unsent_limit` bytes
/// wait in the socket to be sent for the first time.
int lc_connect_stream_from(
    struct lc_endpoint from, struct lc_endpoint to, uint32_t mark, uint32_t unsent_limit);

/// A nonblocking UDP socket at an address and a port, which reports the destinations of its
/// datagrams.
int lc_bind_datagram(struct lc_endpoint at);

/// A nonblocking UDP socket at an address, connected to one peer.
int lc_connect_datagram_from(struct lc_endpoint from, struct lc_endpoint to);

/// The same as `lc_connect_stream` with the shape that the kernel gives it.
int lc_connect_unshaped_stream(struct lc_endpoint to);

/// A nonblocking connected ping socket (ICMP echo without privileges), which keeps errors for
/// `lc_take_datagram_error`. Where the host forbids those, a raw socket with `*is_raw` set, which
/// receives every echo reply of that host; -EPERM if that is forbidden as well.
int lc_connect_echo(struct lc_endpoint to, int *is_raw);

/// The error on a socket since the last call, as a positive errno, or 0.
int lc_take_error(int fd);

/// How many bytes sent over a TCP socket the other end has not acknowledged, or a negative errno.
int lc_unacknowledged(int fd);

/// Makes close() send RST instead of FIN, or FIN again.
int lc_reset_on_close(int fd, int resets);

/// Sends descriptors over a Unix socket.
int lc_send_descriptors(int fd, const int *descriptors, int count);

/// Receives up to `capacity` descriptors, which are close-on-exec; returns their number.
int lc_receive_descriptors(int fd, int *descriptors, int capacity);

/// epoll_create1 with EPOLL_CLOEXEC.
int lc_event_queue(void);

/// pipe2 with O_CLOEXEC: the read end, then the write end.
int lc_pipe_ends(int *ends);

/// A nonblocking pipe: the read end, then the write end. It takes `capacity` bytes unless the kernel
/// allows less.
int lc_conduit(int *ends, int capacity);

/// splice without waiting: moves at most `limit` bytes from or to a pipe. Returns their number, or -1
/// with errno.
ssize_t lc_splice(int from, int to, size_t limit);

/// Watches a descriptor for readability and writability, edge-triggered or not.
int lc_watch(int epoll, int fd, uint64_t token, int is_edge_triggered);

/// epoll_ctl(EPOLL_CTL_DEL): for a descriptor whose file others keep open.
int lc_unwatch(int epoll, int fd);

/// Waits for events and returns their number. Fills in their tokens, and whether each is readable
/// (1), writable (2) or both (3).
int lc_wait_events(
    int epoll, uint64_t *tokens, uint8_t *meanings, int capacity, int timeout_milliseconds);

/// The soft limit of open descriptors.
int lc_descriptor_limit(void);

/// How many bytes of addresses the process may have; 0 without a limit.
unsigned long long lc_address_space_limit(void);

/// How many of the first 1024 descriptors are open.
int lc_open_descriptors(void);

/// Raises the soft limit of open descriptors to the hard one; returns it.
int lc_raise_descriptor_limit(void);

#endif
