//! Services: calls of an address are answered by rules.

use alloc::string::ToString;

use serde_json::Value;
use simplex_agent_core::Millis;

use super::Errand;
use crate::controller::Controller;
use crate::wire::ServiceReply;
use crate::world::Task;
use crate::{Network, PeerPlan};

impl Network {
    /// Answers a call by the first rule that fits.
    pub(crate) fn take_call(&mut self, person: usize, plan: &PeerPlan, event: &Value) {
        let Some(service) = &plan.service else { return };
        let Some(request) = event.get("requestId").and_then(Value::as_str) else { return };
        let text = event.get("requestData").map(Value::to_string).unwrap_or_default().to_lowercase();
        let signed = event.get("signerKey").is_some();
        let fits =
            |rule: &&crate::ServiceRule| text.contains(&rule.to.to_lowercase()) && (signed || !rule.signed);
        let Some(rule) = service.rules.iter().find(fits) else { return };
        let reply = match (&rule.reject, &rule.answer) {
            (Some(reason), _) => ServiceReply::Rejected(reason.clone()),
            (None, Some(answer)) => ServiceReply::Data(answer.clone()),
            (None, None) => return,
        };
        let errand = Errand::Serve { request: request.to_string(), reply };
        self.world.after(service.delay, Task::Person { person, errand });
    }

    /// Gives the answer. One that comes too late is nobody's.
    pub(crate) fn serve(&mut self, person: usize, request: &str, reply: ServiceReply) {
        let Some(db) = self.people.get(person).map(|p| p.db) else { return };
        let Some(row) = self.dbs.get_mut(&db) else { return };
        let mut controller = Controller::new(row, &mut self.world);
        let _late = controller.answer_call(request, reply);
        let events = controller.events;
        self.emit(db, events, Millis(0));
    }
}
