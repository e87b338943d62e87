//! Adds the field `x-@name@` to requests.
//!
//! plugboard.h is the manual: the thread of each function. `plugboard.rs` is the same for Rust.

mod plugboard;

use plugboard::{
    CommandDefinition, Counter, Exchange, Hook, Host, OptionDefinition, Plugin, Reply, Settings, Verdict, ON_REQUEST,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// One instance serves all exchanges, on all loops: state that changes is shared between threads.
struct FieldAdder {
    value: String,
    every: u64,
    requests: AtomicU64,
    added: Counter,
}

impl Plugin for FieldAdder {
    /// The kernel has checked the settings against the table below, and filled in defaults. An error ends the start-up.
    fn create(host: Host, settings: &Settings<'_>) -> Result<Self, String> {
        Ok(FieldAdder {
            value: settings.text("value"),
            every: settings.integer("every") as u64,
            requests: AtomicU64::new(0),
            added: host.counter("added"),
        })
    }

    /// Runs on the loop and must not block it: to wait, return the verdict of `exchange.wait(…)`. A
    /// panic or an error is a fault of the plugin.
    fn on_request(&self, exchange: &mut Exchange<'_>) -> Hook {
        if self.requests.fetch_add(1, Ordering::Relaxed) % self.every != 0 {
            return Ok(Verdict::NEXT);
        }
        exchange.request().set_field("x-@name@", &self.value)?;
        self.added.add(1);
        Ok(Verdict::NEXT)
    }

    /// `plugboard @id@ show`. Not on the loop; may block. Replies once, with JSON.
    fn command(&self, _name: &str, _arguments: &str, reply: Reply) {
        reply.json(&format!("{{\"requests\":{}}}", self.requests.load(Ordering::Relaxed)));
    }
}

plugboard::export! {
    plugin: FieldAdder, entry: @module@_LTX_plugboard_plugin,
    id: "@id@", version: "0.1.0", documentation: "Adds the field x-@name@ to requests.",
    priority: 300, hooks: ON_REQUEST,
    settings: [
        OptionDefinition::text("value", "hello", "The value of the field.").bounds(1, 100),
        OptionDefinition::integer("every", "1", "One of that many requests gets it.").bounds(1, 1000),
    ],
    commands: [CommandDefinition::new("show", "", "Shows how many requests came.")],
}
