//! What people do: owners and others in the control chat, and peers.

use simplex_agent_core::Millis;
use simplex_sim::Act;

use super::Player;
use crate::step::{Peer, Way, Who, Words};
use crate::trace::Deed;

impl Player {
    /// Bob and Mallory come into the control chat; Bob becomes an owner.
    pub(super) fn move_in(&mut self) {
        for name in ["Bob", "Mallory"] {
            let link = self.world.network.link(name).expect("they have addresses");
            self.world.act("Alice", Act::Join { link }).expect("Alice joins");
            self.world.settle(Millis::secs(5));
            let chat = self.control("Alice").expect("Alice is in the control chat");
            let add = Act::Add { chat, contact: name.into(), role: "member".into() };
            self.world.act("Alice", add).expect("Alice adds them");
            self.world.settle(Millis::secs(5));
            self.world.act(name, Act::Command("/_join #1".into())).expect("they join");
            self.world.settle(Millis::secs(5));
        }
        self.set_role(Who::Bob, "owner");
        self.world.settle(Millis::secs(5));
    }

    /// The control chat in a person's list.
    fn control(&self, person: &str) -> Option<String> {
        self.world.control_chat(person).map(|chat| chat.chat_ref)
    }

    /// A genuine message.
    pub(super) fn write_as(&mut self, person: &str, text: &str) {
        self.deed(person, true, text);
        let _ = self.world.owner_says(person, text);
    }

    fn deed(&mut self, person: &str, genuine: bool, text: &str) {
        let owner = self.world.control_chat(person).is_some_and(|chat| chat.role == "owner");
        let at = self.world.seam.len();
        self.deeds.push(Deed { at, person: person.into(), genuine, owner, text: text.into() });
    }

    pub(super) fn write(&mut self, who: Who, way: Way, words: &Words) {
        let text = self.words(words);
        let person = who.name();
        let Some(chat) = self.control(person) else { return };
        match way {
            Way::New | Way::Reply | Way::Live => self.deed(person, true, &text),
            // Mallory says what is quoted, and means it.
            Way::Quoted => self.deed(Who::Mallory.name(), true, &text),
            Way::Unfinished | Way::Edited | Way::Forwarded | Way::Support => self.deed(person, false, &text),
        }
        // What the network refuses did not happen.
        let _ = self.write_in(person, &chat, way, text);
    }

    fn write_in(&mut self, person: &str, chat: &str, way: Way, text: String) -> Result<(), String> {
        let here = || chat.to_owned();
        let say = |text: &str| Act::Say { chat: chat.to_owned(), text: text.into() };
        let newest = |player: &Self| player.newest_of(person, chat).ok_or("no message");
        match way {
            Way::New => self.world.act(person, say(&text)),
            Way::Reply => {
                let item = newest(self)?;
                self.world.act(person, Act::Reply { chat: here(), item, text })
            }
            Way::Live => {
                self.world.act(person, Act::LiveStart { chat: here(), text: "hm".into() })?;
                let item = newest(self)?;
                self.world.act(person, Act::LiveEnd { chat: here(), item, text })
            }
            Way::Unfinished => self.world.act(person, Act::LiveStart { chat: here(), text }),
            Way::Edited => {
                self.world.act(person, say("hm"))?;
                let item = newest(self)?;
                self.world.act(person, Act::Edit { chat: here(), item, text })
            }
            Way::Forwarded => {
                let from = self.other_chat(person).ok_or("no other chat")?;
                self.world.act(person, Act::Say { chat: from.clone(), text })?;
                let item = self.newest_of(person, &from).ok_or("no message")?;
                self.world.act(person, Act::Forward { chat: from, item, to: here() })
            }
            Way::Support => self.world.act(person, Act::SayInSupport { chat: here(), text }),
            Way::Quoted => {
                let mallory = Who::Mallory.name();
                let theirs = self.control(mallory).ok_or("Mallory is not in the control chat")?;
                self.world.act(mallory, Act::Say { chat: theirs, text })?;
                let item = newest(self)?;
                self.world.act(person, Act::Reply { chat: here(), item, text: "hm".into() })
            }
        }
    }

    fn newest_of(&self, person: &str, chat: &str) -> Option<i64> {
        let chats = self.world.network.view(person);
        chats.iter().find(|view| view.chat_ref == chat)?.messages.last().map(|message| message.id)
    }

    fn other_chat(&self, person: &str) -> Option<String> {
        let chats = self.world.network.view(person);
        chats
            .into_iter()
            .find(|view| view.connected && view.chat_ref.starts_with('@'))
            .map(|view| view.chat_ref)
    }

    /// The text of words.
    pub(super) fn words(&mut self, words: &Words) -> String {
        let number = |player: &mut Self, back: u8| {
            let newest = player.actions().last().map_or(0, |(number, _)| *number);
            (newest + 1).saturating_sub(back.into())
        };
        match words {
            Words::Approve(back) => format!("/approve {}", number(self, *back)),
            Words::Reject(back) => format!("/reject {}", number(self, *back)),
            Words::ApproveChat(back) => {
                let n = number(self, *back);
                let action = self.actions.iter().rev().find(|(number, _)| *number == n);
                match action.and_then(|(_, chat)| chat.clone()) {
                    Some(chat) => format!("/'approve {chat} {n}'"),
                    None => format!("/'approve {n}'"),
                }
            }
            Words::ApproveOther(chat, back) => {
                format!("/approve {} {}", self.chat(*chat), number(self, *back))
            }
            Words::ApproveAll(chat) => format!("/'approve {} all'", self.chat(*chat)),
            Words::Revoke(chat) => format!("/revoke {}", self.chat(*chat)),
            Words::Pending => "/pending".into(),
            Words::List => "/list".into(),
            Words::Other(text) => text.chars().take(2_000).collect(),
        }
    }

    pub(super) fn set_role(&mut self, who: Who, role: &str) {
        let Some(chat) = self.control("Alice") else { return };
        let act = Act::SetRole { chat, member: who.name().into(), role: role.into() };
        let _ = self.world.act("Alice", act);
    }

    pub(super) fn depart(&mut self, who: Who) {
        if let Some(chat) = self.control(who.name()) {
            let _ = self.world.act(who.name(), Act::Leave { chat });
        }
    }

    pub(super) fn peer_says(&mut self, peer: Peer, text: &str) {
        let text: String = text.chars().take(2_000).collect();
        if let Some(chat) = self.chat_of(peer) {
            let _ = self.world.act(peer.name(), Act::Say { chat, text });
        }
    }

    pub(super) fn peer_renames(&mut self, peer: Peer, name: &str) {
        let _ = self.world.act(peer.name(), Act::Rename { name: name.into() });
    }

    pub(super) fn peer_deletes(&mut self, peer: Peer) {
        if let Some(chat) = self.chat_of(peer) {
            let act = match chat.starts_with('@') {
                true => Act::DeleteContact { chat },
                false => Act::DeleteGroup { chat },
            };
            let _ = self.world.act(peer.name(), act);
        }
    }

    /// The newest chat of a peer.
    fn chat_of(&self, peer: Peer) -> Option<String> {
        let chats = self.world.network.view(peer.name());
        chats.into_iter().rev().find(|chat| chat.connected).map(|chat| chat.chat_ref)
    }
}

impl Who {
    /// The name in the scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alice => "Alice",
            Self::Bob => "Bob",
            Self::Mallory => "Mallory",
        }
    }
}

impl Peer {
    /// The name in the scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shop => "Shop Bot",
            Self::Trickster => "Trickster",
            Self::Hugh => "Hugh",
            Self::Host => "Knitters Host",
        }
    }
}
