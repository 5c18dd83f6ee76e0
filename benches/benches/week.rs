//! A simulated week: 100,000 messages come and 1,000 actions are decided. The agent ends with the memory of its first
//! day.
//!
//! `cargo bench -p simplex-benches --bench week`
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::alloc::System;

use serde_json::json;
use simplex_agent_core::Millis;
use simplex_proptests::World;
use simplex_proptests::world::config;
use simplex_sim::{Act, Scenario};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const DAYS: u32 = 7;
const ACTIONS: u32 = 1_000;
const MESSAGES: u32 = 100_000;

fn main() {
    let scenario = include_str!("../../proptests/tests/scenarios/team.json");
    let scenario: Scenario = serde_json::from_str(scenario).unwrap();
    let mut world = World::new(1, config(), &scenario);
    world.start();
    world.settle(Millis::secs(30));
    let shop = world.network.link("shop").unwrap();
    world.call("connect", json!({"target": shop, "wait": 0}));
    world.settle(Millis::secs(5));
    world.owner_says("Alice", "/approve 1").unwrap();
    world.settle(Millis::secs(60));
    let mut action = 1;
    for day in 1..=DAYS {
        for _ in 0..ACTIONS / DAYS {
            action += 1;
            one_action(&mut world, action);
        }
        println!("day {day}: {action} actions, the agent holds {} kB", agent_bytes(&world) / 1_000);
    }
}

/// Messages come; the agent sends, the owner decides, the shop answers; then time passes.
fn one_action(world: &mut World, number: u32) {
    let chat = shop_chat(world);
    for message in 0..MESSAGES / ACTIONS {
        world.act("Shop Bot", Act::Say { chat: chat.clone(), text: format!("News {message}") }).unwrap();
    }
    let wait = if number.is_multiple_of(3) { 0 } else { 60 };
    world.call("send", json!({"chat": "@4", "text": format!("Question {number}"), "wait": wait}));
    world.settle(Millis::secs(5));
    let decision = if number.is_multiple_of(5) { "reject" } else { "approve" };
    world.owner_says("Alice", &format!("/{decision} {number}")).unwrap();
    world.act("Shop Bot", Act::Say { chat, text: format!("Answer {number}") }).unwrap();
    world.settle(Millis::secs(60));
    // All that came is read: a call returns at most a hundred.
    for _ in 0..2 {
        world.call("receive", json!({"chat": "@4", "limit": 100, "wait": 0}));
        world.settle(Millis::secs(5));
    }
    world.run(Millis::secs(u64::from(DAYS * 86_400 / ACTIONS)));
    world.seam.clear();
}

/// The chat of the shop with the agent, as the shop names it.
fn shop_chat(world: &World) -> String {
    let chats = world.network.view("Shop Bot");
    chats.into_iter().find(|chat| chat.name == "My Agent").unwrap().chat_ref
}

/// The bytes of a copy of the agent.
fn agent_bytes(world: &World) -> usize {
    let region = Region::new(ALLOCATOR);
    let copy = world.agent().unwrap().clone();
    let change = region.change();
    drop(copy);
    change.bytes_allocated - change.bytes_deallocated
}
