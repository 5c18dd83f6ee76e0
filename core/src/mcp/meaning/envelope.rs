//! What a modern request says about itself in `params._meta` (MCP digest, section 2.1).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::json;

use super::Refusal;
use crate::jsonrpc::{Id, Members, MembersFault, code};
use crate::mcp::version;

/// The member whose presence makes a message modern.
pub(in crate::mcp) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(in crate::mcp) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(in crate::mcp) const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(in crate::mcp) const TOKEN: &str = "progressToken";

const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The parts of an envelope that matter.
#[derive(Debug)]
pub(in crate::mcp) struct Envelope {
    /// The revision the request is written in.
    pub(in crate::mcp) version: String,
    /// The progress token.
    pub(in crate::mcp) token: Option<Id>,
}

impl Envelope {
    /// Reads a whole envelope. Capabilities must be declared though none is ever needed, and `clientInfo` is never
    /// demanded.
    ///
    /// # Errors
    /// 400 with `-32602`, naming the member.
    pub(in crate::mcp) fn read(meta: &Members<'_>, id: &Id) -> Result<Self, Refusal> {
        let version = meta.text(VERSION).ok_or_else(|| wrong(id, VERSION, "must be a string"))?;
        let capabilities = meta.raw(CAPABILITIES).ok_or_else(|| wrong(id, CAPABILITIES, "missing"))?;
        if !capabilities.get().starts_with('{') {
            return Err(wrong(id, CAPABILITIES, "must be an object"));
        }
        if let Some(client) = meta.raw(CLIENT) {
            let named = Members::read(client)
                .is_ok_and(|client| client.text("name").is_some() && client.text("version").is_some());
            if !named {
                return Err(wrong(id, CLIENT, "must be an object with the strings name and version"));
            }
        }
        if meta.raw(LOG_LEVEL).is_some() {
            let level = meta.text(LOG_LEVEL).unwrap_or_default();
            if !LOG_LEVELS.contains(&level.as_str()) {
                return Err(wrong(id, LOG_LEVEL, "must be a log level"));
            }
        }
        let token = match meta.raw(TOKEN) {
            None => None,
            Some(json) => {
                let token = Id::from_json(json);
                Some(token.ok_or_else(|| wrong(id, TOKEN, "must be a string or an integer"))?)
            }
        };
        Ok(Self { version, token })
    }

    /// The refusal of a request whose version header is modern and whose body has no version.
    pub(in crate::mcp) fn missing(meta: &Members<'_>, id: &Id) -> Refusal {
        let keys: Vec<&str> =
            [VERSION, CAPABILITIES].into_iter().filter(|key| meta.raw(key).is_none()).collect();
        let message = format!(
            "Invalid _meta envelope for protocol revision {}: missing the required per-request envelope key(s): {}",
            version::MODERN,
            keys.join(", ")
        );
        let mut refusal = Refusal::new(400, Some(id), code::INVALID_PARAMS, &message);
        refusal.error.data = Some(json!({"envelope": {"missing": keys}}));
        refusal
    }
}

/// The members of `params._meta`; none when it is absent or `null`.
///
/// # Errors
/// 400 with `-32602` when it is anything else but an object with each name once.
pub(in crate::mcp) fn meta<'a>(params: &Members<'a>, id: Option<&Id>) -> Result<Members<'a>, Refusal> {
    let problem = match params.raw("_meta") {
        None => return Ok(Members::default()),
        Some(json) if json.get() == "null" => return Ok(Members::default()),
        Some(json) => match Members::read(json) {
            Ok(meta) => return Ok(meta),
            Err(MembersFault::NotObject) => "params._meta must be an object",
            Err(MembersFault::Unreadable) => "the name of a member of params._meta is not Unicode text",
            Err(MembersFault::Twice { .. }) => "a member of params._meta is given twice",
        },
    };
    Err(Refusal::new(400, id, code::INVALID_PARAMS, problem))
}

fn wrong(id: &Id, key: &str, problem: &str) -> Refusal {
    let message =
        format!("Invalid _meta envelope for protocol revision {}: {key}: {problem}", version::MODERN);
    let mut refusal = Refusal::new(400, Some(id), code::INVALID_PARAMS, &message);
    refusal.error.data = Some(json!({"envelope": {"key": key, "problem": problem}}));
    refusal
}
