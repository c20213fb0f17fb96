// Quantities as text, and as places on a slider.

const round = (value) => Number(value.toPrecision(3)).toString();

export function rate(bits) {
  if (bits === null || bits === undefined) return "unlimited";
  const units = [["Gbit/s", 1e9], ["Mbit/s", 1e6], ["kbit/s", 1e3]];
  const unit = units.find(([, size]) => bits >= size * 0.9995) ?? ["bit/s", 1];
  return `${round(bits / unit[1])} ${unit[0]}`;
}

export const milliseconds = (value) => value >= 1000 ? `${round(value / 1000)} s` : `${round(value)} ms`;
export const share = (value) => `${round(value * 100)}%`;
export const count = (value) => value.toLocaleString("en");

export function clock(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** Steps of every slider. */
export const STEPS = 500;

// A logarithmic scale between `least` and `most`; the place 0 is `zero`, the last one `end`.
function logarithmic(least, most, zero, end) {
  const ratio = Math.log(most / least);
  return {
    value(place) {
      if (place <= 0 && zero !== undefined) return zero;
      if (place >= STEPS && end !== undefined) return end;
      return Number((least * Math.exp(ratio * place / STEPS)).toPrecision(3));
    },
    place(value) {
      if (value === end && end !== undefined) return STEPS;
      if (!value || value <= least) return value === zero ? 0 : 1;
      return Math.max(1, Math.min(STEPS - (end === undefined ? 0 : 1), Math.round(Math.log(value / least) / ratio * STEPS)));
    },
  };
}

const scales = {
  bandwidth: { ...logarithmic(1e3, 1e10, undefined, null), text: rate },
  duration: { ...logarithmic(0.1, 10000, 0), text: milliseconds },
  share: { ...logarithmic(0.0001, 1, 0), text: share },
  queue: { ...logarithmic(1, 100000, undefined), text: (value) => value === null ? "" : `${Math.round(value)} packets` },
  bytes: { ...logarithmic(68, 9000, undefined, null), text: (value) => value === null ? "unlimited" : `${Math.round(value)}` },
};

const keys = {
  bandwidth: "bandwidthBitsPerSecond", delay: "delayMilliseconds", jitter: "jitterMilliseconds",
  distribution: "jitterDistribution", loss: "lossRatio", duplicate: "duplicateRatio",
  corrupt: "corruptRatio", reorder: "reorderRatio", queue: "queuePackets", aqm: "aqm", ecn: "ecn",
  mtu: "mtuBytes", icmp: "icmp",
};

export const scaleOf = (field) => scales[field.scale];
export const valueOf = (field, conditions) => conditions?.[keys[field.key]];
