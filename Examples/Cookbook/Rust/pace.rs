//! Waiting with a timer, and a command that replies with JSON: lets one request pass in each interval.

mod plugboard;

use plugboard::{
    CommandDefinition, Exchange, Hook, Host, OptionDefinition, Plugin, Reply, Settings, Ticket, Verdict, Visit,
    ON_REQUEST,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

struct State {
    host: Host,
    interval: Duration,
    next: Duration,
    waiting: VecDeque<Ticket>,
    passed: u64,
}

/// Shared with the timer, under one lock for all loops.
struct Pace(Arc<Mutex<State>>);

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wakes, after a time, the first exchange that still waits: one that was cancelled uses up no interval.
fn start(shared: &Arc<Mutex<State>>, state: &State, delay: Duration) {
    let timed = Arc::clone(shared);
    state.host.after(delay, move || {
        let mut state = locked(&timed);
        while let Some(ticket) = state.waiting.pop_front() {
            if !ticket.wake() {
                continue;
            }
            state.passed += 1;
            state.next = state.host.now() + state.interval;
            if !state.waiting.is_empty() {
                start(&timed, &state, state.interval);
            }
            return;
        }
    });
}

impl Plugin for Pace {
    fn create(host: Host, settings: &Settings<'_>) -> Result<Self, String> {
        let (interval, next) = (settings.duration("interval"), Duration::ZERO);
        Ok(Pace(Arc::new(Mutex::new(State { host, interval, next, waiting: VecDeque::new(), passed: 0 }))))
    }

    fn on_request(&self, exchange: &mut Exchange<'_>) -> Hook {
        // The timer wakes an exchange to let it pass.
        if exchange.visit() == Visit::Woken {
            return Ok(Verdict::NEXT);
        }
        let mut state = locked(&self.0);
        let now = state.host.now();
        if state.waiting.is_empty() && now >= state.next {
            state.next = now + state.interval;
            state.passed += 1;
            return Ok(Verdict::NEXT);
        }
        let (verdict, ticket) = exchange.wait(None);
        state.waiting.push_back(ticket);
        if state.waiting.len() == 1 {
            start(&self.0, &state, state.next.saturating_sub(now));
        }
        Ok(verdict)
    }

    /// `plugboard com.example.pace show`. Not on the loop.
    fn command(&self, _name: &str, _arguments: &str, reply: Reply) {
        let state = locked(&self.0);
        reply.json(&format!("{{\"passed\":{},\"waiting\":{}}}", state.passed, state.waiting.len()));
    }
}

plugboard::export! {
    plugin: Pace, entry: pace_LTX_plugboard_plugin,
    id: "com.example.pace", version: "1.0.0", documentation: "Lets one request pass in each interval.",
    priority: 150, hooks: ON_REQUEST,
    settings: [
        OptionDefinition::duration("interval", "1s", "How long after one request the next may pass.")
            .bounds(1, i64::MAX),
    ],
    commands: [CommandDefinition::new("show", "", "Shows how many requests have passed and how many wait.")],
}
