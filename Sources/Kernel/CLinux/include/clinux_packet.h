// Packet sockets and waiting for them: calls that need control messages, macros or structures,
// which Swift would have to build field by field for every packet. Each returns a value of zero or
// above, or -errno.
#ifndef CLINUX_PACKET_H
#define CLINUX_PACKET_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct iovec;

/// What the kernel reports of a frame besides its bytes.
struct lc_frame {
    /// Bytes written, including the virtio_net_hdr.
    uint32_t length;
    uint16_t vlan_tci;
    /// The EtherType of the tag that the kernel removed from the frame; zero if there was none.
    uint16_t vlan_protocol;
    /// When the frame arrived at the interface: CLOCK_REALTIME, nanoseconds; zero if unknown.
    int64_t realtime;
    /// Whether the frame did not fit its buffers.
    uint8_t is_truncated;
};

/// The most frames per call of lc_packet_receive and lc_packet_send.
#define LC_PACKET_BATCH 64

/// The most sockets of one receiver.
#define LC_PACKET_SOCKETS 16

/// AF_PACKET sockets with PACKET_VNET_HDR that together receive all frames arriving at an
/// interface: one, or, where net.core.rmem_max keeps its buffer small, several that fill up in
/// turn. Returns their number.
int lc_packet_receiver(int interface, int *fds);

/// A packet socket that receives what an interface sends, too.
int lc_packet_witness(int interface);

/// An AF_PACKET socket that sends to any interface and receives nothing.
int lc_beacon_socket(void);

/// Sends a frame through such a socket, without blocking.
int lc_beacon_send(int fd, int interface, const void *frame, size_t length);

/// An AF_PACKET socket with PACKET_VNET_HDR that sends to an interface and receives nothing. Its
/// packets carry `mark`, unless that is zero.
int lc_packet_sender(int interface, int bypass_qdisc, uint32_t mark);

/// recvmmsg(2), nonblocking; frame i goes to pieces[2 * i] and then pieces[2 * i + 1].
int lc_packet_receive(int fd, struct iovec *pieces, unsigned count, struct lc_frame *frames);

/// Which socket of a receiver holds the oldest frame; -EAGAIN if none holds any.
int lc_packet_oldest(const int *fds, int count);

/// sendmmsg(2), nonblocking; frame i is pieces[2 * i] and then pieces[2 * i + 1].
int lc_packet_send(int fd, struct iovec *pieces, unsigned count);

/// sendmmsg(2) on raw sockets, one for each IP version, nonblocking. Packet i is pieces[2 * i],
/// with at least its IP header, and then pieces[2 * i + 1]. Stops before the first packet of the
/// other version.
int lc_local_send(int ipv4, int ipv6, struct iovec *pieces, unsigned count);

/// Frames dropped since the last call for lack of buffer space.
int lc_packet_drops(int fd);

/// An epoll descriptor that waits for the others, which the caller still owns.
int lc_wait_create(const int *readable, int count, int timer, int event);

/// Waits until a socket is readable or the event is signalled, at most until `deadline` in
/// nanoseconds of CLOCK_MONOTONIC; zero waits without limit. Returns whether a socket may be
/// readable.
///
/// `armed` is the last timer setting, kept between the calls; zero at first.
int lc_wait(int epoll, int timer, int event, int64_t deadline, int64_t *armed);

int lc_timer_create(void);

/// Sets a timer to a time in nanoseconds of CLOCK_MONOTONIC; zero stops it.
void lc_timer_set(int timer, int64_t deadline);

/// Waits for a timer, at most `patience` nanoseconds. Returns whether its time has come.
int lc_timer_wait(int timer, int64_t patience);

int lc_event_create(void);
int lc_event_signal(int event);

/// A clock's time in nanoseconds.
int64_t lc_clock(clockid_t clock);

/// Makes the calling thread wake up as punctually as possible: smallest timer slack, and SCHED_FIFO
/// with this priority. Returns whether SCHED_FIFO was allowed.
int lc_thread_make_punctual(int priority);

/// pthread_setname_np, for ps and debuggers; names of more than 15 bytes are refused.
int lc_thread_set_name(const char *name);

#endif
