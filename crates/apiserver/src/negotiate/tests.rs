use super::*;

fn kind(plural: &str, group: &str) -> std::sync::Arc<Kind> {
    let kinds = crate::builtin_table::kinds();
    let found = kinds.into_iter().find(|kind| &*kind.plural == plural && &*kind.group == group);
    found.unwrap_or_else(|| panic!("{plural}"))
}

fn form(accept: &str, asked: Asked) -> String {
    let kind = kind("configmaps", "");
    let wishes = Wishes { accept: Some(accept), ..Wishes::default() };
    match wishes.form(&kind, asked) {
        Ok(wanted) => format!("{:?} {:?}", wanted.encoding, wanted.form),
        Err(status) => status.message,
    }
}

const NONE: &str = "only the following media types are accepted: application/json, application/yaml, \
                    application/vnd.kubernetes.protobuf";
const NO_ROUTE: &str = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
                        application/vnd.kubernetes.protobuf, application/json;stream=watch, \
                        application/vnd.kubernetes.protobuf;stream=watch";

#[test]
fn a_list_is_answered_as_the_real_server_answers_it() {
    let check = |accept: &str, expected: &str| assert_eq!(form(accept, Asked::List), expected, "{accept}");
    check("", "Json Whole");
    check("*/*", "Json Whole");
    check("application/json", "Json Whole");
    check("application/json;foo=bar", "Json Whole");
    check("application/json;q=0", "Json Whole");
    check("application/json;stream=watch", "Json Whole");
    check("application/yaml", "Yaml Whole");
    check("text/plain,application/json;q=0.1,application/yaml;q=0.9", "Yaml Whole");
    check("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "Json Table(V1)");
    check("application/json;as=Table;v=v1beta1;g=meta.k8s.io", "Json Table(V1Beta1)");
    check("application/yaml;as=Table;v=v1;g=meta.k8s.io", "Yaml Table(V1)");
    check("application/json;as=Table;v=v2;g=meta.k8s.io", NONE);
    check("application/json;as=Table;v=v2;g=meta.k8s.io,application/json", "Json Whole");
    check("application/json;as=Table;v=v1", NONE);
    check("application/json;as=Nope;v=v1;g=meta.k8s.io", NONE);
    check("application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", NONE);
    check("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "Json MetadataList(V1)");
    for accept in ["text/plain", "text/*", "application/*", "garbage", "application/cbor"] {
        check(accept, NO_ROUTE);
    }
    // Here the real server would answer protobuf.
    check("application/vnd.kubernetes.protobuf,application/json", "Json Whole");
    check("application/vnd.kubernetes.protobuf,*/*", "Json Whole");
    check("application/vnd.kubernetes.protobuf", NONE);
}

#[test]
fn one_object_and_a_watch_have_their_own_words() {
    let wrong = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
                 application/vnd.kubernetes.protobuf";
    assert_eq!(form("text/plain", Asked::Object), wrong);
    assert_eq!(form("text/plain", Asked::Watch), NO_ROUTE);
    let wrong = "only the following media types are accepted: application/json;stream=watch, \
                 application/vnd.kubernetes.protobuf;stream=watch";
    assert_eq!(form("application/yaml", Asked::Watch), wrong);
    assert_eq!(form("application/json;as=Table;v=v1;g=meta.k8s.io", Asked::Watch), "Json Table(V1)");
}

#[test]
fn metadata_of_one_are_not_those_of_a_list() {
    let wanted = |form| Wanted { encoding: Encoding::Json, form, pretty: false };
    let (one, list) = (wanted(Form::Metadata(MetaVersion::V1)), wanted(Form::MetadataList(MetaVersion::V1)));
    let check = |wanted: Wanted, kind: &Kind, is_list, expected: &str| {
        assert_eq!(
            wanted.fits(kind, is_list).err().map(|status| status.message).unwrap_or_default(),
            expected
        );
    };
    let maps = kind("configmaps", "");
    check(one, &maps, false, "");
    check(list, &maps, true, "");
    let wrong =
        "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)";
    check(one, &maps, true, wrong);
    let wrong =
        "you requested PartialObjectMetadataList, but the requested object is not a list (*rbac.ClusterRole)";
    check(list, &kind("clusterroles", "rbac.authorization.k8s.io"), false, wrong);
}

#[test]
fn people_get_line_breaks() {
    let check = |query: &str, agent: &str, expected: bool| {
        let wishes = Wishes { accept: None, query, agent };
        assert_eq!(wishes.of_status().pretty, expected, "{query} {agent}");
    };
    check("", "kubectl/v1.34", false);
    check("limit=1&pretty=true", "kubectl/v1.34", true);
    check("pretty=1", "", true);
    check("pretty=false", "curl/8", false);
    check("pretty", "curl/8", true);
    check("", "Mozilla/5", false);
    check("", "Mozilla/5.0 (X11)", true);
}

#[test]
fn an_answer_is_written_as_it_is_wanted() {
    let json = r#"{"b":[1,{"x":"a,b\":{"}],"a":{},"c":[]}"#;
    let expected =
        "{\n  \"b\": [\n    1,\n    {\n      \"x\": \"a,b\\\":{\"\n    }\n  ],\n  \"a\": {},\n  \"c\": []\n}";
    assert_eq!(String::from_utf8_lossy(&indented(json.as_bytes())), expected);
    let wanted = Wanted { encoding: Encoding::Yaml, form: Form::Whole, pretty: false };
    let yaml = encode(r#"{"kind":"A","items":[{"name":"1"}]}"#.into(), wanted);
    assert_eq!(String::from_utf8_lossy(&yaml), "items:\n- name: \"1\"\nkind: A\n");
}
