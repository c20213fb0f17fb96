// Programs (eBPF) that recognise sockets by the name of the process that opened them or by their control
// group, and mark what such sockets send. Each function returns a value of zero or above, often a file descriptor, or
// -errno.
#ifndef CLINUX_OWNERS_H
#define CLINUX_OWNERS_H

#include <stddef.h>
#include <stdint.h>

/// Where the kernel keeps what tells the names of a process, as distances in bytes within its
/// structures.
struct lc_process_layout {
    /// In a task: its first thread, the thread's name, and its memory.
    uint32_t leader, name, memory;
    /// In the memory: the file that runs, and the address of the arguments.
    uint32_t executable, arguments;
    /// In the file: its directory entry; and in that, its name.
    uint32_t entry, title;
};

/// A network namespace, and where the kernel keeps its number.
struct lc_network {
    /// In a socket: its network, as a distance in bytes.
    uint32_t place;
    /// In a network: its number, which is that of the file in /proc.
    uint32_t number_place;
    /// The number.
    uint32_t number;
    /// Another number, which is never used again.
    uint64_t cookie;
};

/// What to do with a packet that leaves by an interface.
struct lc_owner_rule {
    /// The index of the interface.
    uint32_t interface;
    /// The names, as bits, of which its socket must have one; 0 if the name does not matter.
    uint32_t names;
    /// The bit of the mark that says so.
    uint32_t bit;
    /// Whether nothing else matters of what leaves there, so that others may have the spared mark. For
    /// rules with names.
    uint32_t spares;
};

/// What a mark looks like.
struct lc_owner_mark {
    /// What the bits under the mask are in each mark that has bits for rules.
    uint32_t tag, mask;
    /// Packets with this mark are left alone, and get it to be left alone.
    uint32_t spared;
};

/// The root of the control groups of version 2, mounted nowhere.
int lc_groups_open(void);

/// Holds for each socket which names its owner has, as bits. Sockets that a listening one accepts
/// inherit them.
int lc_owners_create(void);

/// What `hash` is to be when names are noted.
uint64_t lc_owners_hash(const uint8_t *name, size_t length);

/// From now on notes the names of whoever opens a socket in a network namespace, of those in the
/// list, whose hashes may occur several times. Ends when the descriptor is closed.
int lc_owners_watch(
    int owners, int groups, uint64_t network, const struct lc_process_layout *layout,
    const uint64_t *hashes, const uint32_t *names, size_t count);

/// Adds to the names of an open socket's owner. Zero does nothing.
int lc_owners_add(int owners, int socket, uint32_t names);

/// The most rules.
enum { LC_OWNER_RULES = 128 };

/// From now on marks packets of the sockets of a control group, and of groups below it. Ends when the
/// descriptor is closed, or the group is removed. The sockets must be of the network. Without `owners`
/// (-1) the rules have no names.
int lc_owners_mark(
    int owners, int groups, const struct lc_network *network, struct lc_owner_mark mark,
    const struct lc_owner_rule *rules, size_t count);

/// Opens the file that is open in another process under a number. Equivalent to pidfd_getfd(2),
/// since Linux 5.6.
int lc_take_file(int process, int number);

/// A number for the network namespace of an IP socket; -EAFNOSUPPORT of another kind of socket.
int lc_socket_network(int socket, uint64_t *network);

#endif
