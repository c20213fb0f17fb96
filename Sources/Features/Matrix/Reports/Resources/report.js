"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const target = () => document.getElementById(location.hash.slice(1));
  const title = document.title;

  // Where the reader was in the matrix, for the way back.
  let matrixScroll = 0;
  let last = null;
  addEventListener("scroll", () => { if (!last) matrixScroll = scrollY; }, { passive: true });
  const show = () => {
    const shown = target();
    const cell = shown && shown.classList.contains("cell") ? shown : null;
    document.title = cell ? `${cell.querySelector("h2").textContent} - ${title}` : title;
    if (cell) {
      scrollTo(0, 0);
      // The end of a log says why.
      for (const log of all(".log pre", cell)) log.scrollTop = log.scrollHeight;
      cell.focus({ preventScroll: true });
    } else if (last) {
      scrollTo(0, matrixScroll);
      const link = document.querySelector(`.sign[href="#${last.id}"]`);
      if (link) link.focus({ preventScroll: true });
    }
    last = cell;
  };
  addEventListener("hashchange", show);
  show();

  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!last || event.target.matches("input, pre")) return;
    const links = { ArrowLeft: "[rel=previous]", ArrowRight: "[rel=next]", Escape: ".back" };
    const link = links[event.key] && last.querySelector(links[event.key]);
    if (link) link.click();
  });

  // The filter.
  const tools = document.querySelector(".tools");
  const field = document.getElementById("filter");
  const buttons = all("button[data-show]");
  const rows = all(".matrix tbody tr");
  let state = "all";
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let hidden = 0;
    for (const row of rows) {
      const name = row.dataset.name.toLowerCase();
      const isShown = words.every((word) => name.includes(word))
        && (state === "all" || row.dataset.states.split(" ").includes(state));
      row.hidden = !isShown;
      hidden += isShown ? 0 : 1;
    }
    tools.querySelector(".hidden-rows").textContent =
      hidden ? `${hidden} of ${rows.length} profiles hidden` : "";
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      state = button.dataset.show;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      filter();
    });
  }
  field.addEventListener("input", filter);
  tools.hidden = rows.length < 2;

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
