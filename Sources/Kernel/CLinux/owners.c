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

// The stack: a text, and below it a pointer and a number.
enum { longest = 256, text = -longest, pointer = text - 8, value = pointer - 8 };

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
        FOLLOW(step, task, layout->leader, pointer),
        COMPARE(step, layout->name, BPF_FUNC_probe_read_kernel_str),
        // found |= names of task->mm->exe_file->f_path.dentry->d_name.name;
        FOLLOW(task, task, layout->memory, pointer),
        FOLLOW(step, task, layout->executable, pointer),
        FOLLOW(step, step, layout->entry, pointer),
        FOLLOW(step, step, layout->title, pointer),
        COMPARE(step, 0, BPF_FUNC_probe_read_kernel_str),
        // found |= names of the first argument, at task->mm->arg_start;
        FOLLOW(step, task, layout->arguments, pointer),
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
    return bpf_attach(program, groups, BPF_CGROUP_INET_SOCK_CREATE);
}
