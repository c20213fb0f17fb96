// Packet sockets, and waiting for them: what needs control messages, macros or structures that
// Swift would have to build field by field for every packet. Each returns a value of zero or
// above, or -errno.
#ifndef CLINUX_PACKET_H
#define CLINUX_PACKET_H

#include <stddef.h>
#include <stdint.h>

struct iovec;

/// What the kernel says of a frame beside its bytes.
struct lc_frame {
    /// Bytes written, the virtio_net_hdr included.
    uint32_t length;
    uint16_t vlan_tci;
    /// The EtherType of the tag that the kernel took out of the frame; zero if there was none.
    uint16_t vlan_protocol;
    /// When the frame came to the interface: CLOCK_REALTIME, nanoseconds; zero if unknown.
    int64_t realtime;
    /// Whether the frame was longer than its buffers.
    uint8_t is_truncated;
};

/// The most frames of one call of lc_packet_receive and lc_packet_send.
#define LC_PACKET_BATCH 64

/// The most sockets of one receiver.
#define LC_PACKET_SOCKETS 16

/// AF_PACKET sockets with PACKET_VNET_HDR that together get all frames which come to an interface:
/// one, or where net.core.rmem_max keeps its buffer small, several that fill up in turn.
/// Returns how many.
int lc_packet_receiver(int interface, int *fds);

/// An AF_PACKET socket that sends to any interface and gets nothing.
int lc_beacon_socket(void);

/// Sends a frame by such a socket, never waiting.
int lc_beacon_send(int fd, int interface, const void *frame, size_t length);

/// An AF_PACKET socket with PACKET_VNET_HDR that sends to an interface and gets nothing. What it
/// sends carries `mark`, unless that is zero.
int lc_packet_sender(int interface, int bypass_qdisc, uint32_t mark);

/// recvmmsg(2), not waiting; frame i goes to pieces[2 * i] and then pieces[2 * i + 1].
int lc_packet_receive(int fd, struct iovec *pieces, unsigned count, struct lc_frame *frames);

/// Which of the sockets of a receiver holds the frame that came first; -EAGAIN if none has any.
int lc_packet_oldest(const int *fds, int count);

/// sendmmsg(2), not waiting; frame i is pieces[2 * i] and then pieces[2 * i + 1].
int lc_packet_send(int fd, struct iovec *pieces, unsigned count);

/// sendmmsg(2) on raw senders, one for each version of IP, not waiting; packet i is
/// pieces[2 * i], with at least its IP header, and then pieces[2 * i + 1]. Sends no further than
/// the first packet of the other version.
int lc_local_send(int ipv4, int ipv6, struct iovec *pieces, unsigned count);

/// Frames that the socket had no room for since the last call.
int lc_packet_drops(int fd);

/// An epoll descriptor that waits for the others, which stay the caller's.
int lc_wait_create(const int *readable, int count, int timer, int event);

/// Waits until there is something to read or somebody signalled the event, at most until the time
/// `deadline` of CLOCK_MONOTONIC in nanoseconds; zero waits without limit. Returns whether there
/// may be something to read.
///
/// `armed` is what the timer was last set to, kept between the calls; zero at first.
int lc_wait(int epoll, int timer, int event, int64_t deadline, int64_t *armed);

int lc_timer_create(void);
int lc_event_create(void);
int lc_event_signal(int event);

/// A clock's time in nanoseconds.
int64_t lc_clock_monotonic(void);
int64_t lc_clock_realtime(void);
/// The processor time that the calling thread or its process has had.
int64_t lc_clock_thread(void);
int64_t lc_clock_process(void);

/// Makes the calling thread wake up as punctually as it may: the smallest timer slack, and
/// SCHED_FIFO with this priority. Says whether the latter was allowed.
int lc_thread_make_punctual(int priority);

/// pthread_setname_np, for ps and debuggers; names of more than 15 bytes are refused.
int lc_thread_set_name(const char *name);

#endif
