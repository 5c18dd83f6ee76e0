//! The test vectors of `spec/vectors`, for this implementation: each is run, and held to the schemas.

use std::collections::BTreeSet;
use std::format;
use std::string::{String, ToString as _};
use std::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jtd::Schema;
use serde_json::{Value, json};

use crate::simplex::model::Raw;
use crate::web::llms::{self, Communications};
use crate::web::{Declared, Offer, Protocols};

macro_rules! spec {
    ($path:literal) => {
        include_str!(concat!("../../../../spec/", $path))
    };
}

/// Where a value does not fit a schema; nothing when it fits.
fn faults(schema: &str, value: &Value) -> Vec<String> {
    let schema = Schema::from_serde_schema(serde_json::from_str(schema).expect("JSON")).expect("a schema");
    schema.validate().expect("a valid schema");
    let faults = jtd::validate(&schema, value, Default::default()).expect("no depth");
    faults.iter().map(|fault| fault.instance_path.join("/")).collect()
}

/// Runs each vector of a file through `answer`, and compares with what it has to give.
fn run(vectors: &str, schema: &str, answer: impl Fn(&Value) -> Value) {
    let mut names = BTreeSet::new();
    for line in vectors.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON object on each line");
        let name = vector["name"].as_str().expect("a name");
        assert!(names.insert(name.to_string()), "{name} is there twice");
        let actual = answer(&vector);
        assert_eq!(actual, vector["out"], "{name}: the answer is {actual}");
        assert_eq!(faults(schema, &vector["out"]), [""; 0], "{name}");
    }
    assert!(names.len() > 10, "{}", names.len());
}

/// The bytes of a file.
fn bytes(file: &Value) -> Vec<u8> {
    match file["base64"].as_str() {
        Some(text) => STANDARD.decode(text).expect("Base64"),
        None => file.as_str().expect("a text").as_bytes().to_vec(),
    }
}

/// What the data of a vector declares.
fn declared(vector: &Value) -> Declared {
    let raw = Raw::from(vector["in"]["data"].clone());
    match vector["in"]["of"].as_str() {
        Some("address") => Declared::of_address(&raw),
        Some("group") => Declared::of_group(&raw),
        Some("profile") => Declared::of_profile(&raw),
        Some("groupProfile") => Declared::of_group_profile(&raw),
        other => panic!("{other:?}"),
    }
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.retain(|_, value| !value.is_null());
    }
    value
}

/// WEB-01, WEB-02, WEB-03, WEB-04, WEB-05, WEB-06, WEB-07, WEB-08, WEB-09, WEB-10, WEB-11, WEB-12, WEB-13, WEB-14,
/// WEB-15, WEB-16, WEB-17, WEB-18, WEB-19, WEB-20, WEB-21: the section is read as the vectors say; and WEB-24, what was
/// read is written so that it is read again.
#[test]
fn communications() {
    let schema = spec!("schemas/communications.jtd.json");
    run(spec!("vectors/communications.jsonl"), schema, |vector| {
        let read = llms::read(&bytes(&vector["in"]));
        let again = llms::parse(&llms::write(&read.entries));
        assert_eq!(again.entries, read.entries, "{}", vector["name"]);
        serde_json::to_value(&read).expect("JSON")
    });
}

/// WEB-30, WEB-31, WEB-32, WEB-33, WEB-34, WEB-35, WEB-36, WEB-37: declarations are read as the vectors say, unknown
/// members and values are kept, and what the schemas refuse is known as such.
#[test]
fn declarations() {
    let schema = spec!("schemas/declared.jtd.json");
    run(spec!("vectors/declarations.jsonl"), schema, |vector| {
        assert_eq!(is_valid(vector), vector["valid"], "{}", vector["name"]);
        let declared = declared(vector);
        if let Some(protocols) = &declared.protocols {
            let profile = format!("{{\"preferences\":{{\"protocols\":{}}}}}", protocols.to_json());
            let again = Declared::of_profile(&Raw::parse(&profile).expect("JSON")).protocols;
            assert_eq!(again.as_ref().map(sorted), Some(sorted(protocols)), "{}", vector["name"]);
        }
        let faults: Vec<Value> = declared
            .faults
            .iter()
            .map(|fault| json!({"path": fault.path, "code": fault.problem.code()}))
            .collect();
        without_nulls(json!({
            "place": declared.place.map(|place| place.to_string()),
            "audience": declared.audience,
            "frequency": declared.frequency,
            "protocols": declared.protocols.map(|all| serde_json::from_str::<Value>(&all.to_json()).expect("JSON")),
            "faults": faults,
        }))
    });
}

/// In the order of the names: the JSON value of a test is a map that keeps no other.
fn sorted(protocols: &Protocols) -> Protocols {
    let mut protocols = protocols.clone();
    protocols.served.sort_by(|a, b| a.0.cmp(&b.0));
    protocols.more.sort_by(|a, b| a.0.cmp(&b.0));
    protocols
}

/// Whether the declarations of a vector fit their schemas.
fn is_valid(vector: &Value) -> bool {
    let data = &vector["in"]["data"];
    let (profile, preferences) = match vector["in"]["of"].as_str() {
        Some("address") => (&data["profile"], "preferences"),
        Some("group") => (&data["groupProfile"], "groupPreferences"),
        Some("profile") => (data, "preferences"),
        _ => (data, "groupPreferences"),
    };
    let parts = [
        (spec!("schemas/protocols.jtd.json"), profile[preferences].get("protocols")),
        (spec!("schemas/public-group.jtd.json"), profile.get("publicGroup")),
        (spec!("schemas/address-data.jtd.json"), (vector["in"]["of"] == "address").then_some(data)),
    ];
    parts.iter().all(|(schema, part)| part.is_none_or(|part| faults(schema, part).is_empty()))
}

/// WEB-40, WEB-41, WEB-42, WEB-43, WEB-44: what a website and an address say is put together as the vectors say.
#[test]
fn offers() {
    let schema = spec!("schemas/offer.jtd.json");
    run(spec!("vectors/offers.jsonl"), schema, |vector| {
        let website: Option<Communications> = vector["in"].get("text").map(|text| llms::read(&bytes(text)));
        let entry = website.as_ref().map(|read| &read.entries[0]);
        let declared = vector["in"].get("data").map(|_| declared(vector));
        let offer = Offer::new(entry, declared.as_ref());
        let services = offer.services.iter().map(|service| {
            json!({
                "protocol": service.protocol,
                "source": service.source.as_str(),
                "versions": service.versions,
                "chat": service.chat.as_str(),
                "rpc": service.rpc.as_str(),
            })
        });
        let found = |value: Value, source: &str| json!({"value": value, "source": source});
        without_nulls(json!({
            "place": offer.place.map(|place| place.to_string()),
            "audience": found(json!(offer.audience.value), offer.audience.source.as_str()),
            "frequency": offer.frequency.as_ref().map(|f| found(json!(f.value), f.source.as_str())),
            "services": services.collect::<Vec<Value>>(),
        }))
    });
}

/// WEB-38: the schemas of the document's own declarations take the document's own examples.
#[test]
fn examples_of_the_document() {
    let protocols = json!({
        "mcp": {"versions": ["2026-07-28"], "transports": {"chat": true, "rpc": true}},
        "a2a": {"versions": ["1.0"], "transports": {"chat": true, "rpc": true}},
    });
    for (schema, value) in [
        (spec!("schemas/protocols.jtd.json"), protocols),
        (
            spec!("schemas/public-group.jtd.json"),
            json!({"groupType": "channel", "audience": ["human", "agent"], "changeFrequency": "weekly"}),
        ),
        (spec!("schemas/address-data.jtd.json"), json!({"business": true, "serves": ["agent"]})),
    ] {
        assert_eq!(faults(schema, &value), [""; 0], "{value}");
    }
    let bad: [(&str, Value, &str); 2] = [
        (spec!("schemas/public-group.jtd.json"), json!({"changeFrequency": "often"}), "changeFrequency"),
        (spec!("schemas/address-data.jtd.json"), json!({"serves": "agent"}), "serves"),
    ];
    for (schema, value, fault) in bad {
        assert_eq!(faults(schema, &value), [fault], "{value}");
    }
}
