// What others have started: runs, matrices, proxies.

import { commandLine, make } from "/dom.js";

export class Programs {
  constructor(element, none) {
    Object.assign(this, { element, none });
  }

  show(programs) {
    const text = JSON.stringify(programs);
    if (text === this.text) return;
    this.text = text;
    this.none.hidden = programs.length > 0;
    this.element.replaceChildren(...programs.map((program) => this.item(program)));
  }

  item(program) {
    const item = make("li", {}, make("span", { class: "muted" }, `${program.verb}, process ${program.pid}${program.isOver ? ", has ended" : ""}`),
      make("code", {}, program.command));
    program.links.forEach((link, index) => item.append(make("a", { href: `/?pid=${link}` },
      program.links.length > 1 ? `Live view of link ${index + 1}, process ${link}` : `Live view of process ${link}`)));
    if (program.report) {
      // Of a matrix that goes on, the page is written at its end.
      if (program.isOver) item.append(make("a", { href: `/v1/host/programs/${program.pid}/report`, target: "_blank", rel: "noopener" }, `Report of process ${program.pid}`));
      else item.append(make("span", { class: "muted" }, "The report can be opened at the end."));
    }
    const command = commandLine(`for process ${program.pid}`);
    if (program.links.length) command.show(["linkcond", "status", "--watch", "--pid", `${program.links[0]}`]);
    else if (program.report) command.show(["xdg-open", program.report]);
    else command.element.hidden = true;
    item.append(command.element);
    return item;
  }
}
