// What passed in the last seconds, and whether it is what was promised.

import * as units from "/units.js";

const WINDOW = 2000;

export class Measurement {
  samples = [];

  /** Takes the counters of a moment, in milliseconds; returns what they say of the last seconds. */
  add(direction, engine, at) {
    const c = direction.counters;
    const sample = { at, bytes: c.bytes, packets: c.packets, held: c.queuedPackets };
    // New conditions count from the beginning.
    if (this.samples.length && sample.bytes < this.samples.at(-1).bytes) this.samples = [];
    this.samples.push(sample);
    while (this.samples.length > 2 && this.samples[1].at < at - WINDOW) this.samples.shift();
    const first = this.samples[0];
    const seconds = (at - first.at) / 1000;
    const packets = sample.packets - first.packets;
    const tried = c.packets + c.lost;
    // Where nobody looks at single packets: Little's law, packets on the link by packets per second.
    const held = this.samples.reduce((sum, each) => sum + each.held, 0) / this.samples.length;
    return {
      rate: seconds > 0 ? (sample.bytes - first.bytes) * 8 / seconds : c.bitsPerSecond,
      seconds, packets, tried,
      delay: engine?.delayMilliseconds ?? null,
      meanDelay: packets > 20 && seconds > 1 ? held / packets * seconds * 1000 : null,
      lossRatio: tried ? c.lost / tried : 0,
    };
  }
}

/** Whether a direction is as promised; { word, kind } where the kind is good, busy, off or empty. */
export function verdict(direction, m) {
  const problems = [];
  const capacity = direction.trace ? null : direction.bandwidthBitsPerSecond;
  if (capacity && m.seconds > 1 && m.rate > capacity * 1.05 + 24000 / m.seconds) {
    problems.push(`${units.rate(m.rate)} instead of at most ${units.rate(capacity)}`);
  }
  const p = direction.lossRatio;
  // Four standard deviations; losses in bursts spread more.
  const spread = 4 * Math.sqrt(p * (1 - p) * 2 * direction.lossBurstPackets / Math.max(1, m.tried)) + 3 / Math.max(1, m.tried);
  if (m.tried > 50 && Math.abs(m.lossRatio - p) > spread) {
    problems.push(`${units.share(m.lossRatio)} lost instead of ${units.share(p)}`);
  }
  const late = direction.counters.latenessMicroseconds;
  if (late && late.p99 / 1000 > Math.max(1, direction.delayMilliseconds / 100)) {
    problems.push(`one packet in a hundred is ${units.milliseconds(late.p99 / 1000)} late`);
  }
  if (problems.length) return { word: `Not as promised: ${problems.join("; ")}`, kind: "off" };
  if (!m.tried) return { word: "No traffic yet", kind: "" };
  if (m.tried <= 50) return { word: "Too few packets to tell", kind: "busy" };
  return { word: "As promised", kind: "good" };
}
