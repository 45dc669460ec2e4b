"""Strategic merge patches of built-in kinds."""

from cases_builtin import container, create, deployment, strategic, template


def spec_of(**fields):
    return {"template": {"spec": fields}}


def one(name, kind, first, *patches):
    return (name, kind, [create("up", first)] + [strategic("p", patch) for patch in patches])


TWO = {"template": template(container("a", env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                                      ports=[{"containerPort": 80, "name": "x"}], args=["1", "2"]), container("b"),
                            volumes=[{"name": "v", "emptyDir": {}}, {"name": "w", "secret": {"secretName": "s"}}])}
PORTS = {"spec": {"selector": {"a": "b"}, "ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "b"}]}}

CASES = [
    one("scalars", "Deployment", deployment(container("a")), {"spec": {"paused": True, "minReadySeconds": 5}},
        {"spec": {"minReadySeconds": None}}),
    one("an image", "Deployment", deployment(container("a"), container("b")),
        {"spec": spec_of(containers=[{"name": "b", "image": "new"}])}),
    one("labels", "Deployment", deployment(container("a")), {"metadata": {"labels": {"x": "1"}}},
        {"metadata": {"labels": {"x": None, "y": "2"}, "annotations": {"a": "b"}}}, {"metadata": {"labels": None}}),
    one("strategy with retained keys", "Deployment", deployment(container("a")),
        {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}},
        {"spec": {"strategy": {"$retainKeys": ["type"], "rollingUpdate": {"maxSurge": 1}}}},
        {"spec": {"strategy": {"$retainKeys": "x"}}}),
    one("a map replaced", "Deployment", deployment(container("a")),
        {"spec": {"strategy": {"$patch": "replace", "type": "Recreate"}}}),
    one("a new container", "PodTemplate", TWO, spec_of(containers=[container("c")])),
    one("a container deleted", "PodTemplate", TWO, spec_of(containers=[{"name": "a", "$patch": "delete"}])),
    one("containers replaced", "PodTemplate", TWO, spec_of(containers=[container("z"), {"$patch": "replace"}])),
    one("containers in order", "PodTemplate", TWO,
        spec_of(**{"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}], "containers": [{"name": "a", "image": "y"}]})),
    one("order alone", "PodTemplate", TWO, spec_of(**{"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]})),
    one("order with a new and a deleted one", "PodTemplate", TWO,
        spec_of(**{"$setElementOrder/containers": [{"name": "c"}, {"name": "b"}],
                   "containers": [container("c"), {"name": "a", "$patch": "delete"}]})),
    one("order that does not fit", "PodTemplate", TWO,
        spec_of(**{"$setElementOrder/containers": [{"name": "a"}], "containers": [{"name": "b", "image": "y"}]})),
    one("environment", "PodTemplate", TWO,
        spec_of(containers=[{"name": "a", "env": [{"name": "B", "value": "3"}, {"name": "C", "value": "4"}]}]),
        spec_of(containers=[{"name": "a", "env": [{"name": "A", "$patch": "delete"}]}]),
        spec_of(containers=[{"name": "a", "env": None}])),
    one("arguments are replaced", "PodTemplate", TWO, spec_of(containers=[{"name": "a", "args": ["3"]}])),
    one("volumes", "PodTemplate", TWO, spec_of(volumes=[{"name": "v", "emptyDir": None, "configMap": {"name": "c"}}]),
        spec_of(volumes=[{"$retainKeys": ["name", "emptyDir"], "name": "w", "emptyDir": {}}])),
    one("ports of a service", "Service", PORTS, {"spec": {"ports": [{"port": 80, "name": "c"}]}},
        {"spec": {"ports": [{"port": 82, "name": "d"}, {"port": 81, "$patch": "delete"}]}}),
    one("a selector", "Service", PORTS, {"spec": {"selector": {"c": "d"}}}, {"spec": {"selector": {"$patch": "replace", "e": "f"}}}),
    one("finalizers", "ConfigMap", {"data": {"a": "1"}, "metadata": {"finalizers": ["a.b/c", "a.b/d"]}},
        {"metadata": {"finalizers": ["a.b/e"]}}, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a.b/c"]}},
        {"metadata": {"$setElementOrder/finalizers": ["a.b/e", "a.b/d"]}},
        {"metadata": {"$patch": "odd"}}, {"metadata": {"finalizers": [1]}}, {"metadata": {"$deleteFromPrimitiveList": ["x"]}},
        {"metadata": {"finalizers": None}}),
    one("data", "ConfigMap", {"data": {"a": "1", "b": "2"}}, {"data": {"a": None, "c": "3"}}, {"data": {"$patch": "delete"}},
        {"data": {"$patch": "replace", "z": "1"}}),
    one("items without their key", "PodTemplate", TWO, spec_of(containers=[{"image": "x"}])),
    one("a field of another type", "PodTemplate", TWO, spec_of(containers={"name": "x"}), spec_of(containers=["x"])),
    one("a field that is not there", "PodTemplate", TWO, spec_of(odd={"a": 1}),
        spec_of(**{"$setElementOrder/odd": ["x"], "odd": ["x"]})),
    one("merging asked for in a list", "PodTemplate", TWO, spec_of(containers=[{"name": "a", "$patch": "merge"}])),
    one("image pull secrets", "ServiceAccount", {"imagePullSecrets": [{"name": "a"}], "secrets": [{"name": "s"}]},
        {"imagePullSecrets": [{"name": "b"}], "secrets": [{"name": "t"}]}),
    one("a lease", "Lease", {"spec": {"holderIdentity": "a", "leaseDurationSeconds": 5}},
        {"spec": {"holderIdentity": "b", "leaseDurationSeconds": None}}),
]
