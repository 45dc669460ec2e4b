//! Kinds that definitions add.

use anyhow::{Result, ensure};

use crate::Stage;

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.dev}
spec:
  group: example.dev
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A widget.
        properties:
          spec:
            type: object
            required: [size]
            x-kubernetes-validations:
            - {rule: self.size <= self.max, message: too large}
            properties:
              size: {type: integer, minimum: 1, description: How large it is.}
              max: {type: integer, default: 10}
              replicas: {type: integer, default: 1}
          status:
            type: object
            properties: {replicas: {type: integer}}
";

const WIDGET: &str = "
apiVersion: example.dev/v1
kind: Widget
metadata: {name: one}
spec: {size: 3}
";

#[test]
fn a_definition_adds_a_kind() -> Result<()> {
    let Stage { kubectl, .. } = &Stage::new("crd")?;
    kubectl.says("apply -f -", CRD, "widgets.example.dev created")?;
    kubectl.ok("wait --for=condition=Established crd/widgets.example.dev --timeout=20s", "")?;
    kubectl.says("apply -f -", WIDGET, "widget.example.dev/one created")?;
    kubectl.says("get widgets", "", "one    3")?;
    kubectl.says("get wd one -o jsonpath={.spec}", "", r#"{"max":10,"replicas":1,"size":3}"#)?;
    kubectl.complains(
        "apply -f -",
        &WIDGET.replace("size: 3", "size: 0"),
        "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
    )?;
    kubectl.complains("apply -f -", &WIDGET.replace("size: 3", "size: 30"), "too large")?;
    kubectl.complains(
        "apply -f -",
        &WIDGET.replace("size: 3", "sizes: 3"),
        "unknown field \"spec.sizes\"",
    )?;
    kubectl.says("explain widget.spec.size", "", "How large it is.")?;
    kubectl.says("explain deployment.spec.replicas", "", "Number of desired pods")?;
    kubectl.says("scale widget one --replicas=4", "", "scaled")?;
    kubectl.says("get wd one -o jsonpath={.spec.replicas}/{.metadata.generation}", "", "4/2")?;
    kubectl.says(
        "patch wd one --subresource=status --type=merge -p {\"status\":{\"replicas\":4}}",
        "",
        "patched",
    )?;
    kubectl.says("get wd one -o jsonpath={.status.replicas}/{.metadata.generation}", "", "4/2")?;
    kubectl.says("apply --server-side -f -", WIDGET, "serverside-applied")?;
    kubectl.says("api-resources --api-group=example.dev", "", "widgets   wd")?;
    kubectl.says("delete crd widgets.example.dev", "", "deleted")?;
    let said = kubectl.run("get widgets", "")?;
    ensure!(said.code != 0, "{said:#?}");
    Ok(())
}
