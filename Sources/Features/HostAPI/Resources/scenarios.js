// Scenarios: which there are, which are played, and how far.

import { send } from "/api.js";
import { commandLine, make, say, set, shell } from "/dom.js";
import { clock, count } from "/units.js";

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

// Of ten thousand events a page shows those around the playhead: whole parts of the list, so that it does
// not move with each event.
const SHOWN = 300;
const PART = 100;
// So many places of the line can be told apart.
const PLACES = 400;

/** A scenario that is played, or was: its events on a line with a playhead, and its messages. */
class Play {
  constructor(scenarios, play) {
    Object.assign(this, { id: play.id, events: [], next: 0, isOver: false });
    this.state = make("span", { class: "muted" });
    this.stop = make("button", { type: "button", "aria-label": `Stop ${play.scenario}`,
      onclick: () => scenarios.stop(this) }, "Stop");
    this.head = make("div", { class: "playhead" });
    this.line = make("div", { class: "timeline", "aria-hidden": "true" }, this.head);
    this.list = make("ol", {});
    this.box = make("div", { class: "events", tabindex: 0, role: "group", "aria-label": `Events of ${play.scenario}` }, this.list);
    this.log = make("pre", { tabindex: 0, role: "group", "aria-label": `Messages of ${play.scenario}` });
    this.command = commandLine(`that plays ${play.scenario}`);
    this.stopping = commandLine(`that stops ${play.scenario}`);
    this.stopping.show([...scenarios.panel.kill, `${play.pid}`]);
    this.element = make("article", { class: "card", "aria-label": `Play ${play.scenario}` },
      make("div", { class: "head" }, make("h3", {}, play.scenario), this.stop),
      make("p", {}, this.state), this.line, this.box,
      make("details", {}, make("summary", {}, "Messages"), this.log), this.command.element, this.stopping.element);
    this.prepare(play);
  }

  async prepare(play) {
    try {
      const { value } = await send("GET", `/v1/host/scenarios/${encodeURIComponent(play.scenario)}?seed=${play.seed}`);
      this.events = value.events ?? [];
      // An endless one shows its first minutes.
      this.length = value.lengthMilliseconds ?? this.events.at(-1)?.timeMilliseconds ?? 1;
    } catch { return; }
    const places = new Set(this.events.map((event) => Math.round(Math.min(1, event.timeMilliseconds / this.length) * PLACES)));
    this.line.append(...[...places].map((place) => {
      const mark = make("div", { class: "mark" });
      mark.style.left = `${place / PLACES * 100}%`;
      return mark;
    }));
    this.showFrom(0);
    this.move(this.at ?? 0);
  }

  /** Lists the events from `first` on, and how many others there are. */
  showFrom(first) {
    this.first = first;
    this.past = 0;
    const shown = this.events.slice(first, first + SHOWN);
    this.items = shown.map((event) => make("li", {}, `${seconds(event.timeMilliseconds)}  ${event.what}`));
    const rest = this.events.length - first - shown.length;
    this.list.replaceChildren(...first ? [make("li", { class: "past" }, `${count(first)} before`)] : [],
      ...this.items, ...rest ? [make("li", {}, `and ${count(rest)} more`)] : []);
  }

  /** Ticks off the events before a time of the scenario, in milliseconds. */
  tick(time) {
    // The events are in order of time.
    let { next } = this;
    while (next < this.events.length && this.events[next].timeMilliseconds <= time) next += 1;
    while (next > 0 && this.events[next - 1].timeMilliseconds > time) next -= 1;
    this.next = next;
    const last = Math.max(0, Math.ceil((this.events.length - SHOWN) / PART) * PART);
    const first = Math.min(last, Math.max(0, Math.floor(next / PART) - 1) * PART);
    if (first !== this.first) this.showFrom(first);
    const past = Math.min(this.items.length, next - first);
    for (let index = Math.min(past, this.past); index < Math.max(past, this.past); index += 1) {
      set(this.items[index], "class", index < past ? "past" : "");
    }
    if (past === this.past) return;
    this.past = past;
    // Follows the playhead, unless somebody reads.
    if (!this.box.matches(":hover, :focus")) this.box.scrollTop = this.items[past - 1]?.offsetTop - this.list.offsetTop - this.box.clientHeight / 2 || 0;
  }

  show(play) {
    this.began = play.beganAtMilliseconds;
    this.isOver = play.isOver;
    this.exitCode = play.exitCode;
    this.stop.hidden = this.stopping.element.hidden = play.isOver;
    this.command.show(play.command);
    say(this.log, play.lines.join("\n"));
  }

  /** Moves the playhead to a time of the host's clock, in milliseconds. */
  move(at) {
    this.at = at;
    if (this.isOver) {
      say(this.state, this.exitCode === 0 ? "Over; everything is as before"
        : this.exitCode === 130 ? "Stopped; everything is as before" : `Ended with ${this.exitCode}: see its messages`);
      this.head.hidden = true;
      return;
    }
    const time = Math.max(0, at - this.began);
    say(this.state, `${clock(time / 1000)}${this.length ? ` of ${clock(this.length / 1000)}` : ""}`);
    if (!this.length) return;
    this.head.style.left = `${Math.min(100, time / this.length * 100)}%`;
    if (this.items) this.tick(time);
  }
}

export class Scenarios {
  label = "the scenario";
  ownChanges = 0;
  conflicts = 0;
  plays = new Map();
  names = [];

  constructor(panel, element) {
    Object.assign(this, { panel, element });
    this.choice = make("select", { "aria-label": "Scenario", onchange: () => this.choose() });
    this.summary = make("p", { class: "muted" });
    this.places = make("div", { class: "row" });
    this.button = make("button", { type: "button", onclick: () => this.play() }, "Play");
    this.command = commandLine("that plays the scenario");
    this.list = make("div", { id: "plays" });
    element.append(make("div", { class: "row" }, this.choice, this.places, this.button), this.summary, this.command.element, this.list);
  }

  async begin() {
    const { value } = await send("GET", "/v1/host/scenarios");
    // Several devices are for linkcond run.
    this.all = value.filter((each) => each.apps.length < 2);
    this.choice.replaceChildren(...this.all.map((each) => make("option", { value: each.name }, each.name)));
    this.choose();
  }

  get chosen() { return this.all?.find((each) => each.name === this.choice.value); }

  choose() {
    if (!this.chosen) return;
    say(this.summary, `${this.chosen.summary}. ${this.chosen.lengthMilliseconds ? `Takes ${clock(this.chosen.lengthMilliseconds / 1000)}.` : "Goes on until it is stopped."}`);
    this.selects = this.chosen.interfaces.map((name, index) => {
      const select = make("select", { onchange: () => this.showCommand() }, ...this.names.map((each) => make("option", {}, each)));
      select.selectedIndex = Math.min(index, this.names.length - 1);
      this.places.append(select);
      return { name, select };
    });
    this.places.replaceChildren(...this.selects.map(({ name, select }) => make("label", {}, `${name} is `, select)));
    this.showCommand();
  }

  get wanted() {
    return { scenario: this.choice.value, interfaces: this.selects.map(({ name, select }) => `${name}=${select.value}`) };
  }

  showCommand() {
    const { scenario, interfaces } = this.wanted;
    this.button.disabled = !this.panel.mayChange || !this.names.length;
    this.command.show(shell(["sudo", "linkcond", "play", scenario, ...interfaces.flatMap((each) => ["-i", each])]));
  }

  play() {
    return this.panel.attempt(this, () => send("POST", "/v1/host/plays", this.wanted));
  }

  stop(play) {
    return this.panel.attempt(this, () => send("DELETE", `/v1/host/plays/${play.id}`));
  }

  // MARK: State

  showState(state) {
    const names = state.interfaces.map((each) => each.name).sort((a, b) => (a === "lo") - (b === "lo"));
    if (this.all && names.join() !== this.names.join()) {
      this.names = names;
      this.choose();
    }
    for (const play of this.plays.values()) play.move(state.atMilliseconds);
  }

  showPlays(plays) {
    const ids = new Set(plays.map((each) => each.id));
    for (const [id, play] of this.plays) {
      if (ids.has(id)) continue;
      play.element.remove();
      this.plays.delete(id);
    }
    for (const each of [...plays].reverse()) {
      if (!this.plays.has(each.id)) {
        const play = new Play(this, each);
        this.plays.set(each.id, play);
        this.list.prepend(play.element);
      }
      this.plays.get(each.id).show(each);
    }
  }
}
