//! Events that no honest core would give in that form or at that time.

use serde_json::{Value, json};
use simplex_agent_core::effect::Input;

use super::Player;
use crate::step::{Forgery, Words};
use crate::world::Seam;

impl Player {
    /// The newest message of an owner in the control chat, with other words and one mark that makes it no command.
    pub(super) fn forge(&mut self, forgery: Forgery, words: &Words) {
        let text = self.words(words);
        let newest = self.world.seam.iter().rev().find_map(|seam| match seam {
            Seam::In(_, Input::Event(event)) if event.contains("\"groupRcv\"") && event.contains("\"/") => {
                serde_json::from_str::<Value>(event).ok()
            }
            _ => None,
        });
        let Some(mut event) = newest else { return };
        let Some(item) = event.pointer_mut("/result/chatItems/0") else { return };
        self.forged += 1;
        item["chatItem"]["meta"]["itemId"] = self.forged.into();
        item["chatItem"]["meta"]["itemText"] = text.clone().into();
        item["chatItem"]["content"]["msgContent"]["text"] = text.into();
        let chat_item = &mut item["chatItem"];
        match forgery {
            Forgery::Forwarded => chat_item["meta"]["itemForwarded"] = json!({"type": "unknown"}),
            Forgery::ByAnother => chat_item["meta"]["forwardedByMember"] = 3.into(),
            Forgery::Edit => chat_item["meta"]["itemEdited"] = true.into(),
            Forgery::Scope => item["chatInfo"]["groupChatScope"] = json!({"type": "memberSupport"}),
            Forgery::Role => chat_item["chatDir"]["groupMember"]["memberRole"] = "member".into(),
            Forgery::Own => chat_item["chatDir"] = json!({"type": "groupSnd"}),
            Forgery::Image => {
                chat_item["content"]["msgContent"]["type"] = "image".into();
                chat_item["content"]["msgContent"]["image"] = "data:image/png;base64,".into();
            }
            Forgery::Elsewhere => item["chatInfo"]["groupInfo"]["groupId"] = 77.into(),
        }
        self.world.inject(&event.to_string());
    }

    /// An earlier event comes again.
    pub(super) fn replay(&mut self, back: u8) {
        let events = self.world.seam.iter().rev().filter_map(|seam| match seam {
            Seam::In(_, Input::Event(event)) => Some(event.clone()),
            _ => None,
        });
        if let Some(event) = events.skip(back.into()).take(1).next() {
            self.world.inject(&event);
        }
    }
}
