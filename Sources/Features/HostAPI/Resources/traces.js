// The delivery trace of a direction: what the link carries when, from its beginning to its end.

import { send } from "/api.js";
import { make, say } from "/dom.js";
import { clock, rate } from "/units.js";

const HEIGHT = 36;

export class TraceView {
  constructor(label) {
    this.canvas = make("canvas", { class: "trace", role: "img" });
    this.text = make("p", { class: "muted" });
    this.label = label;
    this.element = make("div", { hidden: true }, this.canvas, this.text);
  }

  /** `path` is where the API has the trace, `file` its name; null if there is none. */
  async show(path, file) {
    this.element.hidden = !file;
    if (file === this.file) return;
    this.file = file;
    if (!file) return;
    say(this.text, `Trace ${file}`);
    try {
      const { value } = await send("GET", path);
      if (file !== this.file) return;
      const about = `${clock(value.periodSeconds)} of ${rate(value.meanBitsPerSecond)} on average, ${rate(value.percentileBitsPerSecond.p5)} to ${rate(value.percentileBitsPerSecond.p95)}`;
      say(this.text, `Trace ${file}: ${about}; then from its beginning`);
      this.canvas.setAttribute("aria-label", `${this.label}: the trace, ${about}`);
      this.draw(value.bitsPerSecond);
    } catch (refusal) {
      say(this.text, `Trace ${file} (cannot be shown: ${refusal.message})`);
      this.canvas.hidden = true;
    }
  }

  draw(rates) {
    const width = this.canvas.clientWidth || 300;
    const scale = devicePixelRatio || 1;
    Object.assign(this.canvas, { width: width * scale, height: HEIGHT * scale, hidden: false });
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.fillStyle = getComputedStyle(this.canvas).getPropertyValue("--way");
    const top = rates.reduce((most, each) => Math.max(most, each), 1);
    for (let x = 0; x < width; x += 1) {
      const part = rates.slice(Math.floor(x / width * rates.length), Math.max(1, Math.floor((x + 1) / width * rates.length)));
      if (!part.length) continue;
      const height = part.reduce((sum, each) => sum + each, 0) / part.length / top * HEIGHT;
      context.fillRect(x, HEIGHT - height, 1, height);
    }
  }
}
