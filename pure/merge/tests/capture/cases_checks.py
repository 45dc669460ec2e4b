"""Objects that a schema refuses, and what it says."""

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def strings(**more):
    return {"type": "string", **more}


SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "string": STRING, "integer": INTEGER, "number": {"type": "number"}, "boolean": {"type": "boolean"},
    "object": {"type": "object", "properties": {"a": STRING}}, "array": {"type": "array", "items": STRING},
    "port": {"x-kubernetes-int-or-string": True}, "nullable": strings(nullable=True),
    "short": strings(maxLength=3, minLength=2), "matched": strings(pattern="^a+$"), "chosen": strings(enum=["a", "b"]),
    "chosenNumber": {"type": "integer", "enum": [1, 2]},
    "bounded": {"type": "integer", "minimum": 2, "maximum": 5},
    "exclusive": {"type": "number", "minimum": 1.5, "exclusiveMinimum": True, "maximum": 2.5, "exclusiveMaximum": True},
    "multiple": {"type": "integer", "multipleOf": 3}, "fraction": {"type": "number", "multipleOf": 0.5},
    "few": {"type": "array", "items": INTEGER, "minItems": 1, "maxItems": 2},
    "one": {"type": "array", "items": INTEGER, "maxItems": 1},
    "entries": {"type": "object", "additionalProperties": INTEGER, "minProperties": 1, "maxProperties": 2},
    "needy": {"type": "object", "required": ["a", "b"], "properties": {"a": STRING, "b": STRING}},
    "closed": {"type": "object", "additionalProperties": False},
    "any": {"type": "object", "properties": {"a": STRING, "b": STRING}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "oneOf": {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "all": {"type": "integer", "allOf": [{"minimum": 2}, {"maximum": 4}, {"multipleOf": 2}]},
    "not": strings(**{"not": {"enum": ["x"]}}),
    "deep": {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": INTEGER}}},
             "anyOf": [{"properties": {"a": {"properties": {"b": {"minimum": 5}}}}},
                       {"properties": {"a": {"required": ["b"], "properties": {"b": {"maximum": 1}}}}}]},
    "set": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"},
    "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"], "items": {
        "type": "object", "required": ["k"], "properties": {"k": STRING, "l": strings(default="d"), "v": {"type": "integer", "minimum": 1}}}},
    "date": strings(format="date"), "dateTime": strings(format="date-time"), "ipv4": strings(format="ipv4"),
    "cidr": strings(format="cidr"), "uri": strings(format="uri"), "uuid": strings(format="uuid"), "email": strings(format="email"),
    "byte": strings(format="byte"), "duration": strings(format="duration"), "hostname": strings(format="hostname"),
    "shortName": strings(format="k8s-short-name"), "mac": strings(format="mac"), "odd": strings(format="odd"),
    "int32": {"type": "integer", "format": "int32"},
    "resource": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    "filled": {"type": "object", "default": {}, "properties": {"a": strings(default="x"), "b": {"type": "object", "properties": {"c": {"type": "integer", "default": 3}}}}},
    "kept": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"strict": {"type": "object", "properties": {"a": STRING}}}},
    "keptList": {"type": "array", "x-kubernetes-preserve-unknown-fields": True, "items": {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": STRING}}}}},
    "open": {"type": "object", "additionalProperties": True},
}}}}

CASES = [(f"{name} {index}", {name: value}) for name, values in [
    ("string", ["a", 1, True, None, [], {}, 1.5]),
    ("integer", [1, "1", 1.5, 1.0, 2**63, True, None]),
    ("number", [1, 1.5, "1", False]),
    ("boolean", [True, "true", 0]),
    ("object", [{"a": "x"}, {"a": 1}, [], "x", {"z": 1}]),
    ("array", [["a"], [1, "b", {}], {}, "x", [None]]),
    ("port", [80, "80", 1.5, True, {}, None]),
    ("nullable", [None, "a", 1]),
    ("short", ["ab", "a", "abcd", "äöü", ""]),
    ("matched", ["aa", "b"]),
    ("chosen", ["a", "c", 1, ""]),
    ("chosenNumber", [1, 3, 1.0]),
    ("bounded", [2, 1, 6]),
    ("exclusive", [2, 1.5, 2.5, 3]),
    ("multiple", [3, 4]),
    ("fraction", [1.5, 1.3]),
    ("few", [[1], [], [1, 2, 3], ["a", 2, 3]]),
    ("one", [[1], [1, 2]]),
    ("entries", [{"a": 1}, {}, {"a": 1, "b": 2, "c": 3}, {"a": "x"}]),
    ("needy", [{"a": "x", "b": "y"}, {"a": "x"}, {}]),
    ("closed", [{}, {"a": 1}]),
    ("any", [{"a": "x"}, {}]),
    ("oneOf", [{"a": 1}, {}, {"a": 1, "b": 1}, {"a": "x", "b": 1}]),
    ("all", [2, 1, 5, 3]),
    ("not", ["a", "x"]),
    ("deep", [{"a": {"b": 6}}, {"a": {"b": 3}}, {"a": {}}, {}]),
    ("set", [["a", "b"], ["a", "b", "a", "a"], ["a", 1, 1]]),
    ("keyed", [[{"k": "a"}, {"k": "b"}], [{"k": "a"}, {"k": "a", "l": "d"}], [{"k": "a", "v": 0}], [{"v": 1}], ["x"]]),
    ("date", ["2024-02-29", "2023-02-29", 5]),
    ("dateTime", ["2024-01-01T00:00:00Z", "yesterday"]),
    ("ipv4", ["1.2.3.4", "1.2.3.400"]),
    ("cidr", ["10.0.0.0/8", "10.0.0.0"]),
    ("uri", ["http://a/b", "a b"]),
    ("uuid", ["550e8400-e29b-41d4-a716-446655440000", "x"]),
    ("email", ["a@b.c", "a"]),
    ("byte", ["aGk=", "a"]),
    ("duration", ["1h", "x"]),
    ("hostname", ["a.example", "-a"]),
    ("shortName", ["a-b", "A"]),
    ("mac", ["01:23:45:67:89:ab", "x"]),
    ("odd", ["x"]),
    ("int32", [1, 2**40, "x"]),
    ("resource", [{"apiVersion": "v1", "kind": "A"}, {}, {"apiVersion": "a/b/c", "kind": "a b"}, {"apiVersion": "", "kind": ""},
                  {"apiVersion": "v1", "kind": "A", "metadata": {"name": "x", "odd": 1, "labels": {}}, "more": 1}]),
    ("filled", [{}, {"a": "y", "b": {}}, None, {"b": None}]),
    ("kept", [{"x": {"y": 1}, "strict": {"a": "b", "z": 1}}]),
    ("keptList", [[{"a": {"b": "c", "z": 1}, "y": 1}, 5]]),
    ("open", [{"a": 1, "b": {"c": 1}, "d": [{"e": 1}]}]),
] for index, value in enumerate(values)] + [
    ("several at once", {"string": 1, "integer": "x", "needy": {}}),
    ("nothing", {}),
]

LOOSE = {"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
TIGHT = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "short": strings(maxLength=3), "other": STRING,
    "map": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 5}},
    "list": {"type": "array", "items": {"type": "integer", "minimum": 5}},
    "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {
        "type": "object", "required": ["k"], "properties": {"k": STRING, "v": {"type": "integer", "minimum": 5}}}},
    "set": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"},
    "any": {"type": "object", "properties": {"a": strings(maxLength=1)}, "anyOf": [{"required": ["b"]}, {"required": ["c"]}]},
}}}}

UPDATES = [
    ("unchanged", {"short": "long", "other": "a"}, {"other": "b"}),
    ("changed", {"short": "long"}, {"short": "longer"}),
    ("entry unchanged", {"map": {"a": 1, "b": 6}}, {"map": {"b": 7}}),
    ("entry added", {"map": {"a": 1}}, {"map": {"b": 2}}),
    ("list unchanged", {"list": [1, 2], "other": "a"}, {"other": "b"}),
    ("list changed", {"list": [1, 2]}, {"list": [1, 2, 6]}),
    ("item unchanged", {"keyed": [{"k": "a", "v": 1}]}, {"keyed": [{"k": "b", "v": 6}, {"k": "a", "v": 1}]}),
    ("item added", {"keyed": [{"k": "a", "v": 1}]}, {"keyed": [{"k": "a", "v": 1}, {"k": "b", "v": 2}]}),
    ("duplicates unchanged", {"set": ["a", "a"]}, {"set": ["a", "a", "b"]}),
    ("duplicates added", {"set": ["a"]}, {"set": ["a", "a"]}),
    ("alternatives unchanged", {"any": {"a": "long"}}, {"other": "x"}),
    ("alternatives changed", {"any": {"a": "long"}}, {"any": {"a": "longer"}}),
]
