// Small programs that the kernel runs for packets (eBPF), for filters of tc in their mode
// "direct-action". Each function returns a value of zero or above, or -errno.
#ifndef CLINUX_GATE_H
#define CLINUX_GATE_H

#include <stdint.h>

/// A program that lets packets meet the filters behind it as long as somebody holds it open, and
/// lets them pass at once otherwise. Those with `mark` always pass, and lose the mark. Returns its
/// descriptor, and in `*hold` that of what `lc_gate_hold` takes.
int lc_gate_create(uint32_t mark, int *hold);

/// Holds a gate open until `moment`, in nanoseconds of the clock that programs for packets see:
/// CLOCK_MONOTONIC as it is outside of all time namespaces.
int lc_gate_hold(int hold, uint64_t moment);

/// Reads that clock, and right before and after it CLOCK_MONOTONIC as the caller sees it; in
/// nanoseconds.
int lc_gate_clock(int64_t *before, int64_t *time, int64_t *after);

/// A program that drops every packet.
int lc_drain_create(void);

#endif
