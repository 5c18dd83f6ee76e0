//! The test vectors of `spec/vectors`, for this implementation: each is run, and held to the schemas.
//! `UPDATE_VECTORS=1 cargo test -p simplex-agent-core vectors` writes what this implementation answers.

use std::string::{String, ToString};
use std::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::jtd;
use crate::simplex::model::Raw;
use crate::web::llms::{self, Communications};
use crate::web::{Declared, Offer, Protocols};

macro_rules! spec {
    ($path:literal) => {
        serde_json::from_str::<Value>(include_str!(concat!("../../../../spec/", $path))).expect($path)
    };
}

/// Runs each vector of a file through `answer`, and compares with what it expects.
fn run(file: &str, vectors: &Value, schema: &Value, answer: impl Fn(&Value) -> Value) {
    let mut vectors = vectors.as_array().expect("a list").clone();
    let mut names = std::collections::BTreeSet::new();
    let is_update = std::env::var_os("UPDATE_VECTORS").is_some();
    for vector in &mut vectors {
        let name = vector["name"].as_str().expect("a name").to_string();
        assert!(names.insert(name.clone()), "{file}: {name} is there twice");
        let actual = answer(vector);
        if is_update {
            vector["expected"] = actual;
        } else {
            assert_eq!(actual, vector["expected"], "{file}: {name}");
        }
        assert_eq!(jtd::faults(schema, &vector["expected"]), [""; 0], "{file}: {name}");
    }
    if is_update {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors").join(file);
        let text = serde_json::to_string_pretty(&vectors).expect("JSON") + "\n";
        std::fs::write(path, text).expect("the file is written");
    }
}

/// The bytes of a vector's text.
fn bytes(vector: &Value) -> Vec<u8> {
    match vector["base64"].as_str() {
        Some(text) => STANDARD.decode(text).expect("Base64"),
        None => vector["text"].as_str().expect("a text").as_bytes().to_vec(),
    }
}

fn declared(vector: &Value) -> Option<Declared> {
    let data = vector.get("data")?;
    let raw = Raw::from(data.clone());
    Some(match vector["of"].as_str().expect("what it is of") {
        "address" => Declared::of_address(&raw),
        "group" => Declared::of_group(&raw),
        "profile" => Declared::of_profile(&raw),
        "groupProfile" => Declared::of_group_profile(&raw),
        other => panic!("{other}"),
    })
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
    run("communications.json", &spec!("vectors/communications.json"), &schema, |vector| {
        let read = llms::read(&bytes(vector));
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
    run("declarations.json", &spec!("vectors/declarations.json"), &schema, |vector| {
        assert_eq!(is_valid(vector), vector["valid"], "{}", vector["name"]);
        let declared = declared(vector).expect("data");
        if let Some(protocols) = &declared.protocols {
            let raw = json!({"preferences": {"protocols": protocols.to_value()}}).into();
            let again = Declared::of_profile(&raw).protocols;
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
            "protocols": declared.protocols.map(|protocols| protocols.to_value()),
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
    let data = &vector["data"];
    let (profile, preferences) = match vector["of"].as_str() {
        Some("address") => (&data["profile"], "preferences"),
        Some("group") => (&data["groupProfile"], "groupPreferences"),
        Some("profile") => (data, "preferences"),
        _ => (data, "groupPreferences"),
    };
    let parts = [
        (spec!("schemas/protocols.jtd.json"), profile[preferences].get("protocols")),
        (spec!("schemas/public-group.jtd.json"), profile.get("publicGroup")),
        (spec!("schemas/address-data.jtd.json"), (vector["of"] == "address").then_some(data)),
    ];
    parts.iter().all(|(schema, part)| part.is_none_or(|part| jtd::faults(schema, part).is_empty()))
}

/// WEB-40, WEB-41, WEB-42, WEB-43, WEB-44: what a website and an address say is put together as the vectors say.
#[test]
fn offers() {
    let schema = spec!("schemas/offer.jtd.json");
    run("offers.json", &spec!("vectors/offers.json"), &schema, |vector| {
        let website: Option<Communications> = vector.get("text").map(|_| llms::read(&bytes(vector)));
        let entry = website.as_ref().map(|read| &read.entries[0]);
        let offer = Offer::new(entry, declared(vector).as_ref());
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
        assert_eq!(jtd::faults(&schema, &value), [""; 0], "{value}");
    }
    let bad: [(Value, Value, String); 2] = [
        (spec!("schemas/public-group.jtd.json"), json!({"changeFrequency": "often"}), "/changeFrequency".into()),
        (spec!("schemas/address-data.jtd.json"), json!({"serves": "agent"}), "/serves".into()),
    ];
    for (schema, value, fault) in bad {
        assert_eq!(jtd::faults(&schema, &value), [fault], "{value}");
    }
}
