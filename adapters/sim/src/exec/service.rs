//! Service RPC (digest 2.10): refused by 7.0; in 7.1 nobody here answers.

use serde_json::json;
use simplex_agent_core::Millis;

use crate::controller::{Answer, Controller};
use crate::errors;
use crate::scan::Scan;

impl Controller<'_> {
    pub(crate) fn service_request(&mut self, mut scan: Scan<'_>) -> Answer {
        if !self.is_7_1() {
            return Err(errors::parse());
        }
        self.user_id(&mut scan)?;
        scan.space()?;
        let target = scan.word();
        let mut seconds = 30;
        if scan.take(" timeout=") {
            let word = scan.word();
            seconds = word.split('.').next().and_then(|w| w.parse().ok()).ok_or_else(errors::parse)?;
        }
        if scan.take(" sign_key=") {
            scan.word();
        }
        scan.object()?;
        self.wanted(target)?;
        self.took = Millis::secs(seconds);
        let service = json!({"type": "A_SERVICE", "serviceError": {"type": "timeout"}});
        Err(errors::agent(json!({"type": "AGENT", "agentErr": service})))
    }

    pub(crate) fn service_response(&mut self, mut scan: Scan<'_>) -> Answer {
        if !self.is_7_1() {
            return Err(errors::parse());
        }
        self.user_id(&mut scan)?;
        scan.space()?;
        scan.word();
        scan.object()?;
        let service = json!({"type": "A_SERVICE", "serviceError": {"type": "noPendingRequest"}});
        Err(errors::agent(json!({"type": "AGENT", "agentErr": service})))
    }
}
