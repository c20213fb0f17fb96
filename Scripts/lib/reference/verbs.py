"""The verbs of linkcond, as its argument parser describes them (--experimental-dump-help)."""

import json
import re
import subprocess
from dataclasses import dataclass, field


@dataclass
class Argument:
    """An option, a flag or a positional argument."""

    names: list  # "-i", "--interface"; none if it is positional
    value: str  # what stands for its value; empty for a flag
    text: str
    values: list  # the possible values, if there are few
    default: str
    is_optional: bool
    is_repeating: bool
    follows_terminator: bool

    @property
    def explanation(self):
        parts = [self.text.rstrip(".") + "." if self.text else ""]
        if self.values:
            parts.append("One of " + ", ".join(self.values) + ".")
        if self.default:
            parts.append(f"Default: {self.default}.")
        return " ".join(part for part in parts if part)


@dataclass
class Verb:
    path: list  # "linkcond", "override", "set"
    abstract: str
    blocks: list  # of the description: ("text", one paragraph) and ("literal", lines)
    examples: list  # lines
    positionals: list
    sections: dict  # the options by the title of their section
    verbs: list = field(default_factory=list)

    @property
    def name(self):
        return " ".join(self.path)

    @property
    def page(self):
        """The name of its page: linkcond-override-set."""
        return "-".join(self.path)

    @property
    def synopses(self):
        options = [o for section in self.sections.values() for o in section]
        is_own = self.positionals or any(o.names != ["-h", "--help"] for o in options)
        lines = [" ".join([self.name, *self.words(options)])] if is_own or not self.verbs else []
        return [*lines, *(f"{self.name} VERB ..." for _ in self.verbs[:1])]

    def words(self, options):
        if options:
            yield "[OPTION]..."
        for argument in self.positionals:
            word = argument.value.upper() + ("..." if argument.is_repeating else "")
            if argument.follows_terminator:
                word = "-- " + word
            yield f"[{word}]" if argument.is_optional else word

    def all(self):
        yield self
        for verb in self.verbs:
            yield from verb.all()


def read(binary):
    """The verb linkcond itself, with the others inside."""
    dump = subprocess.run([binary, "--experimental-dump-help"], capture_output=True, text=True,
                          check=True, stdin=subprocess.DEVNULL).stdout
    return verb(json.loads(dump)["command"], [])


def verb(command, above):
    path = [*above, command["commandName"]]
    blocks, examples = parts(command.get("discussion", ""))
    arguments = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    sections = {}
    for argument in arguments:
        if argument["kind"] != "positional":
            sections.setdefault(argument.get("sectionTitle", "Options"), []).append(
                option(argument))
    if "Options" in sections:  # the general ones are last, as in --help
        sections["Options"] = sections.pop("Options")
    return Verb(
        path, command.get("abstract", ""), blocks, examples,
        [option(a) for a in arguments if a["kind"] == "positional"], sections,
        [verb(c, path) for c in command.get("subcommands", [])
         if c.get("shouldDisplay", True) and c["commandName"] != "help"])


def option(argument):
    names = [("-" if name["kind"] == "short" else "--") + name["name"]
             for name in argument.get("names", [])]
    takes_value = argument["kind"] != "flag"
    return Argument(
        sorted(names, key=lambda name: name.startswith("--")),
        argument.get("valueName", "") if takes_value else "",
        argument.get("abstract", ""), argument.get("allValues", []),
        argument.get("defaultValue", ""), argument.get("isOptional", False),
        argument.get("isRepeating", False), argument.get("parsingStrategy") == "postTerminator")


def parts(discussion):
    """Splits a description into blocks, and the examples at its end."""
    blocks, examples, is_example = [], [], False
    for line in discussion.split("\n"):
        if re.fullmatch(r"Examples?:", line):
            is_example = True
        elif not line.strip():
            blocks.append(("end", ""))
        elif is_example and line.startswith("  "):
            examples.append(line[2:])
        elif line.startswith("  "):
            if blocks and blocks[-1][0] == "literal":
                blocks[-1][1].append(line[2:])
            else:
                blocks.append(("literal", [line[2:]]))
        else:
            is_example = False
            blocks.append(("text", line.strip()))
    return [block for block in blocks if block[0] != "end"], examples
