"""Server-side apply and updates of built-in kinds. Their defaults are Kubernetes' own; what is owned is not."""

NS = "/namespaces/{namespace}"
KINDS = {
    "ConfigMap": ("/api/v1" + NS + "/configmaps", {"apiVersion": "v1", "kind": "ConfigMap"}, "io.k8s.api.core.v1.ConfigMap"),
    "Service": ("/api/v1" + NS + "/services", {"apiVersion": "v1", "kind": "Service"}, "io.k8s.api.core.v1.Service"),
    "PodTemplate": ("/api/v1" + NS + "/podtemplates", {"apiVersion": "v1", "kind": "PodTemplate"},
                    "io.k8s.api.core.v1.PodTemplate"),
    "ServiceAccount": ("/api/v1" + NS + "/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount"},
                       "io.k8s.api.core.v1.ServiceAccount"),
    "Deployment": ("/apis/apps/v1" + NS + "/deployments", {"apiVersion": "apps/v1", "kind": "Deployment"},
                   "io.k8s.api.apps.v1.Deployment"),
    "Lease": ("/apis/coordination.k8s.io/v1" + NS + "/leases", {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"},
              "io.k8s.api.coordination.v1.Lease"),
}
DOCUMENTS = ["api/v1", "apis/apps/v1", "apis/coordination.k8s.io/v1"]


def apply(manager, body, force=False, **more):
    return {"op": "apply", "manager": manager, "force": force, "body": body, **more}


def create(manager, body):
    return {"op": "create", "manager": manager, "body": body}


def strategic(manager, body, **more):
    return {"op": "strategic", "manager": manager, "body": body, **more}


def container(name, **fields):
    return {"name": name, "image": "img", **fields}


def template(*containers, **spec):
    return {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": list(containers), **spec}}


def deployment(*containers, **spec):
    return {"spec": {"replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": template(*containers), **spec}}


CASES = [
    ("a config map", "ConfigMap", [apply("one", {"data": {"a": "1"}}), apply("two", {"data": {"a": "2", "b": "3"}}),
                                   apply("two", {"data": {"b": "3"}}), apply("one", {"data": {}}),
                                   apply("two", {"binaryData": {"x": "aGk="}})]),
    ("a config map by create and patch", "ConfigMap", [
        create("up", {"data": {"a": "1"}, "metadata": {"labels": {"l": "1"}}}),
        strategic("other", {"data": {"a": None, "b": "2"}}), apply("one", {"data": {"b": "3"}}), apply("one", {"data": {"b": "2"}})]),
    ("a service", "Service", [
        apply("one", {"spec": {"selector": {"a": "b"}, "ports": [{"port": 80, "name": "http"}]}}),
        apply("two", {"spec": {"ports": [{"port": 443, "name": "https", "targetPort": "x"}]}}),
        apply("two", {"spec": {"ports": [{"port": 80, "protocol": "UDP", "name": "udp"}]}}),
        apply("one", {"spec": {"selector": {"a": "b"}, "ports": [{"port": 80, "protocol": "TCP", "name": "web"}]}})]),
    ("a service by create", "Service", [create("up", {"spec": {"selector": {"a": "b"}, "ports": [{"port": 80}]}}),
                                        strategic("other", {"spec": {"ports": [{"port": 81, "name": "b"}, {"port": 80, "name": "a"}]}})]),
    ("a pod template", "PodTemplate", [
        apply("one", {"template": template(container("a", ports=[{"containerPort": 80}], env=[{"name": "A", "value": "1"}]),
                                           container("b"))}),
        apply("two", {"template": {"spec": {"containers": [{"name": "a", "env": [{"name": "B", "value": "2"}],
                                                            "resources": {"limits": {"cpu": "1"}}}]}}}),
        apply("two", {"template": {"spec": {"containers": [{"name": "a", "image": "other"}]}}}),
        apply("one", {"template": template(container("b"))})]),
    ("a pod template by create", "PodTemplate", [
        create("up", {"template": template(container("a", args=["x"], volumeMounts=[{"name": "v", "mountPath": "/v"}]),
                                           volumes=[{"name": "v", "emptyDir": {}}], tolerations=[{"key": "k", "operator": "Exists"}])}),
        apply("one", {"template": {"spec": {"containers": [{"name": "a", "command": ["c"]}], "volumes": [{"name": "w", "emptyDir": {}}]}}})]),
    ("a deployment", "Deployment", [apply("one", deployment(container("a"))),
                                    apply("two", {"spec": {"replicas": 0, "strategy": {"type": "Recreate"}}}),
                                    apply("two", {"spec": {"replicas": 1}}),
                                    apply("one", {"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template(container("a"))}})]),
    ("a deployment by create", "Deployment", [create("kubectl-create", deployment(container("a"))),
                                              strategic("kubectl-set", {"spec": {"template": {"spec": {"containers": [{"name": "a", "image": "new"}]}}}})]),
    ("a service account", "ServiceAccount", [apply("one", {"imagePullSecrets": [{"name": "a"}], "secrets": [{"name": "s"}]}),
                                             apply("two", {"imagePullSecrets": [{"name": "b"}]}),
                                             apply("one", {"secrets": [{"name": "t"}]})]),
    ("a lease", "Lease", [create("up", {"spec": {"holderIdentity": "a", "leaseDurationSeconds": 15,
                                                 "renewTime": "2024-01-01T00:00:00.000000Z"}}),
                          apply("one", {"spec": {"holderIdentity": "b"}}),
                          apply("one", {"spec": {"leaseTransitions": 3}})]),
    ("unknown and wrong fields", "PodTemplate", [apply("one", {"template": {"spec": {"odd": 1}}}),
                                                 apply("one", {"template": {"spec": {"containers": [{"image": "x"}]}}}),
                                                 apply("one", {"template": {"spec": {"containers": [{"name": "a", "ports": [{"name": "x"}]}]}}})]),
]
