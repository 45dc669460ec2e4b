"""Server-side apply on a custom resource: who owns what after which step."""

STRING = {"type": "string"}
INTEGER = {"type": "integer"}

ITEM = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": STRING,
        "protocol": {"type": "string", "default": "TCP"},
        "value": STRING,
        "count": INTEGER,
        "tags": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"},
        "inner": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
                  "items": {"type": "object", "required": ["id"], "properties": {"id": INTEGER, "text": STRING}}},
    },
}

SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "text": STRING,
                "other": STRING,
                "count": INTEGER,
                "ratio": {"type": "number"},
                "flag": {"type": "boolean"},
                "port": {"x-kubernetes-int-or-string": True},
                "nothing": {"type": "string", "nullable": True},
                "struct": {"type": "object", "properties": {"a": STRING, "b": STRING,
                                                            "deep": {"type": "object", "properties": {"c": STRING}}}},
                "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": STRING, "b": STRING}},
                "map": {"type": "object", "additionalProperties": STRING},
                "structs": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": STRING, "b": STRING}}},
                "list": {"type": "array", "items": STRING},
                "set": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"},
                "numbers": {"type": "array", "items": INTEGER, "x-kubernetes-list-type": "set"},
                "items": {"type": "array", "items": ITEM, "x-kubernetes-list-type": "map",
                          "x-kubernetes-list-map-keys": ["name", "protocol"]},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "resource": {"type": "object", "x-kubernetes-embedded-resource": True,
                             "x-kubernetes-preserve-unknown-fields": True},
                "filled": {"type": "string", "default": "full"},
            },
        },
        "status": {"type": "object", "properties": {"phase": STRING, "count": INTEGER}},
    },
}


def apply(manager, spec=None, force=False, **more):
    body = {} if spec is None else {"spec": spec}
    body.update(more.pop("body", {}))
    return {"op": "apply", "manager": manager, "force": force, "body": body, **more}


def create(manager, spec, **more):
    return {"op": "create", "manager": manager, "body": {"spec": spec, **more}}


def update(manager, spec, **more):
    return {"op": "update", "manager": manager, "body": {"spec": spec, **more}}


def merge(manager, body, **more):
    return {"op": "merge", "manager": manager, "body": body, **more}


def item(name, **fields):
    return {"name": name, **fields}


CASES = [
    ("create by apply", [apply("one", {"text": "a", "count": 1, "ratio": 1.5, "flag": True, "port": 80})]),
    ("apply twice changes nothing", [apply("one", {"text": "a"}), apply("one", {"text": "a"})]),
    ("what is no longer applied goes", [apply("one", {"text": "a", "other": "b", "count": 1}), apply("one", {"text": "a"})]),
    ("an applier that applies nothing", [apply("one", {"text": "a"}), apply("one")]),
    ("a second applier", [apply("one", {"text": "a"}), apply("two", {"other": "b"})]),
    ("conflict", [apply("one", {"text": "a"}), apply("two", {"text": "b"})]),
    ("two conflicts with one", [apply("one", {"text": "a", "count": 1}), apply("two", {"text": "b", "count": 2})]),
    ("conflicts with two and force", [
        apply("one", {"text": "a", "other": "x"}), apply("two", {"count": 1, "text": "a"}),
        apply("three", {"text": "b", "count": 2}), apply("three", {"text": "b", "count": 2}, force=True),
        apply("one", {"text": "a", "other": "x"})]),
    ("owning together", [apply("one", {"text": "a"}), apply("two", {"text": "a"}), apply("one", {"other": "b"}),
                         apply("two", {"count": 1})]),
    ("taking by force and giving back", [apply("one", {"text": "a"}), apply("two", {"text": "b"}, force=True),
                                         apply("one", {"text": "a"}, force=True), apply("two", {})]),
    ("conflict with an updater", [create("up", {"text": "a"}), apply("one", {"text": "b"})]),
    ("taking from an updater", [create("up", {"text": "a", "count": 1}), apply("one", {"text": "b"}, force=True)]),
    ("an update takes", [apply("one", {"text": "a", "other": "b"}), merge("up", {"spec": {"text": "c"}}),
                         apply("one", {"text": "a", "other": "b"})]),
    ("an update removes", [apply("one", {"text": "a", "other": "b"}), merge("up", {"spec": {"text": None}}),
                           apply("one", {"text": "a", "other": "b"})]),
    ("an update that changes nothing", [apply("one", {"text": "a"}), merge("up", {"spec": {"text": "a"}})]),
    ("a put without managed fields keeps them", [apply("one", {"text": "a"}), update("up", {"text": "a", "count": 3})]),
    ("a put that empties managed fields", [
        apply("one", {"text": "a"}), merge("up", {"metadata": {"managedFields": []}, "spec": {"count": 1}}),
        merge("up", {"spec": {"count": 2}}), apply("one", {"text": "b"})]),
    ("items are owned by key", [apply("one", {"items": [item("a", value="1"), item("b", value="2")]}),
                                apply("two", {"items": [item("b", count=3), item("c")]}),
                                apply("one", {"items": [item("a", value="1")]})]),
    ("items with defaulted keys", [apply("one", {"items": [item("a", value="1")]}),
                                   apply("two", {"items": [item("a", protocol="UDP"), item("a", protocol="TCP", count=1)]}),
                                   apply("one", {"items": []})]),
    ("conflict in an item", [apply("one", {"items": [item("a", value="1")]}),
                             apply("two", {"items": [item("a", value="2")]})]),
    ("items in items", [apply("one", {"items": [item("a", inner=[{"id": 1, "text": "x"}])]}),
                        apply("two", {"items": [item("a", inner=[{"id": 2, "text": "y"}, {"id": 1}])]}),
                        apply("one", {"items": [item("a")]}),
                        apply("two", {"items": [item("a", inner=[{"id": 1, "text": "z"}])]})]),
    ("order of items", [apply("one", {"items": [item("a"), item("b"), item("c"), item("d")]}),
                        apply("two", {"items": [item("x"), item("c"), item("a"), item("y")]}),
                        apply("three", {"items": [item("d"), item("z"), item("b")]})]),
    ("order given anew", [apply("one", {"items": [item("a"), item("b"), item("c")]}),
                          apply("one", {"items": [item("c"), item("a"), item("d"), item("b")]})]),
    ("dropping an item that an updater changed", [
        apply("one", {"items": [item("a", value="1"), item("b")]}),
        merge("up", {"spec": {"items": [{"name": "a", "protocol": "TCP", "value": "1", "count": 9},
                                        {"name": "b", "protocol": "TCP"}]}}),
        apply("one", {"items": [item("b")]})]),
    ("sets are owned by value", [apply("one", {"set": ["a", "b"]}), apply("two", {"set": ["b", "c"]}),
                                 apply("one", {"set": ["a"]}), apply("two", {"set": ["c"]}), apply("one", {})]),
    ("sets of numbers", [apply("one", {"numbers": [1, 2]}), apply("two", {"numbers": [2, 3]}), apply("one", {"numbers": [1]})]),
    ("order of sets", [apply("one", {"set": ["a", "b", "c", "d"]}), apply("two", {"set": ["d", "x", "b"]}),
                       apply("one", {"set": ["d", "c", "b", "a"]})]),
    ("lists are owned whole", [apply("one", {"list": ["a", "b"]}), apply("two", {"list": ["a"]}),
                               apply("two", {"list": ["a", "b"]}), apply("one", {}), apply("two", {"list": []}), apply("two", {})]),
    ("maps are owned by entry", [apply("one", {"map": {"a": "1", "b": "2"}}), apply("two", {"map": {"b": "2", "c": "3"}}),
                                 apply("one", {"map": {"a": "1"}}), apply("one", {}), apply("two", {})]),
    ("a map that empties", [apply("one", {"map": {"a": "1"}, "text": "x"}), apply("one", {"map": {}, "text": "x"}),
                            apply("one", {"text": "x"})]),
    ("structs in maps", [apply("one", {"structs": {"k": {"a": "1"}}}), apply("two", {"structs": {"k": {"b": "2"}, "l": {}}}),
                         apply("one", {"structs": {}}), apply("two", {"structs": {"l": {"a": "x"}}})]),
    ("atomic structs", [apply("one", {"whole": {"a": "1"}}), apply("two", {"whole": {"b": "2"}}),
                        apply("two", {"whole": {"b": "2"}}, force=True), apply("one", {})]),
    ("structs", [apply("one", {"struct": {"a": "1"}}), apply("two", {"struct": {"b": "2", "deep": {"c": "3"}}}),
                 apply("one", {"struct": {}}), apply("two", {"struct": {"deep": {}}}), apply("two", {})]),
    ("unknown fields", [apply("one", {"any": {"a": {"b": 1, "l": [1, {"x": 1}]}, "s": "t"}}),
                        apply("two", {"any": {"a": {"c": 2}, "l": [1]}}), apply("two", {"any": {"a": {"l": [2]}}}),
                        apply("one", {"any": {"s": "u"}})]),
    ("unknown fields change their form", [apply("one", {"any": {"a": {"b": 1}}}), apply("one", {"any": {"a": "text"}}),
                                          apply("one", {"any": {"a": [1]}}), merge("up", {"spec": {"any": {"a": {"z": 1}}}}),
                                          apply("one", {"any": {"a": [1]}})]),
    ("embedded resources", [
        apply("one", {"resource": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "n", "labels": {"a": "1"}}, "x": 1}}),
        apply("two", {"resource": {"apiVersion": "v1", "kind": "A", "metadata": {"labels": {"b": "2"}}, "y": 2}}),
        apply("one", {"resource": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "n"}}})]),
    ("labels and annotations", [
        apply("one", {"text": "a"}, body={"metadata": {"labels": {"a": "1", "b": "2"}, "annotations": {"x": "y"}}}),
        apply("two", {}, body={"metadata": {"labels": {"b": "2", "c": "3"}}}),
        apply("one", {"text": "a"}, body={"metadata": {"labels": {"a": "1"}}}),
        apply("one", {"text": "a"}),
        merge("up", {"metadata": {"labels": {"c": "4", "d": "5"}}})]),
    ("finalizers and owners", [
        apply("one", {}, body={"metadata": {"finalizers": ["a.b/c"], "ownerReferences": [
            {"apiVersion": "v1", "kind": "A", "name": "n", "uid": "u1"}]}}),
        apply("two", {}, body={"metadata": {"finalizers": ["d.e/f"], "ownerReferences": [
            {"apiVersion": "v1", "kind": "A", "name": "m", "uid": "u2"}]}}),
        apply("two", {}, body={"metadata": {"ownerReferences": [
            {"apiVersion": "v1", "kind": "B", "name": "n", "uid": "u1"}]}}),
        merge("up", {"metadata": {"finalizers": None}})]),
    ("status is not set by the object", [
        apply("one", {"text": "a"}, body={"status": {"phase": "x"}}),
        merge("up", {"status": {"phase": "y"}, "spec": {"text": "b"}})]),
    ("status by its subresource", [
        apply("one", {"text": "a"}),
        apply("ctl", None, body={"status": {"phase": "x", "count": 1}, "spec": {"text": "z"}}, subresource="status"),
        merge("up", {"status": {"count": 2}, "metadata": {"labels": {"l": "1"}}}, subresource="status"),
        apply("ctl", None, body={"status": {"phase": "x", "count": 1}}, subresource="status"),
        apply("one", {"text": "b"})]),
    ("nulls", [apply("one", {"nothing": None, "text": "a"}), apply("one", {"text": None}), apply("one", {"map": None, "text": "a"})]),
    ("null over a map", [apply("one", {"map": {"a": "1"}}), apply("one", {"map": None})]),
    ("defaults are not owned", [apply("one", {"text": "a"}), apply("two", {"filled": "full"}), apply("two", {"filled": "other"}),
                                apply("two", {})]),
    ("integers and floats", [apply("one", {"ratio": 1}), apply("two", {"ratio": 1.0}), apply("two", {"ratio": 1.25})]),
    ("int or string", [apply("one", {"port": 80}), apply("two", {"port": "80"}), apply("two", {"port": "http"}, force=True)]),
    ("unknown field", [apply("one", {"odd": 1})]),
    ("wrong types", [apply("one", {"count": "x"}), apply("one", {"text": 1}), apply("one", {"flag": "x"}),
                     apply("one", {"map": [1]}), apply("one", {"list": {"a": 1}}), apply("one", {"struct": 5})]),
    ("items without keys", [apply("one", {"items": [{"value": "x"}]}), apply("one", {"items": ["x"]}), apply("one", {"items": [None]})]),
    ("items twice", [apply("one", {"items": [item("a"), item("a", protocol="TCP")]}), apply("one", {"set": ["a", "a"]})]),
    ("managed fields in the configuration", [apply("one", {}, body={"metadata": {"managedFields": []}}),
                                             apply("one", {}, body={"metadata": {"managedFields": [{"manager": "x"}]}})]),
    ("another version", [{"op": "apply", "manager": "one", "served": "merge-capture.bowline.dev/v1", "body": {
        "apiVersion": "merge-capture.bowline.dev/v2", "kind": "MergeSsa", "metadata": {"name": "c51"}}, "raw": True}]),
    ("a client becomes a server", [
        create("kubectl-client-side-apply", {"text": "a", "count": 1}, metadata={"annotations": {
            "kubectl.kubernetes.io/last-applied-configuration":
                '{"apiVersion":"merge-capture.bowline.dev/v1","kind":"MergeSsa","spec":{"text":"a","count":1}}'}}),
        apply("kubectl", {"text": "b"}),
        apply("kubectl", {"text": "b", "count": 2})]),
    ("many updaters", [create("m00", {"text": "x"}, metadata={"labels": {"m00": "x"}})] +
        [merge(f"m{index:02}", {"metadata": {"labels": {f"m{index:02}": "x"}}}) for index in range(1, 13)]),
]
