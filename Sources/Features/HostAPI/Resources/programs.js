// What others have started: runs, matrices, proxies.

import { arrange, commandLine, make, say } from "/dom.js";

/** One of them. Its elements stay as long as it is listed, whatever else changes. */
class Program {
  links = new Map();

  constructor(pid, kill) {
    this.pid = pid;
    this.about = make("span", { class: "muted" });
    this.words = make("code");
    this.report = make("a", { href: `/v1/host/programs/${pid}/report`, target: "_blank", rel: "noopener" }, `Report of process ${pid}`);
    this.later = make("span", { class: "muted" }, "The report can be opened at the end.");
    this.watching = commandLine(`for process ${pid}`);
    this.stopping = commandLine(`that stops process ${pid}`);
    this.stopping.show([...kill, `${pid}`]);
    this.element = make("li", {}, this.about, this.words);
  }

  show({ verb, command, links, report, isOver }) {
    say(this.about, `${verb}, process ${this.pid}${isOver ? ", has ended" : ""}`);
    say(this.words, command);
    if (links.length) this.watching.show(["linkcond", "status", "--watch", "--pid", `${links[0]}`]);
    else if (report) this.watching.show(["xdg-open", report]);
    for (const link of this.links.keys()) if (!links.includes(link)) this.links.delete(link);
    arrange(this.element, [this.about, this.words,
      ...links.map((link, index) => this.view(link, links.length > 1 ? `link ${index + 1}, process` : "process")),
      // Of a matrix that goes on, the page is written at its end.
      ...report ? [isOver ? this.report : this.later] : [],
      ...links.length || report ? [this.watching.element] : [],
      ...isOver ? [] : [this.stopping.element]]);
  }

  view(link, what) {
    if (!this.links.has(link)) this.links.set(link, make("a", { href: `/?pid=${link}` }));
    say(this.links.get(link), `Live view of ${what} ${link}`);
    return this.links.get(link);
  }
}

export class Programs {
  programs = new Map();

  /** `kill` are the words that ask a process to end, without its number. */
  constructor(element, none, kill) {
    Object.assign(this, { element, none, kill });
  }

  show(programs) {
    this.none.hidden = programs.length > 0;
    const pids = new Set(programs.map((each) => each.pid));
    for (const pid of this.programs.keys()) if (!pids.has(pid)) this.programs.delete(pid);
    arrange(this.element, programs.map((each) => {
      if (!this.programs.has(each.pid)) this.programs.set(each.pid, new Program(each.pid, this.kill));
      const program = this.programs.get(each.pid);
      program.show(each);
      return program.element;
    }));
  }
}
