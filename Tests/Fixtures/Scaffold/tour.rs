//! A plugin that walks through plugboard.rs: what a request says in `x-tour` decides what it does, or how it breaks.

mod plugboard;

use plugboard::*;
use std::thread;
use std::time::Duration;

/// Turns what comes into capitals.
struct Capitals {
    inner: Body,
    breaks: bool,
}

impl Source for Capitals {
    fn length(&self) -> Option<u64> {
        self.inner.length()
    }

    fn pull(&self, pull: Pull) {
        let breaks = self.breaks;
        let asked = self.inner.pull(move |piece| {
            assert!(!breaks, "the body broke on purpose");
            match piece.kind() {
                PieceKind::Bytes(bytes) => pull.give(bytes.to_ascii_uppercase()),
                _ => pull.pass(&piece),
            }
        });
        asked.expect("a pull in its time is taken");
    }
}

struct Seen(String);

struct Tour {
    host: Host,
    closed: Counter,
}

impl Plugin for Tour {
    fn create(host: Host, settings: &Settings<'_>) -> Result<Self, String> {
        match settings.text("refuse").as_str() {
            "yes" => Err("It was told to refuse.".to_string()),
            "panic" => panic!("It panicked in create."),
            _ => Ok(Tour { host, closed: host.counter("closed") }),
        }
    }

    fn on_request(&self, exchange: &mut Exchange<'_>) -> Hook {
        let what = String::from_utf8_lossy(exchange.request().field("x-tour").unwrap_or_default()).into_owned();
        if exchange.visit() == Visit::Woken {
            exchange.request().set_field("x-woken", "yes")?;
            return Ok(Verdict::NEXT);
        }
        exchange.set_state(Seen(what.clone()))?;
        exchange.set_turn_state(Seen(what.clone()))?;
        match what.as_str() {
            "throw" => panic!("thrown on purpose"),
            "throw-number" => std::panic::panic_any(42),
            "error" => Err("returned on purpose".into()),
            "fail" => Ok(exchange.fail("tour.refused", "It was asked to fail.")),
            "respond" => {
                let body = Body::of_bytes(self.host, "answered");
                Ok(exchange.respond(203, &[("x-answered".to_string(), b"here".to_vec())], Some(body)))
            }
            "wait" => {
                let (verdict, ticket) = exchange.wait(Some(Duration::from_secs(30)));
                thread::spawn(move || ticket.wake());
                Ok(verdict)
            }
            _ => Ok(Verdict::NEXT),
        }
    }

    fn on_response(&self, exchange: &mut Exchange<'_>) -> Hook {
        let what = exchange.state::<Seen>().map(|seen| seen.0.clone()).unwrap_or_default();
        if what == "capitals" || what == "break" {
            if let Some(inner) = exchange.take_response_body() {
                let source = Capitals { inner, breaks: what == "break" };
                exchange.set_response_body(Some(Body::of_source(self.host, source)))?;
            }
        }
        Ok(Verdict::NEXT)
    }

    fn on_close(&self, exchange: &mut Exchange<'_>, _outcome: Outcome) {
        if exchange.turn_state::<Seen>().is_some() {
            self.closed.add(1);
        }
        // Nobody can act on it, but it must not leave either.
        panic!("thrown where nothing can fail");
    }

    fn command(&self, name: &str, arguments: &str, reply: Reply) {
        if name == "throw" {
            panic!("thrown by a command");
        }
        reply.json(arguments);
    }
}

plugboard::export! {
    plugin: Tour, entry: tour_LTX_plugboard_plugin,
    id: "com.example.tour", version: "1.0.0", documentation: "Walks through the shim.",
    priority: 300, hooks: ON_REQUEST | ON_RESPONSE | ON_CLOSE,
    settings: [OptionDefinition::text("refuse", "no", "Whether it refuses to be made.").choices("yes no panic")],
    commands: [
        CommandDefinition::new("echo", "{}", "Answers with its arguments."),
        CommandDefinition::new("throw", "{}", "Throws."),
    ],
}
