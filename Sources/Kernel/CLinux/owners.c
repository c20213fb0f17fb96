#define _GNU_SOURCE
#include "bpf.h"
#include "clinux_owners.h"

#include <linux/btf.h>
#include <linux/mount.h>
#include <stdlib.h>
#include <sys/socket.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

int lc_groups_open(void) {
    int filesystem = (int)syscall(SYS_fsopen, "cgroup2", FSOPEN_CLOEXEC);
    if (filesystem < 0) return -errno;
    int root = (int)syscall(SYS_fsconfig, filesystem, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
    if (root >= 0) root = (int)syscall(SYS_fsmount, filesystem, FSMOUNT_CLOEXEC, 0);
    int status = root < 0 ? -errno : root;
    close(filesystem);
    return status;
}

// MARK: What is known of sockets

// Describes the values of a map, which the kernel wants for sockets' maps: numbers of 32 bits.
static int describe_number(void) {
    const struct {
        struct btf_header header;
        struct btf_type number;
        uint32_t encoding;
        char names[5];
    } description = {
        .header = {.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(struct btf_header),
                   .type_len = sizeof(struct btf_type) + sizeof(uint32_t),
                   .str_off = sizeof(struct btf_type) + sizeof(uint32_t), .str_len = 5},
        .number = {.name_off = 1, .info = BTF_KIND_INT << 24, .size = sizeof(uint32_t)},
        .encoding = 32,
        .names = "\0u32",
    };
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.btf = (uintptr_t)&description;
    // The kernel takes no padding at the end.
    attributes.btf_size = offsetof(__typeof__(description), names) + sizeof description.names;
    return bpf(BPF_BTF_LOAD, &attributes);
}

int lc_owners_create(void) {
    int description = describe_number();
    if (description < 0) return description;
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_SK_STORAGE;
    attributes.key_size = sizeof(int32_t);
    attributes.value_size = sizeof(uint32_t);
    attributes.map_flags = BPF_F_NO_PREALLOC | BPF_F_CLONE;
    attributes.btf_fd = (uint32_t)description;
    attributes.btf_key_type_id = 1;
    attributes.btf_value_type_id = 1;
    int map = bpf(BPF_MAP_CREATE, &attributes);
    close(description);
    return map;
}

static int access_element(enum bpf_cmd command, int map, const void *key, const void *value) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_fd = (uint32_t)map;
    attributes.key = (uintptr_t)key;
    attributes.value = (uintptr_t)value;
    return bpf(command, &attributes);
}

int lc_owners_add(int owners, int socket, uint32_t names) {
    uint32_t former = 0;
    int status = access_element(BPF_MAP_LOOKUP_ELEM, owners, &socket, &former);
    if (status < 0 && status != -ENOENT) return status;
    uint32_t all = former | names;
    return all == former ? 0 : access_element(BPF_MAP_UPDATE_ELEM, owners, &socket, &all);
}

int lc_take_file(int process, int number) {
    long file = syscall(SYS_pidfd_getfd, process, number, 0);
    return file < 0 ? -errno : (int)file;
}

int lc_socket_network(int socket, uint64_t *network) {
    int domain = 0;
    socklen_t length = sizeof domain;
    if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0) return -errno;
    if (domain != AF_INET && domain != AF_INET6) return -EAFNOSUPPORT;
    length = sizeof *network;
    return getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, network, &length) < 0 ? -errno : 0;
}

// MARK: Who opens a socket

// FNV-1a of what follows the last slash.
static const uint64_t hash_start = 0xcbf29ce484222325, hash_factor = 0x100000001b3;

uint64_t lc_owners_hash(const uint8_t *name, size_t length) {
    uint64_t hash = hash_start;
    for (size_t number = 0; number < length; number++)
        hash = name[number] == '/' ? hash_start : (hash ^ name[number]) * hash_factor;
    return hash;
}

static int create_names(const uint64_t *hashes, const uint32_t *names, size_t count) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_HASH;
    attributes.key_size = sizeof(uint64_t);
    attributes.value_size = sizeof(uint32_t);
    attributes.max_entries = (uint32_t)count;
    int map = bpf(BPF_MAP_CREATE, &attributes);
    for (size_t number = 0; map >= 0 && number < count; number++) {
        uint32_t all = 0;
        int status = access_element(BPF_MAP_LOOKUP_ELEM, map, &hashes[number], &all);
        all |= names[number];
        if (status >= 0 || status == -ENOENT)
            status = access_element(BPF_MAP_UPDATE_ELEM, map, &hashes[number], &all);
        if (status < 0) {
            close(map);
            map = status;
        }
    }
    return map;
}

static int attach(int program, int groups, enum bpf_attach_type place) {
    if (program < 0) return program;
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.link_create.prog_fd = (uint32_t)program;
    attributes.link_create.target_fd = (uint32_t)groups;
    attributes.link_create.attach_type = place;
    int link = bpf(BPF_LINK_CREATE, &attributes);
    close(program);
    return link;
}

// The stack: a text, and below it a pointer and a number.
enum { longest = 256, text = -longest, pointer = text - 8, value = pointer - 8 };

// Seven instructions: reads a pointer of the kernel. What cannot be read is zero, from which again
// nothing can be read.
#define FOLLOW(target, from, distance) \
    MOVE(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, pointer), SET(BPF_REG_2, 8), \
    MOVE(BPF_REG_3, from), ADD(BPF_REG_3, (int32_t)(distance)), \
    CALL(BPF_FUNC_probe_read_kernel), LOAD(BPF_DW, target, BPF_REG_10, pointer)

// Ten instructions: adds the names for a text to those found. Calls what follows the program.
#define COMPARE(from, distance, read) \
    MOVE(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, text), SET(BPF_REG_2, longest), \
    MOVE(BPF_REG_3, from), ADD(BPF_REG_3, (int32_t)(distance)), CALL(read), \
    MOVE(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, text), \
    INSTRUCTION(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0), \
    INSTRUCTION(BPF_ALU64 | BPF_OR | BPF_X, found, BPF_REG_0, 0, 0)

int lc_owners_watch(
    int owners, int groups, uint64_t network, const struct lc_process_layout *layout,
    const uint64_t *hashes, const uint32_t *names, size_t count) {
    int map = create_names(hashes, names, count);
    if (map < 0) return map;
    enum { socket = BPF_REG_6, task = BPF_REG_7, found = BPF_REG_8, step = BPF_REG_9 };
    struct bpf_insn instructions[] = {
        MOVE(socket, BPF_REG_1),
        // if (bpf_get_netns_cookie(socket) != network) goto end;
        CALL(BPF_FUNC_get_netns_cookie),
        SET_WIDE(BPF_REG_2, network),
        INSTRUCTION(BPF_JMP | BPF_JNE | BPF_X, BPF_REG_0, BPF_REG_2, 84, 0),
        // found = names of task->group_leader->comm;
        SET(found, 0),
        CALL(BPF_FUNC_get_current_task),
        MOVE(task, BPF_REG_0),
        FOLLOW(step, task, layout->leader),
        COMPARE(step, layout->name, BPF_FUNC_probe_read_kernel_str),
        // found |= names of task->mm->exe_file->f_path.dentry->d_name.name;
        FOLLOW(task, task, layout->memory),
        FOLLOW(step, task, layout->executable),
        FOLLOW(step, step, layout->entry),
        FOLLOW(step, step, layout->title),
        COMPARE(step, 0, BPF_FUNC_probe_read_kernel_str),
        // found |= names of the first argument, at task->mm->arg_start;
        FOLLOW(step, task, layout->arguments),
        COMPARE(step, 0, BPF_FUNC_probe_read_user_str),
        // if (found) bpf_sk_storage_get(owners, socket, &found, BPF_SK_STORAGE_GET_F_CREATE);
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, found, 0, 8, 0),
        STORE(BPF_W, BPF_REG_10, value, found),
        SET_MAP(BPF_REG_1, owners),
        MOVE(BPF_REG_2, socket),
        MOVE(BPF_REG_3, BPF_REG_10),
        ADD(BPF_REG_3, value),
        SET(BPF_REG_4, BPF_SK_STORAGE_GET_F_CREATE),
        CALL(BPF_FUNC_sk_storage_get),
        // end: return 1, which allows the socket;
        SET(BPF_REG_0, 1),
        RETURN,
        // The function: the names for a text, which register 1 points to. hash = hash_start;
        SET_WIDE(BPF_REG_0, hash_start),
        SET_WIDE(BPF_REG_5, hash_factor),
        SET(BPF_REG_4, longest),
        // next: if (*text == 0) goto whole;
        LOAD(BPF_B, BPF_REG_3, BPF_REG_1, 0),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_3, 0, 9, 0),
        // hash = *text == '/' ? hash_start : (hash ^ *text) * hash_factor;
        INSTRUCTION(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_3, 0, 3, '/'),
        SET_WIDE(BPF_REG_0, hash_start),
        GO(2),
        INSTRUCTION(BPF_ALU64 | BPF_XOR | BPF_X, BPF_REG_0, BPF_REG_3, 0, 0),
        INSTRUCTION(BPF_ALU64 | BPF_MUL | BPF_X, BPF_REG_0, BPF_REG_5, 0, 0),
        // if (++text < end) goto next;
        ADD(BPF_REG_1, 1),
        ADD(BPF_REG_4, -1),
        INSTRUCTION(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_4, 0, -11, 0),
        // whole: names = bpf_map_lookup_elem(map, &hash);
        STORE(BPF_DW, BPF_REG_10, -8, BPF_REG_0),
        SET_MAP(BPF_REG_1, map),
        MOVE(BPF_REG_2, BPF_REG_10),
        ADD(BPF_REG_2, -8),
        CALL(BPF_FUNC_map_lookup_elem),
        // return names ? *names : 0;
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 1, 0),
        LOAD(BPF_W, BPF_REG_0, BPF_REG_0, 0),
        RETURN,
    };
    const int function = 91;
    for (int number = 0; number < function; number++) {
        if (instructions[number].src_reg == BPF_PSEUDO_CALL
            && instructions[number].code == (BPF_JMP | BPF_CALL))
            instructions[number].imm = function - number - 1;
    }
    int program = bpf_load(
        BPF_PROG_TYPE_CGROUP_SOCK, BPF_CGROUP_INET_SOCK_CREATE, instructions, COUNT(instructions));
    close(map);
    return attach(program, groups, BPF_CGROUP_INET_SOCK_CREATE);
}

// MARK: What a socket sends

// A program that is written instruction by instruction.
struct writer {
    struct bpf_insn *instructions;
    size_t count;
};

static void write_all(struct writer *to, const struct bpf_insn *instructions, size_t count) {
    memcpy(to->instructions + to->count, instructions, count * sizeof *instructions);
    to->count += count;
}

#define WRITE(to, ...) \
    write_all(to, (const struct bpf_insn[]){__VA_ARGS__}, \
              COUNT(((const struct bpf_insn[]){__VA_ARGS__})))

// BPF_FUNC_skc_to_mptcp_sock, since Linux 5.19.
enum { skc_to_mptcp_sock = 196 };
enum { packet = BPF_REG_6, known = BPF_REG_7, owner = BPF_REG_8, way = BPF_REG_9 };
enum { rule_length = 7, rest_length = 128 };

static int has_names(const struct lc_owner_rule *rules, size_t count) {
    for (size_t number = 0; number < count; number++)
        if (!rules[number].names) return 0;
    return 1;
}

// Ends the program, unless the owner is a socket of a network.
static void write_network(struct writer *to, const struct lc_network *network) {
    WRITE(to,
        // Only a copy of the owner's address is a number, to which others may be added.
        STORE(BPF_DW, BPF_REG_10, value, owner),
        FOLLOW(known, BPF_REG_10, value),
        FOLLOW(known, known, network->place),
        FOLLOW(known, known, network->number_place),
        INSTRUCTION(BPF_JMP32 | BPF_JEQ | BPF_K, known, 0, 2, (int32_t)network->number),
        SET(BPF_REG_0, 1),
        RETURN);
}

// known = what is known of the socket in register 2, if it is one.
static void write_search(struct writer *to, int owners) {
    WRITE(to,
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_2, 0, 7, 0),
        SET_MAP(BPF_REG_1, owners),
        SET(BPF_REG_3, 0),
        SET(BPF_REG_4, 0),
        CALL(BPF_FUNC_sk_storage_get),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 1, 0),
        LOAD(BPF_W, known, BPF_REG_0, 0));
}

// Known of sockets whose established connection is another's. Names have the other bits.
static const int32_t others = INT32_MIN;

// known = the names of the owner, as bits. Jumps `beyond` what follows if it is known to be another's.
static void write_names(struct writer *to, int owners, int has_subflows, int16_t beyond) {
    WRITE(to,
        SET(known, 0),
        MOVE(BPF_REG_2, owner));
    write_search(to, owners);
    const int16_t rest = has_subflows ? 12 : 0;
    WRITE(to, INSTRUCTION(BPF_JMP32 | BPF_JEQ | BPF_K, known, 0, (int16_t)(rest + beyond), others));
    if (!has_subflows) return;
    // A connection of several paths has a socket for each, and one that the process opened.
    // if (known == 0) search(bpf_skc_to_mptcp_sock(owner));
    WRITE(to,
        INSTRUCTION(BPF_JMP | BPF_JNE | BPF_K, known, 0, 11, 0),
        MOVE(BPF_REG_1, owner),
        CALL(skc_to_mptcp_sock),
        MOVE(BPF_REG_2, BPF_REG_0));
    write_search(to, owners);
}

enum { noting_length = 19 };

// Notes that an established connection is another's. Once is enough: to find it out takes several calls.
static void write_noting(struct writer *to, int owners, uint64_t cookie, size_t sparing) {
    const short state = offsetof(struct bpf_sock, state);
    const size_t end = sparing + 9;
    WRITE(to,
        // if (known || owner->state != TCP_ESTABLISHED) goto end;
        INSTRUCTION(BPF_JMP32 | BPF_JNE | BPF_K, known, 0, (int16_t)(end + 18), 0),
        LOAD(BPF_W, BPF_REG_1, owner, state),
        INSTRUCTION(
            BPF_JMP32 | BPF_JNE | BPF_K, BPF_REG_1, 0, (int16_t)(end + 16), BPF_TCP_ESTABLISHED),
        // if (!bpf_skc_to_tcp_sock(owner) || bpf_get_netns_cookie(packet) != cookie) goto end;
        MOVE(BPF_REG_1, owner),
        CALL(BPF_FUNC_skc_to_tcp_sock),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, (int16_t)(end + 13), 0),
        MOVE(BPF_REG_1, packet),
        CALL(BPF_FUNC_get_netns_cookie),
        SET_WIDE(BPF_REG_2, cookie),
        INSTRUCTION(BPF_JMP | BPF_JNE | BPF_X, BPF_REG_0, BPF_REG_2, (int16_t)(end + 8), 0),
        // bpf_sk_storage_get(owners, owner, &others, BPF_SK_STORAGE_GET_F_CREATE);
        INSTRUCTION(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, value, others),
        SET_MAP(BPF_REG_1, owners),
        MOVE(BPF_REG_2, owner),
        MOVE(BPF_REG_3, BPF_REG_10),
        ADD(BPF_REG_3, value),
        SET(BPF_REG_4, BPF_SK_STORAGE_GET_F_CREATE),
        CALL(BPF_FUNC_sk_storage_get));
}

// Established connections of others get the spared mark where nothing else matters, and the program
// ends. Those that have a mark keep it.
static void write_sparing(
    struct writer *to, struct lc_owner_mark mark, const struct lc_owner_rule *rules, size_t count,
    size_t sparing) {
    const short mark_place = offsetof(struct __sk_buff, mark), state = offsetof(struct bpf_sock, state);
    // if (packet->mark || way is no interface of these rules) goto end;
    WRITE(to,
        LOAD(BPF_W, BPF_REG_1, packet, mark_place),
        INSTRUCTION(BPF_JMP32 | BPF_JNE | BPF_K, BPF_REG_1, 0, (int16_t)(sparing + 7), 0));
    for (size_t number = 0, left = sparing; number < count; number++) {
        if (rules[number].spares)
            WRITE(to, INSTRUCTION(BPF_JMP32 | BPF_JEQ | BPF_K, way, 0, (int16_t)left--,
                                  (int32_t)rules[number].interface));
    }
    WRITE(to,
        GO(6),
        // The socket may have been connected anew.
        // if (owner->state != TCP_ESTABLISHED) goto end;
        LOAD(BPF_W, BPF_REG_1, owner, state),
        INSTRUCTION(BPF_JMP32 | BPF_JNE | BPF_K, BPF_REG_1, 0, 4, BPF_TCP_ESTABLISHED),
        INSTRUCTION(BPF_ALU | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, (int32_t)mark.spared),
        STORE(BPF_W, packet, mark_place, BPF_REG_1),
        SET(BPF_REG_0, 1),
        RETURN);
        // end:
}

static size_t count_sparing(const struct lc_owner_rule *rules, size_t count) {
    size_t sparing = 0;
    for (size_t number = 0; number < count; number++) sparing += rules[number].spares ? 1 : 0;
    return sparing;
}

static int load_marker(
    int owners, const struct lc_network *network, struct lc_owner_mark mark,
    const struct lc_owner_rule *rules, size_t count, int has_subflows, int has_cookies) {
    struct bpf_insn instructions[LC_OWNER_RULES * rule_length + rest_length];
    struct writer writer = {instructions, 0}, *to = &writer;
    const short socket = offsetof(struct __sk_buff, sk), place = offsetof(struct __sk_buff, ifindex),
                mark_place = offsetof(struct __sk_buff, mark);
    // way = packet->ifindex; if (no rule has way as interface || !(owner = packet->sk)) goto end;
    WRITE(to, MOVE(packet, BPF_REG_1), LOAD(BPF_W, way, packet, place));
    for (size_t number = 0; number < count; number++)
        WRITE(to, INSTRUCTION(
            BPF_JMP32 | BPF_JEQ | BPF_K, way, 0, (int16_t)(count - number - 1 + 2),
            (int32_t)rules[number].interface));
    WRITE(to,
        SET(BPF_REG_0, 1),
        RETURN,
        LOAD(BPF_DW, owner, packet, socket),
        INSTRUCTION(BPF_JMP | BPF_JNE | BPF_K, owner, 0, 2, 0),
        SET(BPF_REG_0, 1),
        RETURN);
    // Only sockets of the network are noted with names.
    if (!has_names(rules, count)) write_network(to, network);
    const size_t sparing = has_cookies ? count_sparing(rules, count) : 0;
    if (owners >= 0) write_names(to, owners, has_subflows, sparing ? noting_length : 0);
    if (sparing) {
        write_noting(to, owners, network->cookie, sparing);
        write_sparing(to, mark, rules, count, sparing);
    }
    enum { old = BPF_REG_2, new = BPF_REG_4 };
    // new = old = packet->mark; if (old == spared) goto end;
    WRITE(to,
        LOAD(BPF_W, old, packet, mark_place),
        MOVE(new, old),
        INSTRUCTION(BPF_JMP32 | BPF_JNE | BPF_K, old, 0, 2, (int32_t)mark.spared),
        SET(BPF_REG_0, 1),
        RETURN,
        // if ((new & mask) != tag) new = tag;
        MOVE(BPF_REG_1, new),
        INSTRUCTION(BPF_ALU | BPF_AND | BPF_K, BPF_REG_1, 0, 0, (int32_t)mark.mask),
        INSTRUCTION(BPF_JMP32 | BPF_JEQ | BPF_K, BPF_REG_1, 0, 1, (int32_t)mark.tag),
        INSTRUCTION(BPF_ALU | BPF_MOV | BPF_K, new, 0, 0, (int32_t)mark.tag));
    for (size_t number = 0; number < count; number++) {
        struct lc_owner_rule rule = rules[number];
        // if (way == interface && (!names || known & names)) new |= bit;
        WRITE(to, INSTRUCTION(BPF_JMP32 | BPF_JNE | BPF_K, way, 0, rule.names ? 4 : 1,
                              (int32_t)rule.interface));
        if (rule.names)
            WRITE(to,
                MOVE(BPF_REG_1, known),
                INSTRUCTION(BPF_ALU | BPF_AND | BPF_K, BPF_REG_1, 0, 0, (int32_t)rule.names),
                INSTRUCTION(BPF_JMP32 | BPF_JEQ | BPF_K, BPF_REG_1, 0, 1, 0));
        WRITE(to, INSTRUCTION(BPF_ALU | BPF_OR | BPF_K, new, 0, 0, (int32_t)rule.bit));
    }
    // A mark without bits says nothing, and must not take the place of another.
    // if (new != tag) packet->mark = new;
    WRITE(to,
        INSTRUCTION(BPF_JMP32 | BPF_JEQ | BPF_K, new, 0, 1, (int32_t)mark.tag),
        STORE(BPF_W, packet, mark_place, new),
        // end: return 1, which lets it pass;
        SET(BPF_REG_0, 1),
        RETURN);
    return bpf_load(
        BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_EGRESS, writer.instructions, writer.count);
}

int lc_owners_mark(
    int owners, int groups, const struct lc_network *network, struct lc_owner_mark mark,
    const struct lc_owner_rule *rules, size_t count) {
    if (count > LC_OWNER_RULES) return -E2BIG;
    int program = load_marker(owners, network, mark, rules, count, 1, 1);
    // Older kernels do not tell the cookie here.
    if (program < 0) program = load_marker(owners, network, mark, rules, count, 1, 0);
    // Kernels without connections of several paths do not know their sockets.
    if (program < 0) program = load_marker(owners, network, mark, rules, count, 0, 0);
    return attach(program, groups, BPF_CGROUP_INET_EGRESS);
}
