#define _GNU_SOURCE
#include "bpf.h"
#include "clinux_owners.h"

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
// The stack.
enum { pointer = -8, value = pointer - 8 };

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
        FOLLOW(known, BPF_REG_10, value, pointer),
        FOLLOW(known, known, network->place, pointer),
        FOLLOW(known, known, network->number_place, pointer),
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

enum { noting_length = 22 };

// Notes that an established connection is another's. Once is enough: to find it out takes several calls.
static void write_noting(struct writer *to, int owners, uint64_t cookie, size_t sparing) {
    const short state = offsetof(struct bpf_sock, state);
    const size_t end = sparing + 9;
    WRITE(to,
        // if (known || owner->state != TCP_ESTABLISHED) goto end;
        INSTRUCTION(BPF_JMP32 | BPF_JNE | BPF_K, known, 0, (int16_t)(end + 21), 0),
        LOAD(BPF_W, BPF_REG_1, owner, state),
        INSTRUCTION(
            BPF_JMP32 | BPF_JNE | BPF_K, BPF_REG_1, 0, (int16_t)(end + 19), BPF_TCP_ESTABLISHED),
        // if (!bpf_skc_to_tcp_sock(owner) || bpf_skc_to_mptcp_sock(owner)
        //     || bpf_get_netns_cookie(packet) != cookie) goto end;
        MOVE(BPF_REG_1, owner),
        CALL(BPF_FUNC_skc_to_tcp_sock),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, (int16_t)(end + 16), 0),
        // Of a connection of several paths it may be told later whose it is.
        MOVE(BPF_REG_1, owner),
        CALL(skc_to_mptcp_sock),
        INSTRUCTION(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, (int16_t)(end + 13), 0),
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
    return bpf_attach(program, groups, BPF_CGROUP_INET_EGRESS);
}
