// One interface, or one name of conditions on it: what was promised, what is measured, and controls.

import { Controls } from "/controls.js";
import { make, say, set } from "/dom.js";
import { Measurement, verdict } from "/measure.js";
import { Plot } from "/plot.js";
import { TraceView } from "/traces.js";
import * as units from "/units.js";

const WAYS = ["down", "up"];

class DirectionView {
  constructor(way, title, tracePath) {
    this.tracePath = tracePath;
    this.trace = new TraceView(title);
    this.measurement = new Measurement();
    this.figures = {};
    const list = make("dl", { class: "figures" });
    for (const [key, label] of [["rate", "Throughput"], ["delay", "One-way delay p50 / p99"], ["late", "Lateness p50 / p99"],
      ["queue", "On the link"], ["lost", "Lost"], ["dropped", "Dropped: queue / AQM"]]) {
      this.figures[key] = make("dd");
      list.append(make("dt", {}, label), this.figures[key]);
    }
    this.canvas = make("canvas", { role: "img", "aria-label": `${title}: throughput of the last 30 seconds` });
    this.meter = make("meter", { min: 0, max: 1, value: 0, "aria-label": `${title}: packets on the link against the queue's limit` });
    this.verdict = make("p", { class: "verdict" });
    this.element = make("div", { class: `direction ${way}` },
      make("h4", {}, way === "down" ? "Down, to the app" : "Up, from the app"),
      this.canvas, this.meter, list, this.trace.element, this.verdict);
    this.plot = new Plot(this.canvas, `--${way}`);
  }

  show(direction, engine, at) {
    const m = this.measurement.add(direction, engine, at);
    const f = this.figures;
    const capacity = direction.bandwidthBitsPerSecond;
    this.plot.add(at, m.rate, direction.trace ? null : capacity);
    say(f.rate, `${units.rate(m.rate)} of ${direction.trace ? "a trace" : units.rate(capacity)}`);
    const jitter = direction.jitterMilliseconds ? ` ± ${units.milliseconds(direction.jitterMilliseconds)}` : "";
    const late = direction.counters.latenessMicroseconds;
    const base = direction.delayMilliseconds;
    say(f.delay, `${this.delay(m, engine)}, promised ${units.milliseconds(base)}${jitter} + queue`);
    say(f.late, late ? `${units.milliseconds(late.p50 / 1000)} / ${units.milliseconds(late.p99 / 1000)}`
      : engine ? "nothing sent yet" : "not told by the kernel");
    const limit = direction.queuePackets;
    say(f.queue, `${units.count(direction.counters.queuedPackets)} packets${limit ? `, queue of ${units.count(limit)}` : ""}`);
    set(this.meter, "max", limit || 1);
    set(this.meter, "value", limit ? Math.min(limit, direction.counters.queuedPackets) : 0);
    say(f.lost, `${units.count(direction.counters.lost)} (${units.share(m.lossRatio)} of ${units.share(direction.lossRatio)})`);
    say(f.dropped, engine ? `${units.count(engine.queueFull)} / ${units.count(engine.managed)}`
      : units.count(direction.counters.dropped));
    this.trace.show(this.tracePath, direction.trace);
    const { word, kind } = verdict(direction, m);
    say(this.verdict, word);
    set(this.verdict, "class", `verdict ${kind}`);
    return kind;
  }

  // The kernel tells nothing of single packets.
  delay(m, engine) {
    if (m.delay) return `${units.milliseconds(m.delay.p50)} / ${units.milliseconds(m.delay.p99)}`;
    if (engine) return "no packets";
    return m.meanDelay === null ? "not measured" : `not measured; mean ${units.milliseconds(m.meanDelay)}`;
  }
}

export class Card {
  /** `panel` makes changes; see panel.js. */
  constructor(panel, interfaceName, name) {
    Object.assign(this, { panel, interfaceName, name, views: {}, etag: null, changedAt: 0, ownChanges: 0, conflicts: 0 });
    this.label = name === "default" ? interfaceName : `${interfaceName}, ${name}`;
    this.title = make("h3", {}, this.label);
    this.about = make("p", { class: "muted" });
    this.toggle = make("button", { type: "button", role: "switch", "aria-checked": "false",
      "aria-label": `Condition ${this.label}`, onclick: () => this.switch() });
    this.profile = make("span", { class: "profile" });
    this.countdown = make("span", { class: "muted" });
    this.summary = make("span", { class: "verdict" });
    this.problem = make("p", { class: "notice bad", role: "alert", hidden: true });
    this.directions = make("div", { class: "directions", hidden: true });
    this.element = make("article", { class: "card", "aria-label": this.label },
      make("div", { class: "head" }, make("div", {}, this.title, this.about), this.toggle),
      make("p", { class: "row" }, this.profile, this.countdown, this.summary),
      this.problem, this.directions);
    this.controls = new Controls(this);
    this.element.append(this.controls.element);
  }

  get isOn() { return Boolean(this.conditions); }

  switch() {
    if (this.isOn) return this.panel.clear(this);
    return this.panel.apply(this, () => ({ profile: this.controls.chosen }));
  }

  show({ host, conditions, engine, override, at, dateSeconds }) {
    // What was read before a change of this page's own knows less than the answer to that.
    // (A host that was started anew counts from zero.)
    if (at < this.changedAt && at > this.changedAt - 60000) return;
    // While such a change is under way, somebody else's is none that the user has seen.
    if (!this.ownChanges) this.etag = conditions?.version ?? null;
    this.element.classList.remove("gone");
    Object.assign(this, { host, override, dateSeconds });
    this.showConditions(conditions);
    this.directions.hidden = !conditions;
    const kinds = WAYS.map((way) => conditions?.[way] ? this.view(way).show(conditions[way], engine?.[way], at) : this.hide(way))
      .filter(Boolean);
    const worst = ["off", "busy", "good"].find((kind) => kinds.includes(kind));
    const broken = conditions?.faithful === false || conditions?.problem;
    say(this.summary, broken ? "Not as promised" : { off: "Not as promised", busy: "Measuring…", good: "As promised" }[worst] ?? "");
    set(this.summary, "class", `verdict ${broken ? "off" : worst ?? ""}`);
  }

  showConditions(conditions) {
    this.conditions = conditions;
    const { host } = this;
    say(this.about, host ? [host.kind, host.isUp ? null : "down", host.isUsed ? "default route" : null,
      host.addresses.join(", ")].filter(Boolean).join(" · ") : "");
    set(this.toggle, "aria-checked", this.isOn);
    say(this.toggle, this.isOn ? "On" : "Off");
    this.toggle.disabled = !this.panel.mayChange || Boolean(conditions?.command);
    say(this.profile, conditions ? `${conditions.profile}${conditions.selectors.length ? ` for ${conditions.selectors.join(" ")}` : ""}` : "Not conditioned");
    this.left = conditions?.until ? Date.parse(conditions.until) / 1000 - this.dateSeconds : null;
    say(this.countdown, this.left === null ? "" : `off in ${units.clock(this.left)}`);
    this.complain(conditions?.problem);
    this.controls.show();
  }

  view(way) {
    if (!this.views[way]) {
      this.views[way] = new DirectionView(way, `${this.label} ${way}`, `${this.panel.path(this)}/traces/${way}`);
      this.directions.append(...WAYS.map((each) => this.views[each]?.element).filter(Boolean));
    }
    this.views[way].element.hidden = false;
    return this.views[way];
  }

  hide(way) {
    this.views[way]?.element.remove();
    delete this.views[way];
    return null;
  }

  /** Takes the answer to a change of this page's own: its conditions and when they were read. */
  changed({ conditions, atMilliseconds }) {
    this.changedAt = atMilliseconds;
    this.etag = conditions?.version ?? null;
    this.showConditions(conditions ?? undefined);
  }

  complain(text) {
    this.problem.hidden = !text;
    say(this.problem, text ?? "");
  }

  vanish() {
    this.element.classList.add("gone");
    this.conditions = null;
    this.complain(`${this.interfaceName} is gone. What was set on it went with it.`);
    this.directions.hidden = true;
    this.toggle.disabled = true;
    say(this.profile, "");
    say(this.countdown, "");
    say(this.summary, "");
  }
}
