// Small eBPF programs that the kernel runs for packets, for tc filters in "direct-action" mode.
// Each function returns a value of zero or above, or -errno.
#ifndef CLINUX_GATE_H
#define CLINUX_GATE_H

#include <stdint.h>

/// A program that passes packets on to the filters behind it while somebody holds it open, and
/// accepts them at once otherwise. Packets with `mark` are always accepted, and lose the mark.
/// Returns its file descriptor, and in `*hold` the one for `lc_gate_hold`.
int lc_gate_create(uint32_t mark, int *hold);

/// Holds a gate open until `moment`, in nanoseconds of the clock that packet programs see:
/// CLOCK_MONOTONIC outside of all time namespaces.
int lc_gate_hold(int hold, uint64_t moment);

/// Reads that clock, and CLOCK_MONOTONIC as the caller sees it right before and after; in
/// nanoseconds.
int lc_gate_clock(int64_t *before, int64_t *time, int64_t *after);

/// A program that makes packets to a link-layer address of six bytes count as for this host, like
/// those to the interface's own address, and passes all on to the filters behind it. Returns its
/// file descriptor, and in `*address` the one for `lc_claim_set`.
int lc_claim_create(int *address);

/// Sets the address of a claim: the first six bytes of `bytes` in memory.
int lc_claim_set(int address, uint64_t bytes);

/// A program that drops every packet.
int lc_drain_create(void);

#endif
