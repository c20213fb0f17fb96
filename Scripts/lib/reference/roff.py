"""Writes manual pages with the macros of man(7)."""

import re

# An option within a text: -i, --interface. Neither a dash between words nor a negative number.
OPTION = re.compile(r"(?<![\w/.-])(--?[A-Za-z][\w-]*)")
BACKSLASH = "\\"


def escape(text):
    text = text.replace(BACKSLASH, r"\e").replace("-", r"\-").replace("`", r"\(ga")
    return "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)


def line(text):
    """A line of its own: a period or an apostrophe at its beginning would be a request."""
    text = escape(text)
    return r"\&" + text if text.startswith((".", "'")) else text


def prose(text):
    """A paragraph, with options in bold; code in backquotes is bold, too."""
    parts = re.split(r"`([^`]+)`", text)
    out = []
    for index, part in enumerate(parts):
        if index % 2:
            out.append(bold(part))
        else:
            pieces = OPTION.split(part)
            out += [bold(p) if i % 2 else escape(p) for i, p in enumerate(pieces)]
    text = "".join(out)
    return r"\&" + text if text.startswith((".", "'")) else text


def bold(text):
    return r"\fB" + escape(text) + r"\fP"


def italic(text):
    return r"\fI" + escape(text) + r"\fP"


class Page:
    def __init__(self, name, section, summary, date, version):
        self.lines = [f'.TH "{escape(name.upper())}" "{section}" "{date}" "{escape(version)}"']
        # Hyphenation and a stretched right margin serve no page with options.
        self.lines += [".nh", ".ad l"]
        self.heading("Name")
        self.lines.append(f"{escape(name)} \\- {escape(summary)}")

    def heading(self, title):
        self.lines.append(f'.SH "{escape(title.upper())}"')

    def subheading(self, title):
        self.lines.append(f'.SS "{escape(title)}"')

    def paragraph(self, text):
        if self.lines[-1][:3] not in (".SH", ".SS"):
            self.lines.append(".PP")
        self.lines.append(prose(text))

    def literal(self, lines):
        if self.lines[-1][:3] not in (".SH", ".SS"):
            self.lines.append(".PP")
        # An empty line would be two in some viewers.
        self.lines += [".RS 4", ".nf", *(line(part) if part.strip() else r"\&" for part in lines),
                       ".fi", ".RE"]

    def item(self, tag, text):
        self.lines += [".TP", tag, prose(text) if text else r"\&"]

    def usage(self, synopsis):
        """Words in capitals stand for something else."""
        words = re.split(r"([A-Z][A-Z|-]+)", synopsis)
        if not self.lines[-1].startswith(".SH"):
            self.lines.append(".br")
        self.lines.append("".join(
            italic(w) if i % 2 else bold(w) if w.strip(" []-.") else escape(w)
            for i, w in enumerate(words) if w))

    def text(self):
        return "\n".join(self.lines) + "\n"
