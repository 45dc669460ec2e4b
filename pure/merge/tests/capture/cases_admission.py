"""Schemas of CRDs that are admitted, or not."""


def spec(schema, **more):
    return {"type": "object", "properties": {"spec": schema}, **more}


def field(schema):
    return spec({"type": "object", "properties": {"f": schema}})


STRING = {"type": "string"}


def listed(items, keys=("k",), **more):
    return field({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys), "items": items, **more})


CASES = [
    ("a good one", field({"type": "string", "default": "x"})),
    ("no type at the root", {"properties": {}}),
    ("another type at the root", {"type": "array", "items": STRING}),
    ("nullable root", {"type": "object", "nullable": True}),
    ("additional properties at the root", {"type": "object", "additionalProperties": STRING}),
    ("no type of a field", field({"description": "x"})),
    ("no type of items", field({"type": "array", "items": {"description": "x"}})),
    ("no items", field({"type": "array"})),
    ("unknown type", field({"type": "text"})),
    ("null type", field({"type": "null"})),
    ("a type in anyOf", field({"type": "string", "anyOf": [{"type": "string"}, {"minLength": 1}]})),
    ("forbidden in oneOf", field({"type": "string", "oneOf": [{"description": "x", "title": "t", "nullable": True, "default": "x"}]})),
    ("extensions in allOf", field({"type": "array", "items": STRING, "allOf": [
        {"x-kubernetes-list-type": "set", "x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-int-or-string": True}]})),
    ("additional properties in not", field({"type": "object", "not": {"additionalProperties": STRING}})),
    ("metadata in anyOf", {"type": "object", "properties": {"metadata": {"type": "object"}},
                           "anyOf": [{"properties": {"metadata": {"required": ["name"]}}}]}),
    ("undescribed property at the root", spec({"type": "object"}, anyOf=[{"properties": {"other": {"minimum": 1}}}])),
    ("undescribed property below", spec({"type": "object", "anyOf": [{"properties": {"other": {"minimum": 1}}}]})),
    ("undescribed items", spec({"type": "object"}, anyOf=[{"items": {"minimum": 1}}])),
    ("int or string forms", field({"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]})),
    ("int or string in allOf", field({"x-kubernetes-int-or-string": True, "allOf": [
        {"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"pattern": "^x"}]})),
    ("int or string with a type", field({"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "number"}]})),
    ("int or string and more", field({"x-kubernetes-int-or-string": True, "x-kubernetes-preserve-unknown-fields": True})),
    ("metadata restricted", {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 5}}}}}),
    ("metadata described", {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}}),
    ("metadata no object", {"type": "object", "properties": {"metadata": STRING}}),
    ("metadata with a default", {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "default": "x"}}}}}),
    ("kind no string", {"type": "object", "properties": {"kind": {"type": "integer"}, "apiVersion": {"type": "boolean"}}}),
    ("embedded resource without type", field({"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True})),
    ("embedded resource no object", field({"type": "string", "x-kubernetes-embedded-resource": True})),
    ("embedded resource without properties", field({"type": "object", "x-kubernetes-embedded-resource": True})),
    ("embedded resource with additional properties", field({"type": "object", "x-kubernetes-embedded-resource": True, "additionalProperties": STRING})),
    ("preserve false", field({"type": "object", "x-kubernetes-preserve-unknown-fields": False})),
    ("unique items", field({"type": "array", "uniqueItems": True, "items": STRING})),
    ("properties and additional ones", field({"type": "object", "properties": {"a": STRING}, "additionalProperties": STRING})),
    ("properties and additional ones allowed", field({"type": "object", "properties": {"a": STRING}, "additionalProperties": True})),
    ("items as a list", field({"type": "array", "items": [STRING]})),
    ("unsupported keywords", field({"type": "object", "$ref": "#/x", "id": "x", "definitions": {"a": STRING},
                                    "patternProperties": {"a": STRING}, "dependencies": {"a": ["b"]}, "additionalItems": True})),
    ("bad pattern", field({"type": "string", "pattern": "(a"})),
    ("look-ahead pattern", field({"type": "string", "pattern": "(?=a)"})),
    ("repeated nothing", field({"type": "string", "pattern": "*"})),
    ("bad class", field({"type": "string", "pattern": "[a"})),
    ("default of another type", field({"type": "string", "default": 1})),
    ("default that does not validate", field({"type": "integer", "minimum": 5, "default": 1})),
    ("default with unknown fields", field({"type": "object", "default": {"x": 1}, "properties": {"a": STRING}})),
    ("default lacks what is required", field({"type": "object", "default": {}, "required": ["a"], "properties": {"a": STRING}})),
    ("default of items", field({"type": "array", "items": {"type": "string", "default": 5}})),
    ("default of an embedded resource", field({"type": "object", "x-kubernetes-embedded-resource": True,
                                               "x-kubernetes-preserve-unknown-fields": True, "default": {"kind": "a b"}})),
    ("default of an int or string", field({"x-kubernetes-int-or-string": True, "default": True})),
    ("list map", listed({"type": "object", "required": ["k"], "properties": {"k": STRING}})),
    ("list map key not required", listed({"type": "object", "properties": {"k": STRING}})),
    ("list map key defaulted", listed({"type": "object", "properties": {"k": {"type": "string", "default": "x"}}})),
    ("list map key nullable", listed({"type": "object", "required": ["k"], "properties": {"k": {"type": "string", "nullable": True}}})),
    ("list map key unknown", listed({"type": "object", "properties": {"j": STRING}})),
    ("list map key twice", listed({"type": "object", "required": ["k"], "properties": {"k": STRING}}, keys=("k", "k"))),
    ("list map key no scalar", listed({"type": "object", "required": ["k"], "properties": {"k": {"type": "object"}}})),
    ("list map of strings", listed(STRING)),
    ("list map of nullables", listed({"type": "object", "nullable": True, "required": ["k"], "properties": {"k": STRING}})),
    ("list map without keys", field({"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object"}})),
    ("keys without a list map", field({"type": "array", "x-kubernetes-list-map-keys": ["k"], "items": {"type": "object"}})),
    ("keys of a set", field({"type": "array", "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["k"], "items": STRING})),
    ("set of structs", field({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "properties": {"a": STRING}}})),
    ("set of lists", field({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"}})),
    ("list type of an object", field({"type": "object", "x-kubernetes-list-type": "set"})),
    ("unknown list type", field({"type": "array", "x-kubernetes-list-type": "bag", "items": STRING})),
    ("map type of an array", field({"type": "array", "x-kubernetes-map-type": "atomic", "items": STRING})),
    ("map type of nothing", field({"x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-map-type": "atomic"})),
    ("unknown map type", field({"type": "object", "x-kubernetes-map-type": "bag"})),
    ("rule without a rule", field({"type": "string", "x-kubernetes-validations": [{"rule": " ", "message": "x"}]})),
    ("rule with odd parts", field({"type": "string", "x-kubernetes-validations": [
        {"rule": "self == 'a'", "message": " ", "reason": "Odd", "messageExpression": " ", "fieldPath": ".x"}]})),
    ("rule in anyOf", field({"type": "string", "anyOf": [{"x-kubernetes-validations": [{"rule": "true"}]}]})),
]
