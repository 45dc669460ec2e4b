"""Questions at random, the same for the same seed."""

import random

WORDS = ["x", "y", "z"]
NAMES = ["a", "b", "c", "d"]


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def chance(self, p):
        return self.r.random() < p

    def some(self, choices, most):
        return self.r.sample(choices, self.r.randint(0, most))

    # Values that fit a schema, for server-side apply.

    def fitting(self, schema, depth=0, null=True):
        r = self.r
        if null and self.chance(0.03):
            return None
        if schema.get("x-kubernetes-int-or-string"):
            return r.choice([1, 2, "x"])
        kind = schema.get("type")
        if kind == "string":
            return r.choice(WORDS)
        if kind == "integer":
            return r.randint(0, 2)
        if kind == "number":
            return r.choice([0, 1, 0.5, 2.5])
        if kind == "boolean":
            return self.chance(0.5)
        if kind == "array":
            return self.items(schema, depth)
        if schema.get("x-kubernetes-embedded-resource"):
            inner = self.free(2)
            inner = {**(inner if isinstance(inner, dict) else {}), "apiVersion": "v1", "kind": "A"}
            if self.chance(0.5):
                inner["metadata"] = {"labels": {r.choice(WORDS): r.choice(WORDS)}}
            return inner
        if schema.get("x-kubernetes-preserve-unknown-fields"):
            inner = self.free(2)
            return inner if isinstance(inner, dict) else {"v": inner}
        if "additionalProperties" in schema:
            entry = schema["additionalProperties"]
            return {r.choice(WORDS): self.fitting(entry, depth + 1, False) for _ in range(r.randint(0, 3))}
        share = 0.3 if depth == 0 else 0.5
        return {name: self.fitting(field, depth + 1) for name, field in schema["properties"].items() if self.chance(share)}

    def items(self, schema, depth):
        made = [self.fitting(schema["items"], depth + 1, False) for _ in range(self.r.randint(0, 3))]
        kind = schema.get("x-kubernetes-list-type")
        if kind == "set":
            return list(dict.fromkeys(made))
        if kind != "map":
            return made
        properties, keys = schema["items"]["properties"], schema["x-kubernetes-list-map-keys"]
        unique = {}
        for item in made:
            for key in keys:
                if key in schema["items"]["required"]:
                    item[key] = self.fitting(properties[key], depth, False)
                elif item.get(key) is None:
                    item.pop(key, None)
            unique.setdefault(tuple(item.get(key, properties[key].get("default")) for key in keys), item)
        return list(unique.values())

    def free(self, depth):
        r = self.r.random()
        if depth == 0 or r < 0.3:
            return self.r.choice([1, "x", True, 0.5])
        if r < 0.5:
            return [self.free(depth - 1) for _ in range(self.r.randint(0, 2))]
        return {self.r.choice(["p", "q"]): self.free(depth - 1) for _ in range(self.r.randint(0, 2))}

    def metadata(self):
        made = {}
        if self.chance(0.4):
            made["labels"] = {word: self.r.choice(WORDS) for word in self.some(WORDS, 2)}
        if self.chance(0.2):
            made["annotations"] = {self.r.choice(WORDS): self.r.choice(WORDS)}
        if self.chance(0.2):
            made["ownerReferences"] = [{"apiVersion": "v1", "kind": self.r.choice("AB"), "name": "n", "uid": uid}
                                       for uid in self.r.sample(["u1", "u2"], self.r.randint(1, 2))]
        return made

    def steps(self, schema):
        made = []
        for index in range(self.r.randint(2, 5)):
            body = {"spec": self.fitting(schema, null=False), "metadata": self.metadata()}
            choice = self.r.random()
            if index == 0 or choice < 0.65:
                manager = self.r.choice(["one", "two", "three"])
                made.append({"op": "apply", "manager": manager, "force": index == 0 or self.chance(0.5), "body": body})
            else:
                made.append({"op": "merge" if choice < 0.85 else "update", "manager": "up", "body": body})
        return made

    # Values that fit a schema badly, for validation.

    def anything(self, depth=2):
        r = self.r.random()
        if depth == 0 or r < 0.7:
            return self.r.choice([None, True, False, 0, 1, -1, 3, 7, 1.5, "", "a", "aa", "b", "abc", "x", "2024-01-01",
                                  "1.2.3.4", "a@b.c", "1h30m", "http://x/y", "::1", "10.0.0.0/8", "AAAA", "%"])
        if r < 0.85:
            return [self.anything(depth - 1) for _ in range(self.r.randint(0, 3))]
        return {self.r.choice(["a", "b", "k", "v"]): self.anything(depth - 1) for _ in range(self.r.randint(0, 3))}

    def doubtful(self, schema):
        r = self.r
        if self.chance(0.25):
            return self.anything()
        if "enum" in schema:
            return r.choice(schema["enum"] + ["zz", 9])
        kind = schema.get("type")
        if kind == "integer":
            return r.randint(-1, 7)
        if kind == "number":
            return r.choice([0, 1, 1.5, 2.5, 0.25, 3])
        if kind == "string":
            return r.choice(["", "a", "aa", "aaaa", "2024-02-30", "2024-02-28T01:02:03Z", "1.2.3.4", "a@b", "5 minutes", "a_b"])
        if kind == "array":
            return [self.doubtful(schema["items"]) for _ in range(r.randint(0, 4))]
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            return {r.choice(NAMES): self.doubtful(schema["additionalProperties"]) for _ in range(r.randint(0, 4))}
        if kind == "object":
            made = {name: self.doubtful(field) for name, field in schema.get("properties", {}).items() if self.chance(0.5)}
            return {**made, "strange": 1} if self.chance(0.1) else made
        return self.anything()

    # Pod templates, and patches that do not contradict themselves.

    def variables(self, most=3):
        return [{"name": name, "value": self.r.choice(WORDS)} for name in self.some(NAMES, most)]

    def container(self, name):
        made = {"name": name, "image": self.r.choice(["i", "j"])}
        if self.chance(0.6):
            made["env"] = self.variables()
        if self.chance(0.4):
            made["ports"] = [{"containerPort": port, "name": f"p{port}"} for port in self.r.sample([80, 81, 82], 2)]
        return made

    def pod_template(self):
        names = self.r.sample(NAMES, self.r.randint(1, 4))
        spec = {"containers": [self.container(name) for name in names]}
        if self.chance(0.6):
            spec["volumes"] = [{"name": name, "emptyDir": {}} for name in self.some(NAMES, 3)]
        return {"template": {"metadata": {"labels": {"q": "r"}}, "spec": spec}}

    def patched_list(self, into, name, make):
        made = []
        for key in self.some(NAMES, 3):
            made.append({"name": key, "$patch": "delete"} if self.chance(0.3) else make(key))
        into[name] = made
        if made and self.chance(0.5):
            kept = [item["name"] for item in made if "$patch" not in item]
            more = [key for key in NAMES if key not in [item["name"] for item in made] and self.chance(0.5)]
            into[f"$setElementOrder/{name}"] = [{"name": key} for key in kept + more]

    def patched_container(self, name):
        made = {"name": name, "image": self.r.choice(["i", "k"])}
        if self.chance(0.5):
            self.patched_list(made, "env", lambda key: {"name": key, "value": self.r.choice(WORDS)})
        return made

    def patch(self):
        spec = {}
        self.patched_list(spec, "containers", self.patched_container)
        if self.chance(0.4):
            self.patched_list(spec, "volumes", lambda key: {"name": key, "configMap": {"name": "c"}, "emptyDir": None})
        if self.chance(0.2):
            spec["nodeSelector"] = self.r.choice([None, {"x": "y"}, {"$patch": "replace", "z": "w"}])
        return {"template": {"spec": spec}}
