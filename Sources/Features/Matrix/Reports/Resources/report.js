"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const target = () => document.getElementById(location.hash.slice(1));
  const title = document.title;

  // What the reader chose is in the address, so that a link keeps it.
  const overview = document.querySelector(".overview");
  const field = document.getElementById("filter");
  const buttons = all("button[data-show]");
  const lists = all("select[data-sort]").map((select) => {
    const section = select.closest("section");
    const body = section.querySelector("tbody");
    const rows = [...body.rows].map((row, position) => {
      const head = row.querySelector("th");
      const name = (row.dataset.name ?? head.querySelector("b").textContent).toLowerCase();
      return { row, position, name, text: head.textContent.toLowerCase(), states: row.dataset.states.split(" ") };
    });
    return { select, section, body, rows, what: select.dataset.sort, sort: "" };
  });
  const state = { q: "", show: "all" };
  const address = () => {
    const chosen = new URLSearchParams();
    if (state.q) chosen.set("q", state.q);
    if (state.show !== "all") chosen.set("show", state.show);
    for (const list of lists) if (list.sort) chosen.set(list.what, list.sort);
    return chosen.toString();
  };
  const arrange = (list) => {
    const key = list.sort.replace(/^-/, "");
    const sign = list.sort.startsWith("-") ? -1 : 1;
    const order = [...list.rows];
    if (key === "name") order.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
    else if (key) order.sort((a, b) => sign * (a.row.dataset[key] - b.row.dataset[key]) || a.position - b.position);
    list.body.append(...order.map((entry) => entry.row));
    list.arranged = list.sort;
  };
  const apply = () => {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const told = [];
    for (const list of lists) {
      let shown = 0;
      for (const { row, text, states } of list.rows) {
        const isShown = words.every((word) => text.includes(word))
          && (state.show === "all" || states.includes(state.show));
        row.hidden = !isShown;
        shown += isShown ? 1 : 0;
      }
      if (list.sort !== (list.arranged ?? "")) arrange(list);
      if (shown < list.rows.length) told.push(`${shown} of ${list.rows.length} ${list.what}`);
    }
    document.querySelector(".hidden-rows").textContent = told.join(", ");
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.show === state.show));
  };
  const choose = () => {
    apply();
    history.replaceState(null, "", `#${address() || "matrix"}`);
  };
  const read = () => {
    const hash = location.hash.slice(1);
    // Other addresses are those of cells, or of the overview with what was chosen before.
    if (!hash.includes("=")) return;
    const chosen = new URLSearchParams(hash);
    state.q = chosen.get("q") ?? "";
    const show = chosen.get("show");
    state.show = buttons.some((button) => button.dataset.show === show) ? show : "all";
    field.value = state.q;
    for (const list of lists) {
      const sort = chosen.get(list.what) ?? "";
      list.sort = [...list.select.options].some((option) => option.value === sort) ? sort : "";
      list.select.value = list.sort;
    }
    apply();
  };
  if (field) {
    document.querySelector(".tools").hidden = false;
    for (const list of lists) {
      list.select.parentElement.hidden = list.rows.length < 2;
      list.select.addEventListener("change", () => { list.sort = list.select.value; choose(); });
    }
    for (const button of buttons) {
      button.addEventListener("click", () => { state.show = button.dataset.show; choose(); });
    }
    field.addEventListener("input", () => { state.q = field.value; choose(); });
    // What was chosen accompanies the reader to files of cells, and back.
    const take = (event) => {
      const link = event.target.closest("a[href^='pages/']");
      if (link) link.search = address();
    };
    addEventListener("click", take, true);
    addEventListener("auxclick", take, true);
  } else {
    const chosen = location.search.slice(1);
    for (const link of all("a.back, a.step")) {
      if (!chosen || !link.protocol.match(/^(file|https?):$/)) continue;
      if (link.classList.contains("back")) link.hash = chosen; else link.search = chosen;
    }
  }

  // Where the reader was in the matrix, for the way back.
  let matrixScroll = 0;
  let last = null;
  addEventListener("scroll", () => { if (!last) matrixScroll = scrollY; }, { passive: true });
  const show = () => {
    const shown = target();
    const cell = shown && shown.closest(".cell");
    document.title = cell ? `${cell.querySelector("h1").textContent} - ${title}` : title;
    if (cell) {
      // The end of a log says why.
      for (const log of all(".log pre", cell)) log.scrollTop = log.scrollHeight;
      const details = shown.matches("tr") && shown.querySelector("details");
      if (details) details.open = true;
      if (shown === cell) scrollTo(0, 0); else shown.scrollIntoView({ block: "center" });
      shown.focus({ preventScroll: true });
    } else if (last) {
      if (field && !location.hash.includes("=") && address()) history.replaceState(null, "", `#${address()}`);
      scrollTo(0, matrixScroll);
      const link = document.querySelector(`.sign[href="#${last.id}"]`);
      if (link) link.focus({ preventScroll: true });
    }
    last = cell;
    if (!cell && overview && field) read();
  };
  addEventListener("hashchange", show);
  show();

  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === "/" && field && !last && !event.target.matches("input, select")) {
      event.preventDefault();
      field.focus();
      return;
    }
    if (!last || event.target.matches("input, pre")) return;
    const links = { ArrowLeft: "[rel=previous]", ArrowRight: "[rel=next]", Escape: ".back" };
    const link = links[event.key] && last.querySelector(links[event.key]);
    if (link) link.click();
  });

  // Paper cannot be opened.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])").filter((details) => !details.closest(".signs"));
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of opened) details.open = false; });

  // Copying needs a page that the browser trusts.
  if (navigator.clipboard) {
    for (const button of all(".copy")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const text = button.parentElement.querySelector("pre").textContent;
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = "Copied";
        } catch {
          button.textContent = "Failed";
        }
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      });
    }
  }

  // Values under the pointer, in all plots of a cell at once.
  const scaled = (value) => value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
  const units = {
    rate: (value) => value >= 1e9 ? `${scaled(value / 1e9)} Gbit/s` : value >= 1e6 ? `${scaled(value / 1e6)} Mbit/s`
      : value >= 1e3 ? `${scaled(value / 1e3)} kbit/s` : `${Math.round(value)} bit/s`,
    milliseconds: (value) => `${scaled(value)} ms`,
    packets: (value) => Math.round(value) === 1 ? "1 packet" : `${Math.round(value)} packets`,
  };
  // The corners of a curve: [x, y, whether a line leads there].
  const corners = (path) => {
    const list = [];
    let x = 0, y = 0;
    for (const [, letter, numbers] of path.getAttribute("d").matchAll(/([MHVLh])([^MHVLh]*)/g)) {
      const [a, b] = numbers.trim().split(" ").map(Number);
      if (letter === "h") continue;
      if (letter === "H") x = a; else if (letter === "V") y = a; else { x = a; y = b; }
      list.push([x, y, letter !== "M"]);
    }
    return list;
  };
  const valueAt = (list, x) => {
    for (let index = 1; index < list.length; index++) {
      const [x0, y0] = list[index - 1];
      const [x1, y1, isJoined] = list[index];
      if (x < x0 || x > x1 || x0 === x1) continue;
      if (isJoined) return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
      return null;
    }
    return null;
  };
  for (const group of all(".plots")) {
    const plots = all(".plot", group).map((figure) => ({
      svg: figure.querySelector(".box svg"), box: figure.querySelector(".box"),
      told: figure.querySelector("figcaption span"),
    }));
    const clear = () => {
      for (const plot of plots) {
        if (plot.cursor) plot.cursor.remove();
        if (plot.caption !== undefined) plot.told.textContent = plot.caption;
        plot.cursor = undefined;
      }
    };
    const move = (event, box) => {
      const area = box.getBoundingClientRect();
      const ratio = Math.min(1, Math.max(0, (event.clientX - area.left) / area.width));
      for (const plot of plots) {
        plot.caption ??= plot.told.textContent;
        plot.curves ??= all("path[data-name]", plot.svg).map((path) => [path.dataset.name, corners(path)]);
        if (!plot.cursor) {
          plot.cursor = document.createElement("div");
          plot.cursor.className = "cursor";
          plot.box.append(plot.cursor);
        }
        plot.cursor.style.left = `${ratio * 100}%`;
        const { top, unit, end } = plot.svg.dataset;
        const values = plot.curves.map(([name, list]) => {
          const y = valueAt(list, ratio * 1000);
          return `${name} ${y === null ? "-" : units[unit]((1000 - y) / 1000 * top)}`;
        });
        plot.told.textContent = `${(ratio * end).toFixed(2)} s: ${values.join(", ")}`;
      }
    };
    for (const { box } of plots) {
      box.addEventListener("pointermove", (event) => move(event, box));
      box.addEventListener("pointerleave", clear);
    }
  }
})();
