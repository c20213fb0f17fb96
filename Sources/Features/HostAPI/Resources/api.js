// Speaks to the server.

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function send(method, path, body, headers = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0, "the server does not answer");
  }
  const text = await response.text();
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { /* Not from the server. */ }
  if (!response.ok) throw new Refusal(response.status, value?.error ?? `status ${response.status}`);
  return { value, etag: response.headers.get("etag") };
}

/**
 * Listens to the server, and says how that goes: "live", "lost", "closed" (no session) or "over" (what
 * was listened to has ended).
 */
export class Feed {
  // A line comes at least every second; a connection that a sleeping computer has lost says nothing.
  static patience = 5000;

  /** `onEvent` has a function for each kind of event; `canEnd`: whether there may be no more of them. */
  constructor(path, canEnd, onEvent, onConnection) {
    Object.assign(this, { path, canEnd, onEvent, onConnection, wait: 500 });
    document.addEventListener("visibilitychange", () => this.followVisibility());
    setInterval(() => {
      if (this.source && performance.now() - this.heard > Feed.patience) this.retry();
    }, 1000);
    this.open();
  }

  // Browsers open only six connections to a server: pages that nobody sees leave theirs to others.
  followVisibility() {
    clearTimeout(this.hiding);
    if (document.hidden) this.hiding = setTimeout(() => this.close(), 5000);
    else if (!this.source && !this.isOver) { this.wait = 500; this.open(); }
  }

  close() {
    this.source?.close();
    this.source = null;
    clearTimeout(this.timer);
  }

  open() {
    this.close();
    this.heard = performance.now();
    this.source = new EventSource(this.path);
    this.source.addEventListener("state", (event) => {
      this.heard = performance.now();
      this.wait = 500;
      this.onConnection("live");
    });
    for (const [kind, show] of Object.entries(this.onEvent)) {
      this.source.addEventListener(kind, (event) => show(JSON.parse(event.data)));
    }
    this.source.addEventListener("end", () => this.canEnd ? this.end() : this.retry());
    this.source.onerror = () => this.retry();
  }

  end() {
    this.isOver = true;
    this.close();
    this.onConnection("over");
  }

  async retry() {
    this.close();
    this.onConnection("lost");
    try {
      await send("GET", "/v1/host");
    } catch (refusal) {
      if (refusal.status === 401) return this.onConnection("closed");
    }
    this.timer = setTimeout(() => { if (!document.hidden) this.open(); }, this.wait);
    this.wait = Math.min(this.wait * 1.5, 4000);
  }
}
