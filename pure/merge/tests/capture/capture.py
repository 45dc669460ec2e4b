#!/usr/bin/env python3
"""Asks a real kube-apiserver the questions of cases_*.py and writes its answers into ../golden."""

import http.client
import json
import os
import re
import subprocess
import sys
import time
import urllib.parse

import cases_admission
import cases_builtin
import cases_checks
import cases_decode
import cases_random
import cases_ssa
import cases_strategic

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "golden")
NAMESPACE = "merge-capture"
GROUP = "merge-capture.bowline.dev"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


class Server:
    """A connection through `kubectl proxy`, which knows the credentials."""

    def __init__(self):
        kubectl = os.environ.get("KUBECTL", "kubectl")
        self.proxy = subprocess.Popen([kubectl, "proxy", "--port=0"], stdout=subprocess.PIPE, text=True)
        line = self.proxy.stdout.readline()
        self.port = int(re.search(r":(\d+)$", line.strip()).group(1))

    def close(self):
        self.proxy.terminate()
        self.proxy.wait()

    def ask(self, method, path, body=None, kind="application/json", **query):
        query = {key: value for key, value in query.items() if value is not None}
        if query:
            path += "?" + urllib.parse.urlencode(query)
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request(method, path, body, {"Content-Type": kind, "Accept": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        warnings = answer.headers.get_all("Warning") or []
        connection.close()
        # A path that is not served yet is answered with plain text.
        try:
            return answer.status, json.loads(text), warnings
        except ValueError:
            return answer.status, {"message": text.decode()}, warnings


def error_of(status, answer):
    """What matters of a Status; causes in an order of our own, since Go's maps have none."""
    details = answer.get("details") or {}
    causes = sorted(details.get("causes") or [], key=lambda cause: json.dumps(cause, sort_keys=True))
    return {"code": status, "reason": answer.get("reason", ""), "message": answer.get("message", ""), "causes": causes}


def next_second():
    """Times in managedFields are whole seconds: each step has its own."""
    time.sleep(1.02 - time.time() % 1)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def crd(name, schema):
    kind = name.capitalize()
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"merge{name}s.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": f"merge{name}s", "singular": f"merge{name}", "kind": f"Merge{kind}"},
            "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                          "schema": {"openAPIV3Schema": schema}}],
        },
    }


CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def with_crd(server, name, schema):
    """Serves a schema; the path of its objects, and what they begin with."""
    definition = crd(name, schema)
    status, answer, _ = server.ask("POST", CRDS, definition)
    assert status in (201, 409), answer
    path = f"/apis/{GROUP}/v1/namespaces/{NAMESPACE}/merge{name}s"
    while server.ask("GET", path)[0] != 200:
        time.sleep(0.2)
    time.sleep(2)
    kind = definition["spec"]["names"]["kind"]
    return path, {"apiVersion": f"{GROUP}/v1", "kind": kind}


def drop_crd(server, name):
    server.ask("DELETE", f"{CRDS}/merge{name}s.{GROUP}")


def run_steps(server, path, base, name, steps):
    """Runs the steps of one case, with the object before and after each."""
    recorded = []
    for step in steps:
        step = dict(step)
        # Read late: controllers write too.
        now = next_second()
        status, live, _ = server.ask("GET", f"{path}/{name}")
        live = live if status == 200 else None
        if live is None and step["op"] not in ("apply", "create"):
            continue
        body = step.get("body")
        if isinstance(body, dict) and not step.pop("raw", False):
            body = {**base, **body}
            body["metadata"] = {"name": name, "namespace": NAMESPACE, **body.get("metadata", {})}
            if step["op"] == "update":
                body = update_of(live, body)
        target = f"{path}/{name}" + (f"/{step['subresource']}" if step.get("subresource") else "")
        options = {"fieldManager": step.get("manager"), "dryRun": step.get("dryRun")}
        if step["op"] == "create":
            asked = server.ask("POST", path, body, **options)
        elif step["op"] == "update":
            asked = server.ask("PUT", target, body, **options)
        elif step["op"] == "apply":
            asked = server.ask("PATCH", target, body, APPLY, force=str(step.get("force", False)).lower(), **options)
        elif step["op"] == "merge":
            asked = server.ask("PATCH", target, step["body"], MERGE, **options)
        elif step["op"] == "strategic":
            asked = server.ask("PATCH", target, step["body"], STRATEGIC, **options)
        status, answer, _ = asked
        step.update({"time": now, "live": live, "request": step["body"] if step["op"] in ("merge", "strategic") else body})
        step.pop("body", None)
        if status < 300:
            step["result"] = answer
        else:
            step["error"] = error_of(status, answer)
        recorded.append(step)
    server.ask("DELETE", f"{path}/{name}")
    return recorded


def update_of(live, body):
    """A PUT needs the version that it replaces."""
    body["metadata"]["resourceVersion"] = live["metadata"]["resourceVersion"]
    return body


def capture_ssa(server):
    path, base = with_crd(server, "ssa", cases_ssa.SCHEMA)
    cases = []
    for index, (name, steps) in enumerate(cases_ssa.CASES):
        cases.append({"name": name, "steps": run_steps(server, path, base, f"c{index}", steps)})
        print("ssa:", name, [step.get("error", {}).get("message", "ok") for step in cases[-1]["steps"]])
    drop_crd(server, "ssa")
    write("ssa.json", {"schema": cases_ssa.SCHEMA, "cases": cases})


def capture_kinds(server, cases, file):
    recorded = []
    for index, (name, kind, steps) in enumerate(cases):
        path, base, definition = cases_builtin.KINDS[kind]
        path = path.format(namespace=NAMESPACE)
        steps = run_steps(server, path, base, f"c{index}", steps)
        recorded.append({"name": name, "definition": definition, "steps": steps})
        print(file, name, [step.get("error", {}).get("message", "ok") for step in steps])
    write(file, {"cases": recorded})


def capture_builtin(server):
    capture_kinds(server, cases_builtin.CASES, "builtin.json")
    definitions(server)


def capture_strategic(server):
    capture_kinds(server, cases_strategic.CASES, "strategic.json")


def definitions(server):
    """The definitions that the kinds refer to, without what nobody reads."""
    known = {}
    for document in cases_builtin.DOCUMENTS:
        known.update(server.ask("GET", f"/openapi/v3/{document}")[1]["components"]["schemas"])
    wanted, queue = {}, [definition for _, _, definition in cases_builtin.KINDS.values()]
    while queue:
        name = queue.pop()
        if name in wanted:
            continue
        wanted[name] = without_descriptions(known[name])
        queue += re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(wanted[name]))
    write("definitions.json", wanted)


def without_descriptions(value):
    if isinstance(value, list):
        return [without_descriptions(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: without_descriptions(item) for key, item in value.items()
            if not (key == "description" and isinstance(item, str)) and key != "x-kubernetes-group-version-kind"}


def capture_admission(server):
    cases = []
    for index, (name, schema) in enumerate(cases_admission.CASES):
        definition = crd(f"admission{index}", schema)
        # With a status, the root may have less in it; that is not about schemas.
        del definition["spec"]["versions"][0]["subresources"]
        status, answer, _ = server.ask("POST", CRDS, definition, dryRun="All")
        case = {"name": name, "schema": schema}
        if status >= 300:
            case["error"] = error_of(status, answer)
        cases.append(case)
        print("admission:", name, status, [cause["message"] for cause in case.get("error", {}).get("causes", [])])
    write("admission.json", {"cases": cases})


def capture_checks(server):
    path, base = with_crd(server, "check", cases_checks.SCHEMA)
    cases = []
    for name, spec in cases_checks.CASES:
        body = {**base, "metadata": {"name": "x"}, "spec": spec}
        status, answer, _ = server.ask("POST", path, body, dryRun="All", fieldValidation="Ignore")
        case = {"name": name, "spec": spec}
        if status < 300:
            case["result"] = answer.get("spec")
        else:
            case["error"] = error_of(status, answer)
        cases.append(case)
        print("checks:", name, status, [cause["message"] for cause in case.get("error", {}).get("causes", [])])
    updates = []
    for name, old, new in cases_checks.UPDATES:
        # What the old object has wrong gets in before the schema is tightened.
        updates.append({"name": name, "old": old, "new": new})
    drop_crd(server, "check")
    loose_path, loose = with_crd(server, "ratchet", cases_checks.LOOSE)
    for index, case in enumerate(updates):
        body = {**loose, "metadata": {"name": f"c{index}"}, "spec": case["old"]}
        assert server.ask("POST", loose_path, body)[0] == 201
    definition = crd("ratchet", cases_checks.TIGHT)
    server.ask("PATCH", f"{CRDS}/{definition['metadata']['name']}", {"spec": definition["spec"]}, MERGE)
    time.sleep(3)
    for index, case in enumerate(updates):
        status, answer, _ = server.ask("PATCH", f"{loose_path}/c{index}", {"spec": case["new"]}, MERGE, dryRun="All")
        case["result" if status < 300 else "error"] = answer["spec"] if status < 300 else error_of(status, answer)
        print("ratchet:", case["name"], status, answer.get("message"))
    drop_crd(server, "ratchet")
    write("checks.json", {"schema": cases_checks.SCHEMA, "cases": cases,
                          "tight": cases_checks.TIGHT, "updates": updates})


def capture_decode(server):
    path, base = with_crd(server, "decode", cases_decode.SCHEMA)
    cases = []
    for name, spec in cases_decode.CASES:
        text = '{"apiVersion": "%s", "kind": "%s", "metadata": {"name": "x"%s}, "spec": %s}' % (
            base["apiVersion"], base["kind"], cases_decode.METADATA.get(name, ""), spec)
        status, answer, _ = server.ask("POST", path, text, dryRun="All", fieldValidation="Strict")
        case = {"name": name, "text": text}
        case["result" if status < 300 else "error"] = answer.get("spec") if status < 300 else error_of(status, answer)
        _, loose, warnings = server.ask("POST", path, text, dryRun="All", fieldValidation="Warn")
        case["warnings"] = [warning.split(" ", 2)[2] for warning in warnings]
        case["pruned"] = loose.get("spec")
        cases.append(case)
        print("decode:", name, status, answer.get("message"))
    drop_crd(server, "decode")
    kinds = []
    for name, kind, text in cases_decode.KINDS:
        path, _, definition = cases_builtin.KINDS[kind]
        status, answer, _ = server.ask("POST", path.format(namespace=NAMESPACE), text, dryRun="All", fieldValidation="Strict")
        message = answer.get("message", "") if status == 400 else ""
        kinds.append({"name": name, "definition": definition, "text": text, "message": message})
        print("decode:", name, status, message)
    write("decode.json", {"schema": cases_decode.SCHEMA, "cases": cases, "kinds": kinds})


def capture_random(server):
    """Many small questions; their times are not compared, so that nobody has to wait for the next second."""
    global next_second
    next_second, waiting = (lambda: "2024-01-01T00:00:00Z"), next_second
    path, base = with_crd(server, "ssa", cases_ssa.SCHEMA)
    applied = []
    for seed in range(30):
        steps = cases_random.Maker(seed).steps(cases_ssa.SCHEMA["properties"]["spec"])
        steps = run_steps(server, path, base, f"c{seed}", steps)
        applied.append({"name": f"seed {seed}", "steps": steps})
    drop_crd(server, "ssa")
    path, base = with_crd(server, "check", cases_checks.SCHEMA)
    checked = []
    fields = cases_checks.SCHEMA["properties"]["spec"]["properties"]
    for seed in range(300):
        maker = cases_random.Maker(seed)
        spec = {name: maker.doubtful(field) for name, field in fields.items() if maker.chance(0.08)}
        body = {**base, "metadata": {"name": "x"}, "spec": spec}
        status, answer, _ = server.ask("POST", path, body, dryRun="All", fieldValidation="Ignore")
        case = {"name": f"seed {seed}", "spec": spec}
        case["result" if status < 300 else "error"] = answer.get("spec") if status < 300 else error_of(status, answer)
        checked.append(case)
    drop_crd(server, "check")
    path, base, definition = cases_builtin.KINDS["PodTemplate"]
    path = path.format(namespace=NAMESPACE)
    patched = []
    for seed in range(30):
        maker = cases_random.Maker(seed)
        steps = [{"op": "create", "manager": "up", "body": maker.pod_template()}]
        steps += [{"op": "strategic", "manager": "p", "body": maker.patch()} for _ in range(2)]
        steps = run_steps(server, path, base, f"c{seed}", steps)
        patched.append({"name": f"seed {seed}", "definition": definition, "steps": steps})
    next_second = waiting
    write("random_ssa.json", {"schema": cases_ssa.SCHEMA, "cases": applied})
    write("random_checks.json", {"schema": cases_checks.SCHEMA, "cases": checked})
    write("random_strategic.json", {"cases": patched})
    print("random:", sum("error" in step for case in applied + patched for step in case["steps"]), "refused")


def write(name, data):
    """One case a line: a change of one is a change of one line."""
    lines = []
    for key, value in sorted(data.items()):
        if key in ("cases", "kinds", "updates"):
            items = ",\n".join("  " + json.dumps(item, sort_keys=True, separators=(",", ":")) for item in value)
            lines.append(f'"{key}": [\n{items}\n]')
        else:
            lines.append(f'"{key}": ' + json.dumps(value, sort_keys=True, separators=(",", ":")))
    with open(os.path.join(GOLDEN, name), "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    os.makedirs(GOLDEN, exist_ok=True)
    server = Server()
    try:
        server.ask("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        parts = {"ssa": capture_ssa, "builtin": capture_builtin, "admission": capture_admission,
                 "checks": capture_checks, "strategic": capture_strategic, "decode": capture_decode,
                 "random": capture_random}
        for name in sys.argv[1:] or parts:
            parts[name](server)
    finally:
        for name in ("ssa", "check", "ratchet", "decode"):
            drop_crd(server, name)
        server.ask("DELETE", f"/api/v1/namespaces/{NAMESPACE}")
        server.close()


main()
