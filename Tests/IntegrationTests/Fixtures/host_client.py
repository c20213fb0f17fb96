"""A client that is made of the description of the API (OpenAPI) alone, and what it does to a host.

usage: host_client.py ADDRESS TOKEN

Each operation is a method: its arguments are those of the description, and what is sent and answered is
checked against it. Works on the interface eth0.
"""

import concurrent.futures
import json
import re
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from jsonschema import Draft202012Validator
from openapi_spec_validator import validate


class Answer:
    def __init__(self, status, headers, value):
        self.status, self.headers, self.value = status, headers, value


def generate(address, token, description):
    """A class with a method for each operation that the description has for a host."""
    components = {"components": description["components"]}

    def resolve(item):
        while "$ref" in item:
            parts = item["$ref"].removeprefix("#/").split("/")
            item = description
            for part in parts:
                item = item[part]
        return item

    def check(schema, value):
        Draft202012Validator({**schema, **components}).validate(value)

    def method(path, verb, operation, parameters):
        def call(self, body=None, **arguments):
            query, headers, target = {}, {"authorization": f"Bearer {token}"}, path
            for parameter in parameters:
                # If-Match becomes if_match.
                value = arguments.pop(parameter["name"].lower().replace("-", "_"), None)
                if value is None:
                    assert not parameter.get("required"), parameter["name"]
                elif parameter["in"] == "path":
                    target = target.replace(f"{{{parameter['name']}}}", urllib.parse.quote(str(value), safe=""))
                elif parameter["in"] == "query":
                    query[parameter["name"]] = value
                else:
                    headers[parameter["name"]] = value
            assert not arguments, arguments
            if query:
                target += "?" + urllib.parse.urlencode(query)
            if body is not None:
                check(operation["requestBody"]["content"]["application/json"]["schema"], body)
                headers["content-type"] = "application/json"
            request = urllib.request.Request(
                address + target, method=verb.upper(), headers=headers,
                data=None if body is None else json.dumps(body).encode())
            try:
                response = urllib.request.urlopen(request, timeout=60)
            except urllib.error.HTTPError as error:
                response = error
            responses = operation["responses"]
            answer = resolve(responses.get(str(response.status)) or responses["default"])
            kind = response.headers.get_content_type()
            if kind == "text/event-stream":
                return response
            data = response.read()
            if not data:
                return Answer(response.status, response.headers, None)
            assert kind in answer["content"], (verb, target, response.status, kind, data)
            if kind != "application/json":
                return Answer(response.status, response.headers, data)
            value = json.loads(data)
            check(answer["content"][kind]["schema"], value)
            return Answer(response.status, response.headers, value)

        return call

    methods = {}
    for path, item in description["paths"].items():
        if path.startswith("/v1/host"):
            shared = item.get("parameters", [])
            for verb in {"get", "put", "post", "patch", "delete"} & set(item):
                parameters = [resolve(each) for each in shared + item[verb].get("parameters", [])]
                methods[item[verb]["operationId"]] = method(path, verb, item[verb], parameters)
    return type("Client", (), methods)


def main():
    address, token = sys.argv[1:]
    request = urllib.request.Request(
        address + "/v1/openapi.json", headers={"authorization": f"Bearer {token}"})
    description = json.load(urllib.request.urlopen(request))
    validate(description)
    host = generate(address, token, description)()

    assert host.getHost().value["mayChange"]
    assert "eth0" in [each["name"] for each in host.getHostState().value["interfaces"]]
    assert any(each["id"] == "apple/3G" for each in host.getHostProfiles().value)
    assert host.getHostProfile(profile="apple/3G").value["id"] == "apple/3G"
    assert host.getHostProfile(profile="3GG").status == 400
    assert host.getHostPath().value["interfaces"]
    assert host.getHostScenario(scenario="Elevator", seed=1).value["events"]
    assert host.getHostDoctor().value["checks"]
    assert host.getHostFields().value["fields"]
    place = {"interface": "eth0", "name": "default"}
    assert host.getConditions(**place).status == 404

    # A change, an override, and back.
    made = host.setConditions({"profile": "3G", "settings": ["down.loss=2%"],
                               "selectors": ["--except port=22"]}, **place, if_none_match="*")
    assert made.status == 201 and made.value["conditions"]["selectors"] == ["--except port=22"]
    assert host.setConditions({"profile": "LTE"}, **place, if_none_match="*").status == 412
    assert host.setOverride({"cost": "expensive"}, interface="eth0").status == 200
    assert host.getHostOverrides().value["overrides"][0]["expensive"]
    assert host.clearOverride(interface="eth0").status == 200
    lines = iter(host.getHostEvents())
    event = next(line for line in lines if line.startswith(b"data: "))
    state = json.loads(event.removeprefix(b"data: "))
    Draft202012Validator({"$ref": "#/components/schemas/HostState", "components": description["components"]}).validate(state)
    assert state["conditioned"][0]["version"] == made.value["conditions"]["version"]

    # Writers at once: one wins, and all others are told.
    for turn in range(3):
        seen = host.getConditions(**place).headers["etag"]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(
                lambda number: host.setConditions(
                    {"profile": "3G", "settings": [f"down.delay={100 + 10 * turn + number} ms"]}, **place, if_match=seen),
                range(8)))
        statuses = sorted(each.status for each in answers)
        assert statuses == [200] + [412] * 7, [(each.status, each.value) for each in answers]
        winner = next(each for each in answers if each.status == 200)
        assert host.getConditions(**place).value["profile"] == winner.value["conditions"]["profile"]
    assert host.clearConditions(**place, if_match=seen).status == 412
    assert host.clearHost().status == 200

    # A trace; only one that plays is read.
    assert host.getTrace(**place, direction="up").status == 404
    with tempfile.NamedTemporaryFile("w", suffix=".up") as trace:
        trace.write("".join(f"{time}\n" for time in range(10, 1010, 10)))
        trace.flush()
        made = host.setConditions({"profile": "3G", "settings": ["up.bandwidth=unlimited", f"up.trace={trace.name}"]}, **place)
        assert made.status in (200, 201), made.value
        assert host.getTrace(**place, direction="up").value["meanBitsPerSecond"] == 1200000
        assert host.getTrace(**place, direction="down").status == 404
    assert host.clearHost().status == 200

    # A scenario.
    play = host.beginPlay({"scenario": "Elevator", "interfaces": ["cell0=eth0"], "seed": 7})
    assert play.status == 201 and not play.value["isOver"]
    # It may take its time on a busy machine.
    for _ in range(300):
        found = host.getConditions(**place)
        if found.status == 200:
            break
        time.sleep(0.1)
    assert found.value["profile"].startswith("apple/LTE"), found.value
    assert host.beginPlay({"scenario": "Elevator", "interfaces": ["cell0=eth0"]}).status == 400
    ended = host.endPlay(id=play.value["id"])
    assert ended.value["isOver"] and ended.value["exitCode"] == 130, ended.value
    assert host.getConditions(**place).status == 404
    assert len(host.getPlays().value["plays"]) == 1
    assert host.getReport(pid=1).status == 404
    assert re.match(r"http://", host.inviteBrowser().value["address"])
    print("done")


main()
