// The panel: the newest state of the server as cards, and changes.

import { Feed, send } from "/api.js";
import { Card } from "/card.js";
import { commandLine, make, say } from "/dom.js";

const byId = (id) => document.getElementById(id);
const run = new URLSearchParams(location.search).get("pid");

class Panel {
  cards = new Map();
  profiles = [];
  fields = [];
  mayChange = false;

  async begin() {
    if (run) this.showRunNotice();
    const [about, profiles, fields] = await Promise.all(
      ["/v1/host", "/v1/host/profiles", "/v1/host/fields"].map((path) => send("GET", path)));
    this.mayChange = about.value.mayChange && !run;
    this.profiles = profiles.value;
    this.fields = fields.value.fields;
    say(byId("host"), `on ${about.value.name}`);
    say(byId("version"), `linkcond ${about.value.version}`);
    byId("hint").hidden = !about.value.hint;
    say(byId("hint"), about.value.hint ?? "");
    this.clearLine = commandLine("that clears everything");
    this.clearLine.show("sudo linkcond clear");
    byId("clear-command").replaceWith(this.clearLine.element);
    byId("clear-all").addEventListener("click", () => this.clearAll());
    byId("clear-all").hidden = this.clearLine.element.hidden = Boolean(run);
    byId("invite").addEventListener("click", () => this.invite());
    byId("log-out").addEventListener("click", () => this.logOut());
    new Feed(`/v1/host/events${run ? `?pid=${encodeURIComponent(run)}` : ""}`,
      (state) => this.show(state), (connection) => this.showConnection(connection));
  }

  showRunNotice() {
    byId("run-notice").hidden = false;
    byId("run-notice").append(`The links of the run with process ${run}. `, make("a", { href: "/" }, "Back to this host"));
  }

  // MARK: State

  show(state) {
    byId("clear-all").disabled = !this.mayChange || !state.conditioned.length;
    const places = new Map(state.interfaces.map((host) => [`${host.name} default`, { host, interface: host.name, name: "default" }]));
    state.conditioned.forEach((conditions, index) => {
      const host = state.interfaces.find((each) => each.name === conditions.interface);
      places.set(`${conditions.interface} ${conditions.name}`,
        { host, interface: conditions.interface, name: conditions.name, conditions, engine: state.measured[index] });
    });
    for (const [key, card] of this.cards) {
      if (places.has(key)) continue;
      if (card.name !== "default" && state.interfaces.some((host) => host.name === card.interfaceName)) this.remove(key, card);
      else if (!card.goneAt) { card.vanish(); card.goneAt = performance.now(); }
      else if (performance.now() - card.goneAt > 60000) this.remove(key, card);
    }
    for (const [key, place] of places) {
      let card = this.cards.get(key);
      if (!card) {
        card = new Card(this, place.interface, place.name);
        this.cards.set(key, card);
        this.insert(card);
      }
      card.goneAt = null;
      card.show({ ...place, at: state.atMilliseconds, dateSeconds: state.dateSeconds,
        override: state.overrides.find((each) => each.interface === place.interface) });
    }
    byId("no-interfaces").hidden = this.cards.size > 0;
    this.showPrograms(state.programs);
  }

  // Conditioned ones first; the loopback last. A card keeps its place then, so that none moves away
  // below a finger.
  insert(card) {
    const isLoopback = card.interfaceName === "lo";
    const loopback = this.cards.get("lo default");
    if (!isLoopback && loopback && loopback !== card) loopback.element.before(card.element);
    else byId("interfaces").append(card.element);
  }

  remove(key, card) {
    card.element.remove();
    this.cards.delete(key);
  }

  showPrograms(programs) {
    const text = JSON.stringify(programs);
    if (text === this.programs) return;
    this.programs = text;
    byId("no-programs").hidden = programs.length > 0;
    byId("programs").replaceChildren(...programs.map((program) => make("li", {},
      make("span", { class: "muted" }, `${program.verb}, process ${program.pid}`), make("code", {}, program.command),
      ...(program.verb === "run" ? [make("a", { href: `/?pid=${program.pid}` }, `Live view of process ${program.pid}`)] : []))));
  }

  showConnection(connection) {
    if (connection === this.connection) return;
    this.connection = connection;
    const words = { live: "live", lost: "no connection", closed: "no session" }[connection];
    byId("connection").className = connection === "live" ? "live" : "dead";
    say(byId("connection").querySelector(".words"), words);
    document.body.classList.toggle("stale", connection !== "live");
    byId("lost").hidden = connection === "live";
    say(byId("lost"), connection === "closed"
      ? "This session has ended. Open the address that linkcond serve prints."
      : connection === "lost" ? "The server does not answer. What is shown was the last state; the page tries again." : "");
  }

  // MARK: Changes; true if they were made

  async apply(card, wanted) {
    const headers = card.etag ? { "if-match": `"${card.etag}"` } : { "if-none-match": "*" };
    return this.attempt(card, async () => {
      const answer = await send("PUT", this.path(card), wanted, headers);
      card.changed(answer.etag?.replaceAll('"', "") ?? null);
      // What follows at once, as of a slider that moves, builds on it.
      if (card.conditions && answer.value.conditions) card.conditions.profile = answer.value.conditions.profile;
      return answer;
    });
  }

  async clear(card) {
    return this.attempt(card, async () => {
      const answer = await send("DELETE", this.path(card), undefined, card.etag ? { "if-match": `"${card.etag}"` } : {});
      card.changed(null);
      return answer;
    });
  }

  async override(card, change) {
    const path = `/v1/host/interfaces/${encodeURIComponent(card.interfaceName)}/override`;
    return this.attempt(card, () => send("PATCH", path, change));
  }

  async clearAll() {
    return this.attempt(null, () => send("DELETE", "/v1/host/conditions"));
  }

  path(card) {
    return `/v1/host/interfaces/${encodeURIComponent(card.interfaceName)}/conditions/${encodeURIComponent(card.name)}`;
  }

  async attempt(card, action) {
    try {
      await action();
      this.complain(card, null);
      return true;
    } catch (refusal) {
      this.complain(card, refusal.status === 412
        ? `Somebody else has changed ${card.label} at the same time. Nothing was changed here; this is the new state.`
        : refusal.message);
      return false;
    }
  }

  complain(card, text) {
    const place = card ? card.element : byId("interfaces");
    place.querySelector(":scope > .refusal")?.remove();
    if (text) place.prepend(make("p", { class: "notice bad refusal", role: "alert" }, text));
  }

  // MARK: Sessions

  async invite() {
    const { value } = await send("POST", "/v1/host/invitations");
    byId("invitation").replaceChildren("Open this address in the other browser; it works once: ", make("code", {}, value.address));
  }

  async logOut() {
    await send("DELETE", "/v1/host/session");
    location.reload();
  }
}

const panel = new Panel();
globalThis.linkcond = panel;
panel.begin().catch((refusal) => {
  byId("lost").hidden = false;
  say(byId("lost"), `The page could not be set up: ${refusal.message}. Load it again.`);
});
