// The panel: the newest state of the server as cards, and changes.

import { Feed, send } from "/api.js";
import { Card } from "/card.js";
import { commandLine, make, say } from "/dom.js";
import { Programs } from "/programs.js";
import { Scenarios } from "/scenarios.js";

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
    // Without root, the programs that are listed are the user's own.
    this.kill = [...about.value.mayChange ? ["sudo"] : [], "kill", "-INT"];
    this.programs = new Programs(byId("programs"), byId("no-programs"), this.kill);
    this.scenarios = new Scenarios(this, byId("scenarios"));
    for (const section of document.querySelectorAll(".of-host")) section.hidden = Boolean(run);
    this.feed = new Feed(`/v1/host/events${run ? `?pid=${encodeURIComponent(run)}` : ""}`, Boolean(run),
      { state: (state) => this.show(state), plays: ({ plays }) => this.scenarios.showPlays(plays) },
      (connection) => this.showConnection(connection));
    if (!run) await this.scenarios.begin();
  }

  showRunNotice() {
    byId("run-notice").hidden = false;
    const command = commandLine("that shows the same");
    command.show(["linkcond", "status", "--watch", "--pid", run]);
    byId("run-notice").append(`The links of the run with process ${run}. `, make("a", { href: "/" }, "Back to this host"), command.element);
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
    this.programs.show(state.programs);
    this.scenarios.showState(state);
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

  showConnection(connection) {
    if (connection === this.connection) return;
    this.connection = connection;
    const words = { live: "live", lost: "no connection", closed: "no session", over: "has ended" }[connection];
    byId("connection").className = connection === "live" ? "live" : "dead";
    say(byId("connection").querySelector(".words"), words);
    document.body.classList.toggle("stale", connection !== "live");
    byId("lost").hidden = connection === "live";
    say(byId("lost"), connection === "over" ? "The run has ended. What is shown was its last state."
      : connection === "closed" ? "This session has ended. Open the address that linkcond serve prints."
      : connection === "lost" ? "The server does not answer. What is shown was the last state; the page tries again." : "");
  }

  // MARK: Changes; true if they were made

  /** `wanted` says what to apply once the changes before it are made. */
  apply(card, wanted) {
    return this.attempt(card, async () => {
      const headers = card.etag ? { "if-match": `"${card.etag}"` } : { "if-none-match": "*" };
      card.changed((await send("PUT", this.path(card), wanted(), headers)).value);
    });
  }

  clear(card) {
    return this.attempt(card, async () => {
      // Cleared by the change before this one.
      if (!card.etag) return;
      const headers = { "if-match": `"${card.etag}"` };
      card.changed((await send("DELETE", this.path(card), undefined, headers)).value);
    });
  }

  override(card, change) {
    const path = `/v1/host/interfaces/${encodeURIComponent(card.interfaceName)}/override`;
    return this.attempt(card, () => send("PATCH", path, change));
  }

  async clearAll() {
    return this.attempt(null, () => send("DELETE", "/v1/host/conditions"));
  }

  path(card) {
    return `/v1/host/interfaces/${encodeURIComponent(card.interfaceName)}/conditions/${encodeURIComponent(card.name)}`;
  }

  // Changes of a card are made one after the other: each is based on what the one before has made. After
  // a conflict those that wait are left out, since the user has not seen what they would change.
  async attempt(card, action) {
    if (!card) return this.make(null, action);
    const { conflicts } = card;
    card.ownChanges += 1;
    const turn = (card.turn ?? Promise.resolve())
      .then(() => card.conflicts === conflicts && this.make(card, action))
      .finally(() => { card.ownChanges -= 1; });
    card.turn = turn;
    return turn;
  }

  async make(card, action) {
    try {
      await action();
      this.complain(card, null);
      return true;
    } catch (refusal) {
      if (card && refusal.status === 412) card.conflicts += 1;
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
