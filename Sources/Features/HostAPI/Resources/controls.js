// What changes an interface: profiles, sliders, the time limit, and what apps are told.

import { commandLine, make, set } from "/dom.js";
import * as units from "/units.js";

const LIMITS = [["No limit", null], ["10 min", 600], ["1 h", 3600], ["8 h", 28800]];
const SETTING = /, (?=(?:down|up|dns)\.)/;

/** The profile and the settings of the text of conditions. */
export function parts(text) {
  const [profile, ...settings] = text.split(SETTING);
  return { profile, settings };
}

/** The settings with one changed. */
export function changed(settings, key, value) {
  return [...settings.filter((setting) => !setting.startsWith(`${key}=`)), `${key}=${value}`];
}

class Slider {
  constructor(controls, way, field) {
    Object.assign(this, { controls, way, field, key: `${way}.${field.key}` });
    const label = `${way} ${field.key}`;
    const id = `${controls.id}-${this.key}`;
    this.scale = units.scaleOf(field);
    this.inputs = [];
    if (this.scale) {
      this.range = make("input", { type: "range", min: 0, max: units.STEPS, step: 1, id,
        oninput: () => this.slide(), onchange: () => this.slide() });
      this.number = make("input", { type: "text", "aria-label": `${label}, number with unit`, autocomplete: "off",
        onchange: () => this.controls.change(this.key, this.number.value.trim()) });
      this.inputs = [this.range, this.number];
    } else {
      this.choice = make("select", { id, class: "wide",
        onchange: () => this.controls.change(this.key, this.choice.value) },
      ...field.choices.map((choice) => make("option", {}, choice)));
      this.inputs = [this.choice];
    }
    this.element = make("div", { class: "slider" }, make("label", { for: id }, `${way} ${field.key}`), ...this.inputs);
  }

  slide() {
    const text = this.scale.text(this.scale.value(Number(this.range.value)));
    this.number.value = text;
    set(this.range, "aria-valuetext", text);
    this.touched = performance.now();
    this.controls.change(this.key, text);
  }

  show(conditions, isEnabled) {
    for (const input of this.inputs) input.disabled = !isEnabled;
    // What somebody holds stays in place, and what has just been sent may not have come back.
    if (this.inputs.includes(document.activeElement) && document.activeElement !== this.range) return;
    if (performance.now() - (this.touched ?? -1e9) < 1500) return;
    const value = units.valueOf(this.field, conditions);
    if (value === undefined) return;
    if (this.choice) { this.choice.value = String(value); return; }
    const text = this.scale.text(value);
    if (this.shown === text && this.number.value === text) return;
    this.shown = this.number.value = text;
    this.range.value = this.scale.place(value);
    set(this.range, "aria-valuetext", text || "none");
  }
}

/** The file of a delivery trace, which takes the place of the bandwidth. */
class TraceField {
  constructor(controls, way) {
    const id = `${controls.id}-${way}.trace`;
    this.way = way;
    this.input = make("input", { type: "text", id, class: "wide", placeholder: "/a/file/on/this/host", autocomplete: "off",
      onchange: () => this.change(controls) });
    this.element = make("div", { class: "slider" }, make("label", { for: id }, `${way} trace`), this.input);
  }

  // Both go in one request.
  change(controls) {
    const file = this.input.value.trim();
    if (!file) return;
    controls.change(`${this.way}.bandwidth`, "unlimited");
    controls.change(`${this.way}.trace`, file);
  }

  show(conditions, isEnabled) {
    this.input.disabled = !isEnabled;
    if (document.activeElement !== this.input) this.input.value = conditions?.trace ?? "";
  }
}

export class Controls {
  static number = 0;
  settings = null;

  constructor(card) {
    this.card = card;
    this.id = `controls-${Controls.number += 1}`;
    this.chosen = "apple/3G";
    this.body = make("div", { class: "controls" });
    this.element = make("details", { ontoggle: () => this.open() },
      make("summary", {}, `Change ${card.label}`), this.body);
  }

  // Fifty interfaces have thousands of sliders, which nobody has opened.
  open() {
    if (this.sliders || !this.element.open) return;
    const { panel } = this.card;
    this.search = make("input", { type: "search", placeholder: "Search", "aria-label": `Search profiles for ${this.card.label}`,
      oninput: () => this.filter() });
    this.profiles = make("div", { class: "profiles", tabindex: 0, role: "group", "aria-label": "Profiles" });
    this.limits = make("div", { class: "row" });
    for (const [label, seconds] of LIMITS) {
      this.limits.append(make("button", { type: "button", "data-seconds": seconds ?? "",
        onclick: () => this.limit(seconds) }, label));
    }
    this.sliders = ["down", "up"].flatMap((way) => panel.fields.map((field) => new Slider(this, way, field)));
    const common = this.sliders.filter((slider) => slider.field.isCommon);
    this.traces = ["down", "up"].map((way) => new TraceField(this, way));
    const rare = this.sliders.filter((slider) => !slider.field.isCommon);
    this.command = commandLine(`for ${this.card.label}`);
    this.overrideCommand = commandLine(`for what apps see of ${this.card.label}`);
    this.clearCommand = commandLine(`that clears ${this.card.label}`);
    this.body.append(
      make("fieldset", {}, make("legend", {}, "Profile"), this.search, this.profiles),
      make("fieldset", {}, make("legend", {}, "Link"), this.columns(common),
        make("details", {}, make("summary", {}, "More fields"),
          this.columns([...rare, ...this.traces]))),
      make("fieldset", {}, make("legend", {}, "Turn off in"), this.limits),
      this.command.element, this.clearCommand.element);
    if (this.card.name === "default") this.body.append(this.makeOverride(), this.overrideCommand.element);
    this.fill();
    this.show();
  }

  columns(sliders) {
    return make("div", { class: "sliders" }, ...["down", "up"].map((way) => make("div", { class: way },
      ...sliders.filter((slider) => slider.way === way).map((slider) => slider.element))));
  }

  makeOverride() {
    const select = (key, label, choices) => {
      const element = make("select", { "aria-label": `${label} of ${this.card.label}`,
        onchange: () => this.override({ [key]: element.value }) },
      ...choices.map(([value, text]) => make("option", { value }, text)));
      return element;
    };
    this.cost = select("cost", "Cost", [["default", "default"], ["expensive", "expensive"], ["inexpensive", "inexpensive"]]);
    this.lowData = select("lowData", "Low Data Mode", [["default", "default"], ["on", "on"], ["off", "off"]]);
    this.kind = select("kind", "Kind", [["default", "default"], ["wifi", "Wi-Fi"], ["cellular", "cellular"], ["wired", "wired"], ["hotspot", "hotspot"]]);
    return make("fieldset", {}, make("legend", {}, "What apps see"),
      make("div", { class: "row" }, make("label", {}, "Cost ", this.cost), make("label", {}, "Low Data Mode ", this.lowData),
        make("label", {}, "Kind ", this.kind)));
  }

  fill() {
    if (!this.profiles) return;
    this.profiles.replaceChildren(...this.card.panel.profiles.map((profile) => make("button", {
      type: "button", title: profile.summary, "data-id": profile.id,
      onclick: () => this.choose(profile.id),
    }, profile.family === "apple" ? profile.name : profile.id)));
    this.filter();
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/);
    for (const button of this.profiles.children) {
      const text = `${button.dataset.id} ${button.title}`.toLowerCase();
      button.hidden = !words.every((word) => text.includes(word));
    }
  }

  get current() { return { ...parts(this.card.conditions?.profile ?? this.chosen), ...this.kept }; }

  // What no control is for stays, too.
  get kept() {
    const { selectors = [], down, up } = this.card.conditions ?? { down: true, up: true };
    return { selectors, direction: down && up ? "both" : down ? "down" : "up" };
  }

  // The time that is left stays when something else changes.
  get remaining() { return this.card.left > 0 ? `${Math.ceil(this.card.left)} s` : undefined; }

  choose(profile) {
    this.chosen = profile;
    return this.card.panel.apply(this.card, () => ({ profile, ...this.kept, for: this.remaining }));
  }

  limit(seconds) {
    return this.card.panel.apply(this.card, () => ({ ...this.current, for: seconds ? `${seconds} s` : undefined }));
  }

  // While a slider moves, one request is under way, and the newest place goes next.
  async change(key, value) {
    this.waiting = { ...this.waiting, [key]: value };
    if (this.isChanging) return;
    this.isChanging = true;
    while (this.waiting) {
      const isMade = await this.card.panel.apply(this.card, () => {
        const changes = Object.entries(this.waiting);
        this.waiting = null;
        const { settings, ...rest } = this.current;
        return { ...rest, settings: changes.reduce((list, [name, text]) => changed(list, name, text), settings), for: this.remaining };
      });
      if (!isMade) this.waiting = null;
    }
    this.isChanging = false;
  }

  override(change) { return this.card.panel.override(this.card, change); }

  show() {
    const { card } = this;
    const { conditions, panel } = card;
    if (conditions) this.chosen = parts(conditions.profile).profile;
    this.element.hidden = Boolean(conditions?.command);
    if (!this.sliders || !this.element.open) return;
    const isEnabled = panel.mayChange && Boolean(card.host);
    for (const button of this.body.querySelectorAll("button:not(.command button)")) button.disabled = !isEnabled;
    for (const slider of [...this.sliders, ...this.traces]) slider.show(conditions?.[slider.way], isEnabled && Boolean(conditions));
    for (const button of this.profiles.children) set(button, "aria-pressed", Boolean(conditions) && button.dataset.id === this.chosen);
    const place = ["-i", card.interfaceName, ...(card.name === "default" ? [] : ["--name", card.name])];
    const { profile, settings } = this.current;
    const { direction } = this.kept;
    const selectors = this.kept.selectors.flatMap((each) => [each.slice(0, each.indexOf(" ")), each.slice(each.indexOf(" ") + 1)]);
    this.command.show(["sudo", "linkcond", "apply", profile, ...place, ...settings.flatMap((s) => ["--set", s]), ...selectors,
      ...(direction === "both" ? [] : ["--direction", direction]),
      ...(card.left > 0 ? ["--for", `${Math.ceil(card.left / 60)}m`] : []), ...(conditions ? ["--replace"] : [])]);
    this.clearCommand.show(["sudo", "linkcond", "clear", ...place]);
    for (const button of this.limits.children) set(button, "aria-pressed", Boolean(conditions) && !button.dataset.seconds && card.left === null);
    if (!this.cost) return;
    const values = { cost: card.override?.cost ?? "default", lowData: card.override?.lowData ?? "default", kind: card.override?.kind ?? "default" };
    for (const [key, value] of Object.entries(values)) {
      this[key].disabled = !isEnabled;
      if (document.activeElement !== this[key]) this[key].value = value;
    }
    const options = [...(values.cost === "default" ? [] : ["--cost", values.cost]),
      ...(values.lowData === "default" ? [] : ["--low-data", values.lowData]),
      ...(values.kind === "default" ? [] : ["--kind", values.kind]),
      ...(card.override?.preferred ? ["--prefer"] : [])];
    // With nothing to set, what leads here is the end of the override.
    this.overrideCommand.show(["sudo", "linkcond", "override", options.length ? "set" : "clear", "-i", card.interfaceName, ...options]);
  }
}
