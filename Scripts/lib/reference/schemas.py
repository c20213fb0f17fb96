"""The keys of files and outputs, as the JSON Schemas in Profiles/schema describe them."""

import glob
import json
import os
from dataclasses import dataclass

SCALARS = {"string": "text", "number": "number", "integer": "whole number", "boolean": "true or false",
           "object": "object", "array": "list", "null": "null"}


@dataclass
class Key:
    name: str
    kind: str
    text: str
    is_required: bool


@dataclass
class Table:
    """An object: the file itself (without a name), or what is within, by its path."""

    name: str
    text: str
    keys: list


class Schema:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.root = json.load(file)
        self.file = os.path.basename(path)
        self.name = self.file.removesuffix(".schema.json")
        self.text = self.root.get("description", "")
        self.tables = []
        self.collect("", self.root)

    def resolve(self, reference):
        """The definition behind "#/$defs/x"; of another file there is only the name."""
        value = self.root
        if not reference.startswith("#"):
            return {}
        for step in reference.removeprefix("#").strip("/").split("/"):
            value = value[step] if step else value
        return value

    def collect(self, name, value):
        """Adds the table of an object, then those of the objects within."""
        value = self.followed(value)
        if value.get("type") == "array":
            self.collect(name, value.get("items", {}))
            return
        alternatives = value.get("oneOf", []) + value.get("anyOf", [])
        if "properties" not in value:
            for part in alternatives:
                if isinstance(part, dict) and "object" in str(self.followed(part).get("type")):
                    self.collect(name, part)
            rest = value.get("additionalProperties")
            if isinstance(rest, dict):
                self.collect(name + ".NAME" if name else "NAME", rest)
            return
        required = set(value.get("required", []))
        table = Table(name, value.get("description", ""), [
            Key(key, self.kind(part), self.description(part), key in required)
            for key, part in value["properties"].items()])
        for other in self.tables:
            if other.name and other.keys == table.keys:  # such as down and up
                other.name += f" and {name}"
                return
            if other.name == name:  # one of several forms of a value
                other.keys += [key for key in table.keys if key not in other.keys]
                break
        else:
            self.tables.append(table)
        for key, part in value["properties"].items():
            within = self.followed(part)
            is_list = within.get("type") == "array"
            if is_list:
                within = self.followed(within.get("items", {}))
            if self.has_keys(within):
                self.collect(f"{name}.{key}" if name else key, within)

    def has_keys(self, value):
        value = self.followed(value)
        parts = [*value.get("oneOf", []), *value.get("anyOf", []), value.get("additionalProperties")]
        return "properties" in value or any(
            isinstance(part, dict) and self.has_keys(part) for part in parts)

    def followed(self, value):
        """The value with its definition, whose keywords it may override."""
        while "$ref" in value:
            rest = {key: part for key, part in value.items() if key != "$ref"}
            value = {**self.resolve(value["$ref"]), **rest}
        return value

    def kind(self, value):
        """What a value of this key looks like, in words."""
        value = self.followed(value)
        if "const" in value:
            return json.dumps(value["const"])
        if "enum" in value:
            return ", ".join(v if isinstance(v, str) else json.dumps(v) for v in value["enum"])
        alternatives = value.get("oneOf") or value.get("anyOf")
        if alternatives and "properties" not in value:
            kinds = dict.fromkeys(self.kind(part) for part in alternatives)
            return " or ".join(kind for kind in kinds if kind)
        kind = value.get("type", "")
        kinds = kind if isinstance(kind, list) else [kind]
        if "array" in kinds and isinstance(value.get("items"), dict):
            of = self.kind(value["items"])
            return f"list of {of}" if of else "list"
        if value.get("examples"):
            return "such as " + ", ".join(str(example) for example in value["examples"])
        return " or ".join(SCALARS.get(kind, kind) for kind in kinds if kind)

    def description(self, value):
        text = self.followed(value).get("description", "")
        if "default" in value:
            default = value["default"]
            default = default if isinstance(default, str) else json.dumps(default)
            text = f"{text} Default: {default}.".strip()
        return text


def read(folder, name):
    return Schema(os.path.join(folder, f"{name}.schema.json"))


def all_of(folder):
    return [Schema(path) for path in sorted(glob.glob(os.path.join(folder, "*.schema.json")))]
