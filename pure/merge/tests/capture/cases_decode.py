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


def deployment(spec, metadata='', top=''):
    return '{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"%s}, "spec": %s%s}' % (metadata, spec, top)


def containers(text, rest=''):
    return deployment('{"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, '
                      '"spec": {"containers": %s%s}}}' % (text, rest))


def config_map(rest):
    return '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, %s}' % rest


KINDS = [
    ("good", "Deployment", containers('[{"name": "a", "image": "b"}]')),
    ("a string for a number", "Deployment", deployment('{"replicas": "x"}')),
    ("a fraction", "Deployment", deployment('{"replicas": 1.5}')),
    ("too large", "Deployment", deployment('{"replicas": 1099511627776}')),
    ("a flag for a number", "Deployment", deployment('{"replicas": true}')),
    ("a string for a flag", "Deployment", deployment('{"paused": "x"}')),
    ("a string for a struct", "Deployment", deployment('"x"')),
    ("a list for a struct", "Deployment", deployment('{"template": []}')),
    ("a number in a map", "Deployment", deployment('{"selector": {"matchLabels": {"a": 1}}}')),
    ("a struct for a list", "Deployment", containers('{"name": "x"}')),
    ("a string in a list of structs", "Deployment", containers('["x"]')),
    ("a number for a name", "Deployment", containers('[{"name": 1}]')),
    ("a string for a port", "Deployment", containers('[{"name": "a", "ports": [{"containerPort": "x"}]}]')),
    ("no quantity", "Deployment", containers('[{"name": "a", "resources": {"limits": {"cpu": "zz"}}}]')),
    ("neither int nor string", "Deployment", containers('[{"name": "a", "livenessProbe": {"httpGet": {"port": true}}}]')),
    ("labels", "Deployment", deployment('{}', ', "labels": {"a": 1}')),
    ("no time", "Deployment", deployment('{}', ', "creationTimestamp": "zz"')),
    ("a number for a time", "Deployment", deployment('{}', ', "creationTimestamp": 5')),
    ("unknown fields in order", "Deployment", deployment('{"zeta": 1, "alpha": 2, "template": {"odd": {"x": 1}}}', ', "odd": 1', ', "top": 1')),
    ("unknown and twice", "Deployment", deployment('{"zeta": 1, "replicas": 1, "replicas": 2, "alpha": 1, "zeta": 2, '
                                                   '"selector": {"matchLabels": {"a": "b", "a": "c"}}}')),
    ("unknown in a container", "Deployment", containers('[{"name": "a", "odd": 1, "image": "b", "odd": 2, "name": "b"}]')),
    ("a map of strings", "ConfigMap", config_map('"data": {"a": 1}')),
    ("a list for a map", "ConfigMap", config_map('"data": ["a"]')),
    ("no base64", "ConfigMap", config_map('"binaryData": {"a": "%%"}')),
    ("a number for bytes", "ConfigMap", config_map('"binaryData": {"a": 1}')),
]
