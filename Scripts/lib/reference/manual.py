"""The manual pages: one for each verb, and one for each kind of file that people write."""

import re

from . import roff

FILES = [
    (".linkcond/", "profiles of the working directory, and its scenarios in .linkcond/scenarios/"),
    ("~/.config/linkcond/profiles/, ~/.config/linkcond/scenarios/",
     "those of the user; XDG_CONFIG_HOME can name another place than ~/.config"),
    ("/etc/linkcond/profiles/, /etc/linkcond/scenarios/", "those of this host"),
    ("/run/linkcond/", "what is needed to restore this host's interfaces; "
     "$XDG_RUNTIME_DIR/linkcond/ if that is not writable"),
]
PLACES = ("linkcond finds it by its name in {}, in {} or in {}, or by its path. "
          "Names are those inside the file; case does not matter, and spaces and hyphens are equal.")


class Manual:
    def __init__(self, linkcond, codes, version, date):
        self.linkcond, self.codes, self.version, self.date = linkcond, codes, version, date

    def page(self, name, section, summary):
        return roff.Page(name, section, summary.rstrip("."), self.date, self.version)

    def verb(self, verb):
        page = self.page(verb.page, 1, verb.abstract[:1].lower() + verb.abstract[1:])
        page.heading("Synopsis")
        for synopsis in verb.synopses:
            page.usage(synopsis)
        page.heading("Description")
        page.paragraph(verb.abstract)
        for kind, content in verb.blocks:
            page.paragraph(content) if kind == "text" else page.literal(content)
        if verb.verbs:
            page.heading("Verbs")
            for other in verb.verbs:
                page.item(roff.bold(f"{other.name}"), other.abstract)
        self.options(page, verb)
        self.exit_status(page, verb)
        if verb is self.linkcond:
            page.heading("Files")
            for path, text in FILES:
                page.item(roff.italic(path), text[:1].upper() + text[1:] + ".")
        if verb.examples:
            page.heading("Examples")
            page.literal(verb.examples)
        self.see_also(page, [other.page + "(1)" for other in self.relatives(verb)]
                      + ["linkcond-profile(5)", "linkcond-scenario(5)"])
        return page.text()

    def options(self, page, verb):
        arguments = [a for a in verb.positionals if a.explanation]
        if arguments:
            page.heading("Arguments")
            for argument in arguments:
                page.item(roff.italic(argument.value.upper()), argument.explanation)
        if any(verb.sections.values()):
            page.heading("Options")
        for title, options in verb.sections.items():
            if title != "Options" or len(verb.sections) > 1:
                page.subheading(title if title != "Options" else "Others")
            for option in options:
                names = ", ".join(roff.bold(name) for name in option.names)
                value = " " + roff.italic(option.value.upper()) if option.value else ""
                page.item(names + value, option.explanation)

    def exit_status(self, page, verb):
        page.heading("Exit status")
        if verb is not self.linkcond:
            page.paragraph("0 is success. The codes of failures are in linkcond(1).")
            return
        for code, meaning in self.codes["table"]:
            page.item(roff.bold(code), meaning[:1].upper() + meaning[1:] + ".")
        page.paragraph(self.codes["text"])

    def relatives(self, verb):
        """What stands beside a verb: linkcond itself, the verb above it, and those below."""
        above = [other for other in self.linkcond.all()
                 if verb.path[:len(other.path)] == other.path and other is not verb]
        if verb is self.linkcond:
            return verb.verbs
        return above + verb.verbs

    def see_also(self, page, names):
        page.heading("See also")
        page.paragraph(", ".join(names))

    def file(self, schema, folder, example):
        """linkcond-profile(5) and linkcond-scenario(5)."""
        page = self.page(f"linkcond-{schema.name}", 5, f"a {schema.name} of linkcond, as a YAML file")
        page.heading("Description")
        # What editors do with the schema is of no use here.
        page.paragraph(schema.text.split(" An editor ")[0])
        page.paragraph(PLACES.format(
            *(p + ("scenarios/" if folder == "scenarios" else folder and "profiles/")
              if p != ".linkcond/" or folder == "scenarios" else p
              for p in (".linkcond/", "~/.config/linkcond/", "/etc/linkcond/"))))
        for table in schema.tables:
            if table.name == "":
                page.heading("Keys")
            else:
                page.subheading(f"{table.name}")
            if table.text and table.name and " and " not in table.name:
                page.paragraph(table.text)
            for key in table.keys:
                kind = f" ({key.kind})" if key.kind else ""
                needed = " Required." if key.is_required else ""
                page.item(roff.bold(key.name) + roff.escape(kind), (key.text + needed).strip())
        page.heading("Example")
        page.literal(example)
        self.see_also(page, ["linkcond(1)", "linkcond-show(1)", "linkcond-run(1)", "linkcond-play(1)"
                             if schema.name == "scenario" else "linkcond-import(1)"])
        return page.text()


def exit_codes(markdown):
    """The table of docs/exit-codes.md, and the paragraph below it."""
    table = [(a.strip(), b.strip()) for a, b in re.findall(r"^\| *([\d, ]+?) *\| (.+?) \|$", markdown,
                                                           re.MULTILINE)]
    text = markdown.strip().split("\n\n")[-1].replace("\n", " ")
    return {"table": table, "text": text}


def first_example(markdown):
    """The first block of YAML in a page."""
    block = re.search(r"```yaml\n(.*?)```", markdown, re.DOTALL).group(1)
    return [part for part in block.rstrip().split("\n") if "yaml-language-server" not in part]
