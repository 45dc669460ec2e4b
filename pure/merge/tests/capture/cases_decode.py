"""Texts with fields that stand twice, or that nobody knows."""

STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "a": STRING, "n": {"type": "number"}, "list": {"type": "array", "items": {"type": "object", "properties": {"b": STRING}}},
    "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"c": STRING}}},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "resource": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
}}}}

METADATA = {"unknown metadata": ', "odd": 1', "empty metadata": ', "labels": {}, "finalizers": []'}

CASES = [
    ("good", '{"a": "x"}'),
    ("unknown", '{"a": "x", "z": 1}'),
    ("unknown in a list", '{"list": [{"b": "x"}, {"b": "y", "z": {"y": 1}}]}'),
    ("unknown in a map", '{"map": {"k": {"c": "x", "z": 1}}}'),
    ("twice", '{"a": "x", "a": "y"}'),
    ("twice in a list", '{"list": [{"b": "x", "b": "y", "b": "z"}]}'),
    ("twice and unknown", '{"a": "x", "a": "y", "z": 1, "z": 2}'),
    ("twice in what is kept", '{"any": {"x": {"y": 1, "y": 2}}}'),
    ("unknown metadata", '{}'),
    ("empty metadata", '{}'),
    ("unknown metadata of a resource inside", '{"resource": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "x", "odd": 1}}}'),
    ("numbers", '{"n": 1.0, "any": {"a": 1.0, "b": 1e3, "c": 0.5, "d": 9223372036854775807, "e": 1.5e300}}'),
    ("not json", '{"a": }'),
    ("no comma", '{"a": "x" "n": 1}'),
    ("no end", '{"a": "x"'),
    ("bad literal", '{"a": nulx}'),
    ("bad escape", '{"a": "\\\\q"}'),
    ("bad number", '{"n": 1.x}'),
]
