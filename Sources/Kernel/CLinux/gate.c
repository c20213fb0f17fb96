#define _GNU_SOURCE
#include "bpf.h"
#include "clinux_gate.h"
#include "clinux_packet.h"

#include <linux/if_packet.h>
#include <linux/pkt_cls.h>

static int load(const struct bpf_insn *instructions, size_t count) {
    return bpf_load(BPF_PROG_TYPE_SCHED_CLS, 0, instructions, count);
}

// Six instructions: the address of a map's first element, or zero. BPF_REG_10 is the stack.
#define LOOK_UP_FIRST(map) \
    INSTRUCTION(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, 0), \
    MOVE(BPF_REG_2, BPF_REG_10), \
    ADD(BPF_REG_2, -4), \
    SET_MAP(BPF_REG_1, map), \
    CALL(BPF_FUNC_map_lookup_elem)

// Loads a program whose number is in `map`, which becomes `*kept`, or is closed if that fails.
static int load_with(
    int map, int *kept, const struct bpf_insn *instructions, size_t count) {
    int program = load(instructions, count);
    if (program < 0) {
        close(map);
        return program;
    }
    *kept = map;
    return program;
}

// A map of one number.
static int create_value(void) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = sizeof(uint32_t);
    attributes.value_size = sizeof(uint64_t);
    attributes.max_entries = 1;
    return bpf(BPF_MAP_CREATE, &attributes);
}

int lc_gate_create(uint32_t mark, int *hold) {
    int moment = create_value();
    if (moment < 0) return moment;
    enum { context = BPF_REG_6, until = BPF_REG_7 };
    const short mark_offset = offsetof(struct __sk_buff, mark);
    const struct bpf_insn instructions[] = {
        MOVE(context, BPF_REG_1),
        // if (packet->mark == mark) goto own;
        INSTRUCTION(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, context, mark_offset, 0),
        INSTRUCTION(BPF_ALU | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, (int32_t)mark),
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_X, BPF_REG_2, BPF_REG_3, 12, 0),
        // moment = bpf_map_lookup_elem(map, &(uint32_t){0});
        LOOK_UP_FIRST(moment),
        // if (moment == NULL || bpf_ktime_get_ns() > *moment) goto pass;
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 7, 0),
        INSTRUCTION(BPF_LDX | BPF_MEM | BPF_DW, until, BPF_REG_0, 0, 0),
        CALL(BPF_FUNC_ktime_get_ns),
        INSTRUCTION(BPF_JMP | BPF_JGT | BPF_X, BPF_REG_0, until, 4, 0),
        // return TC_ACT_UNSPEC;
        SET(BPF_REG_0, TC_ACT_UNSPEC),
        RETURN,
        // own: packet->mark = 0;
        SET(BPF_REG_1, 0),
        INSTRUCTION(BPF_STX | BPF_MEM | BPF_W, context, BPF_REG_1, mark_offset, 0),
        // pass: return TC_ACT_OK;
        SET(BPF_REG_0, TC_ACT_OK),
        RETURN,
    };
    return load_with(moment, hold, instructions, COUNT(instructions));
}

static int write_first(int map, uint64_t value) {
    uint32_t key = 0;
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_fd = (uint32_t)map;
    attributes.key = (uintptr_t)&key;
    attributes.value = (uintptr_t)&value;
    return bpf(BPF_MAP_UPDATE_ELEM, &attributes);
}

int lc_gate_hold(int hold, uint64_t moment) { return write_first(hold, moment); }

// Writes the time that packet programs see to the map `moment`. Returns its file descriptor.
static int create_watch(int moment) {
    enum { now = BPF_REG_6 };
    const struct bpf_insn instructions[] = {
        // now = bpf_ktime_get_ns();
        CALL(BPF_FUNC_ktime_get_ns),
        MOVE(now, BPF_REG_0),
        // moment = bpf_map_lookup_elem(map, &(uint32_t){0});
        LOOK_UP_FIRST(moment),
        // if (moment != NULL) *moment = now;
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 1, 0),
        INSTRUCTION(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, now, 0, 0),
        SET(BPF_REG_0, TC_ACT_OK),
        RETURN,
    };
    return load(instructions, COUNT(instructions));
}

// Runs a program once, on a packet of zeros that is sent nowhere.
static int run(int program) {
    const uint8_t packet[64] = {0};
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.test.prog_fd = (uint32_t)program;
    attributes.test.data_in = (uintptr_t)packet;
    attributes.test.data_size_in = sizeof packet;
    attributes.test.repeat = 1;
    return bpf(BPF_PROG_TEST_RUN, &attributes);
}

static int read_first(int map, uint64_t *moment) {
    uint32_t key = 0;
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_fd = (uint32_t)map;
    attributes.key = (uintptr_t)&key;
    attributes.value = (uintptr_t)moment;
    return bpf(BPF_MAP_LOOKUP_ELEM, &attributes);
}

int lc_gate_clock(int64_t *before, int64_t *time, int64_t *after) {
    int moment = create_value();
    if (moment < 0) return moment;
    int status = create_watch(moment);
    if (status >= 0) {
        int watch = status;
        *before = lc_clock(CLOCK_MONOTONIC);
        status = run(watch);
        *after = lc_clock(CLOCK_MONOTONIC);
        close(watch);
    }
    uint64_t noted = 0;
    if (status >= 0) status = read_first(moment, &noted);
    close(moment);
    *time = (int64_t)noted;
    return status < 0 ? status : 0;
}

int lc_claim_create(int *address) {
    int claimed = create_value();
    if (claimed < 0) return claimed;
    enum { context = BPF_REG_6, target = BPF_REG_7 };
    const struct bpf_insn instructions[] = {
        MOVE(context, BPF_REG_1),
        // uint64_t target = 0; bpf_skb_load_bytes(packet, 0, &target, 6);
        INSTRUCTION(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -16, 0),
        SET(BPF_REG_2, 0),
        MOVE(BPF_REG_3, BPF_REG_10),
        ADD(BPF_REG_3, -16),
        SET(BPF_REG_4, 6),
        CALL(BPF_FUNC_skb_load_bytes),
        LOAD(BPF_DW, target, BPF_REG_10, -16),
        // address = bpf_map_lookup_elem(map, &(uint32_t){0});
        LOOK_UP_FIRST(claimed),
        // if (address != NULL && target == *address) bpf_skb_change_type(packet, PACKET_HOST);
        INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 5, 0),
        LOAD(BPF_DW, BPF_REG_2, BPF_REG_0, 0),
        INSTRUCTION(BPF_JMP | BPF_JNE | BPF_X, target, BPF_REG_2, 3, 0),
        MOVE(BPF_REG_1, context),
        SET(BPF_REG_2, PACKET_HOST),
        CALL(BPF_FUNC_skb_change_type),
        SET(BPF_REG_0, TC_ACT_UNSPEC),
        RETURN,
    };
    return load_with(claimed, address, instructions, COUNT(instructions));
}

int lc_claim_set(int address, uint64_t bytes) { return write_first(address, bytes); }

int lc_drain_create(void) {
    const struct bpf_insn instructions[] = {
        SET(BPF_REG_0, TC_ACT_SHOT),
        RETURN,
    };
    return load(instructions, COUNT(instructions));
}
