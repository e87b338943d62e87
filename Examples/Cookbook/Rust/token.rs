//! A sub-request: each request waits for a token, which a server gives out, and carries it.

mod plugboard;

use plugboard::{
    SubResponse, Exchange, Hook, Host, OptionDefinition, Plugin, Request, Settings, Verdict, Visit, ON_REQUEST,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Shared by the exchange and its sub-request: the exchange may end before the response comes.
type Found = Arc<Mutex<Option<Vec<u8>>>>;

struct Token {
    host: Host,
    url: String,
}

impl Token {
    fn ask(&self, exchange: &mut Exchange<'_>) -> Hook {
        let found = Found::default();
        exchange.set_state(Arc::clone(&found))?;
        let (verdict, ticket) = exchange.wait(Some(Duration::from_secs(10)));
        // Called exactly once: with a response, with a failure, after a cancel.
        let completed = move |mut response: SubResponse| {
            if response.head().map_or(true, |head| head.status() != 200) {
                ticket.wake(); // The hook finds no token.
                return;
            }
            response.collect(4096, move |body| {
                if let Ok(body) = body {
                    *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(body).filter(|body| !body.is_empty());
                }
                ticket.wake(); // False if the exchange does not wait any more.
            });
        };
        self.host.send(Request::new("GET", &self.url), exchange.id(), completed)?;
        Ok(verdict)
    }
}

impl Plugin for Token {
    fn create(host: Host, settings: &Settings<'_>) -> Result<Self, String> {
        Ok(Token { host, url: settings.text("url") })
    }

    fn on_request(&self, exchange: &mut Exchange<'_>) -> Hook {
        if exchange.visit() == Visit::First {
            return self.ask(exchange);
        }
        let found = exchange.state::<Found>().map(|found| Arc::clone(found)).unwrap_or_default();
        let token = found.lock().unwrap_or_else(PoisonError::into_inner).take();
        match token {
            Some(token) => {
                let mut request = exchange.request();
                request.set_field("x-token", token)?;
                request.mark_secret("x-token")?;
                Ok(Verdict::NEXT)
            }
            None => {
                let reason = "No token came within ten seconds. Look whether the setting url is right.";
                Ok(exchange.fail("com.example.token.none", reason))
            }
        }
    }
}

plugboard::export! {
    plugin: Token, entry: token_LTX_plugboard_plugin,
    id: "com.example.token", version: "1.0.0", documentation: "Lets each request carry a token of its own.",
    priority: 450, hooks: ON_REQUEST,
    settings: [OptionDefinition::text("url", "", "Where a token is asked for.").required()],
}
