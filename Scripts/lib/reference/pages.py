"""The reference as pages of Markdown: verbs, keys of files, keys of outputs, the catalogue."""

import re


def cell(text):
    """What may stand in a table."""
    return code_names(text).replace("|", r"\|").replace("\n", " ")


def code_names(text):
    """Options and variables in a text, as code; the rest so that Markdown leaves it alone."""
    text = re.sub(r"([*_<>\[\]])", r"\\\1", text)
    return re.sub(r"(?<![\w`/.-])(--[a-z][\w-]*|[A-Z]+(?:\\_[A-Z]+)+)",
                  lambda name: "`" + name[1].replace("\\", "") + "`", text)


def block(lines, language="text"):
    return "\n".join([f"```{language}", *lines, "```"])


def verb_page(verb):
    parts = [f"# {verb.name}", code_names(verb.abstract), block(verb.synopses)]
    if verb.examples:
        parts += ["## Examples", block(verb.examples, "sh")]
    if verb.blocks:
        parts.append("## Description")
        parts += [code_names(content) if kind == "text" else block(content)
                  for kind, content in verb.blocks]
    if verb.verbs:
        parts += ["## Verbs", table(("verb", "does"), [
            (f"[{v.name}]({v.page}.md)", cell(v.abstract)) for v in verb.verbs])]
    arguments = [(f"`{a.value.upper()}`", cell(a.explanation))
                 for a in verb.positionals if a.explanation]
    if arguments:
        parts += ["## Arguments", table(("argument", "meaning"), arguments)]
    for title, options in verb.sections.items():
        parts += [f"## {title}", table(("option", "meaning"), [
            (cell_of(option), cell(option.explanation)) for option in options])]
    return "\n\n".join(parts) + "\n"


def cell_of(option):
    value = " " + option.value.upper().replace("|", "|") if option.value else ""
    return "<br>".join(f"`{name}{value}`".replace("|", r"\|") for name in option.names)


def verbs_page(linkcond):
    return "\n\n".join([
        "# Verbs", "The manual pages (`man linkcond-run`) and `linkcond VERB --help-hidden` say the same. "
        "`linkcond VERB --help` shows what is needed most, on one screen.",
        table(("verb", "does"), [(f"[{v.name}]({v.page}.md)", cell(v.abstract))
                                 for v in linkcond.all() if len(v.path) > 1])]) + "\n"


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + " --- |" * len(headings)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def schema_page(title, introduction, schema):
    parts = [f"# {title}", introduction,
             f"The [schema](schema/{schema.file}) is in JSON Schema, for programs and editors."]
    for part in schema.tables:
        parts.append(f"## {'`' + part.name.replace(' and ', '` and `') + '`' if part.name else 'Keys'}")
        if part.text and part.name and " and " not in part.name:
            parts.append(code_names(part.text))
        parts.append(table(("key", "value", "meaning"), [
            (f"`{key.name}`" + (" (required)" if key.is_required else ""), cell(key.kind),
             cell(key.text)) for key in part.keys]))
    return "\n\n".join(parts) + "\n"


def rate(direction):
    bits = direction["bandwidthBitsPerSecond"]
    if bits is None:
        return "trace" if direction.get("trace") else "unlimited"
    for unit, size in (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 10**3)):
        if bits >= size:
            return f"{bits / size:g} {unit}"
    return f"{bits} bit/s"


def catalogue_page(profiles):
    """From `linkcond list --json`."""
    parts = ["# All profiles", "The profiles that are built in. `linkcond show FAMILY/NAME` shows one in "
             "full, with the sources of its numbers. Delays are one-way."]
    for family in dict.fromkeys(profile["family"] for profile in profiles):
        rows = []
        for p in profiles:
            if p["family"] != family:
                continue
            down, up = p["down"], p["up"]
            names = [p["name"], *(f"`{alias}`" for alias in p["aliases"])]
            rows.append((", ".join(names), rate(down), rate(up),
                         f"{down['delayMilliseconds']:g} / {up['delayMilliseconds']:g} ms",
                         f"{down['lossRatio'] * 100:g} / {up['lossRatio'] * 100:g} %",
                         cell(p["summary"])))
        parts += [f"## {family}", table(("name", "down", "up", "delay", "loss", "what it is"), rows)]
    return "\n\n".join(parts) + "\n"
