//! Are PNML documents refused that hold more than Linecard reads?

use linecard_petri::read_pnml;

#[test]
fn a_document_of_two_nets_is_refused_at_the_second() {
    let net = |id: &str| {
        format!(
            "<net id=\"{id}\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g{id}\"><transition id=\"t{id}\"/></page></net>\n"
        )
    };
    let file = |nets: &[&str]| {
        let nets: String = nets.iter().map(|id| net(id)).collect();
        format!("<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n{nets}</pnml>")
    };
    assert_eq!(read_pnml(&file(&["a"])).unwrap().name, "a");
    let error = read_pnml(&file(&["a", "b"])).unwrap_err().to_string();
    assert!(error.contains("line 3") && error.contains("a second <net>"), "{error}");
}
