// What programs in eBPF are written and loaded with.
#ifndef CLINUX_BPF_H
#define CLINUX_BPF_H

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define INSTRUCTION(operation, target, source, distance, value) \
    (struct bpf_insn){.code = (operation), .dst_reg = (target), .src_reg = (source), \
                      .off = (distance), .imm = (value)}
#define MOVE(target, source) INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, target, source, 0, 0)
#define SET(target, value) INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_K, target, 0, 0, value)
#define ADD(target, value) INSTRUCTION(BPF_ALU64 | BPF_ADD | BPF_K, target, 0, 0, value)
#define LOAD(size, target, source, distance) \
    INSTRUCTION(BPF_LDX | BPF_MEM | (size), target, source, distance, 0)
#define STORE(size, target, distance, source) \
    INSTRUCTION(BPF_STX | BPF_MEM | (size), target, source, distance, 0)
#define CALL(function) INSTRUCTION(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define GO(distance) INSTRUCTION(BPF_JMP | BPF_JA, 0, 0, distance, 0)
#define RETURN INSTRUCTION(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
// Two instructions each.
#define SET_WIDE(target, value) \
    INSTRUCTION(BPF_LD | BPF_IMM | BPF_DW, target, 0, 0, (int32_t)(uint32_t)(value)), \
    INSTRUCTION(0, 0, 0, 0, (int32_t)((uint64_t)(value) >> 32))
#define SET_MAP(target, map) \
    INSTRUCTION(BPF_LD | BPF_IMM | BPF_DW, target, BPF_PSEUDO_MAP_FD, 0, map), \
    INSTRUCTION(0, 0, 0, 0, 0)
// Seven instructions: reads a pointer of the kernel by way of a place on the stack. What cannot be read is
// zero, from which again nothing can be read.
#define FOLLOW(target, from, distance, place) \
    MOVE(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, place), SET(BPF_REG_2, 8), \
    MOVE(BPF_REG_3, from), ADD(BPF_REG_3, (int32_t)(distance)), \
    CALL(BPF_FUNC_probe_read_kernel), LOAD(BPF_DW, target, BPF_REG_10, place)

static inline int bpf(enum bpf_cmd command, union bpf_attr *attributes) {
    long result = syscall(SYS_bpf, command, attributes, sizeof *attributes);
    return result < 0 ? -errno : (int)result;
}

static inline int bpf_load(
    enum bpf_prog_type kind, enum bpf_attach_type place, const struct bpf_insn *instructions,
    size_t count) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.prog_type = kind;
    attributes.expected_attach_type = place;
    attributes.insns = (uintptr_t)instructions;
    attributes.insn_cnt = (uint32_t)count;
    // The kernel gives the time and its own memory only to programs under this license.
    attributes.license = (uintptr_t)"Dual MIT/GPL";
    return bpf(BPF_PROG_LOAD, &attributes);
}

// Attaches a program to a control group, and closes it.
static inline int bpf_attach(int program, int group, enum bpf_attach_type place) {
    if (program < 0) return program;
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.link_create.prog_fd = (uint32_t)program;
    attributes.link_create.target_fd = (uint32_t)group;
    attributes.link_create.attach_type = place;
    int link = bpf(BPF_LINK_CREATE, &attributes);
    close(program);
    return link;
}

#endif
