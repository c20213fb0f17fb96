// Makes and changes elements.

/** make("p", { class: "muted" }, "text", child) */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Changes a text if it is another one: screen readers and layout are left alone otherwise. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function set(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/**
 * Gives an element these children. Those that it has are not touched if they are to stay: a click on
 * something that is moved or made anew between press and release is lost.
 */
export function arrange(element, children) {
  const wanted = new Set(children);
  for (const child of [...element.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, index) => {
    // What is earlier than it should be goes to the end, instead of all others before it.
    if (element.children[index] !== child && element.children[index + 1] === child) element.append(element.children[index]);
    if (element.children[index] !== child) element.insertBefore(child, element.children[index] ?? null);
  });
}

const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;
const quoted = (word) => plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The words of a command, as a shell reads them. */
export const shell = (words) => words.map(quoted).join(" ");

/** A line with a command and a button that copies it. */
export function commandLine(label) {
  const code = make("code");
  const button = make("button", { type: "button", "aria-label": `Copy the command ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      // Without encryption, browsers copy only for addresses of this host.
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  const element = make("div", { class: "command" }, code, button);
  return { element, show: (words) => say(code, typeof words === "string" ? words : shell(words)) };
}
