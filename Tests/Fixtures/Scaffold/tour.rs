//! A plugin that walks through plugboard.rs: what a request says in `x-tour` decides what it does, or how it breaks.

mod plugboard;

use plugboard::raw::PLUG_READY_READ;
use plugboard::*;
use std::ffi::c_void;
use std::io::{Read, Write};
use std::os::unix::io::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
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
                _ => pull.forward(&piece),
            }
        });
        asked.expect("a pull in its time is taken");
    }
}

/// Keeps each piece for two readers: one goes on, and the other's bytes are told.
struct Kept(Host, Body);

impl Source for Kept {
    fn length(&self) -> Option<u64> {
        self.1.length()
    }

    fn pull(&self, pull: Pull) {
        let host = self.0;
        let asked = self.1.pull(move |piece| match piece.kind() {
            PieceKind::Bytes(_) => {
                let (one, other) = (piece.keep().unwrap(), piece.keep().unwrap());
                pull.give(one);
                host.log(Level::Warning, &format!("kept {}", String::from_utf8_lossy(&other)));
            }
            _ => pull.forward(&piece),
        });
        asked.expect("a pull in its time is taken");
    }
}

/// The table of com.example.numbers/1.
#[repr(C)]
struct Numbers {
    context: *mut c_void,
    twice: unsafe extern "C" fn(context: *mut c_void, number: i64) -> i64,
}

struct Seen(String);

/// What a sub-request brought.
enum Found {
    SubResponse(SubResponse),
    Body(Result<Vec<u8>, Failure>),
}

type Finding = Arc<Mutex<Option<Found>>>;

/// Tells when it is let go of.
struct Told(Host, &'static str);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.log(Level::Warning, self.1);
    }
}

/// The names of the fields that are secret.
fn secrets(request: &mut Head<'_>) -> Result<String, Error> {
    request.mark_secret("x-tour")?;
    let fields = request.fields();
    let names = (0..fields.len()).filter(|index| request.is_secret(*index)).map(|index| format!("{};", fields[index].0));
    Ok(names.collect())
}

struct Tour {
    host: Host,
    closed: Counter,
    gives_service: bool,
}

impl Plugin for Tour {
    fn create(host: Host, settings: &Settings<'_>) -> Result<Self, String> {
        match settings.text("refuse").as_str() {
            "yes" => Err("It was told to refuse.".to_string()),
            "panic" => panic!("It panicked in create."),
            refuse => Ok(Tour { host, closed: host.counter("closed"), gives_service: refuse != "service" }),
        }
    }

    fn check(&self, attributes: &[(String, String)]) -> Result<(), String> {
        match attributes {
            [(_, value)] if value == "panic" => panic!("It panicked in check."),
            [(name, _)] => Err(format!("{name} is not enough.")),
            _ => Ok(()),
        }
    }

    fn start(&self) -> Result<(), String> {
        let never = Told(self.host, "the timer that was never due is let go of");
        self.host.after(Duration::from_secs(3600), move || drop(never));
        Ok(())
    }

    fn service(&self, id: &str) -> *const c_void {
        assert!(self.gives_service && id == "com.example.tour/1", "It was told to give none.");
        self as *const Tour as *const c_void
    }

    fn on_request(&self, exchange: &mut Exchange<'_>) -> Hook {
        let what = String::from_utf8_lossy(exchange.request().field("x-tour").unwrap_or_default()).into_owned();
        match exchange.visit() {
            Visit::Deadline => return Ok(exchange.fail("tour.late", "Nobody woke it.")),
            Visit::Woken => return self.woken(exchange),
            _ => (),
        }
        exchange.set_state(Seen(what.clone()))?;
        exchange.set_turn_state(Seen(what.clone()))?;
        match what.as_str() {
            "throw" => panic!("thrown on purpose"),
            "throw-number" => std::panic::panic_any(42),
            "error" => Err("returned on purpose".into()),
            "fail" => Ok(exchange.fail("tour.refused", "It was asked to fail.")),
            "respond" => {
                let body = Body::of_bytes(self.host, "responded");
                Ok(exchange.respond(203, &[("x-responded".to_string(), b"here".to_vec())], Some(body)))
            }
            "secret" => {
                let names = secrets(&mut exchange.request())?;
                Ok(exchange.respond(200, &[], Some(Body::of_bytes(self.host, names))))
            }
            "wait" => {
                let (verdict, ticket) = exchange.wait(Some(Duration::from_secs(30)));
                thread::spawn(move || ticket.wake());
                Ok(verdict)
            }
            "timer" | "timer-throw" => Ok(self.wait_for_timer(exchange, what == "timer-throw")),
            "cancel" => self.cancel(exchange),
            "like" => self.send_copy(exchange),
            "watch" | "watch-throw" => Ok(self.watch(exchange, what == "watch-throw")),
            "block" | "block-throw" => self.block(exchange, what == "block-throw"),
            "ask" | "ask-less" | "ask-whole" | "ask-throw" => self.ask(exchange, what),
            _ => Ok(Verdict::NEXT),
        }
    }

    fn on_response(&self, exchange: &mut Exchange<'_>) -> Hook {
        let what = exchange.state::<Seen>().map(|seen| seen.0.clone()).unwrap_or_default();
        if what == "break-hook" {
            let _taken = exchange.take_response_body();
            panic!("the hook broke on purpose");
        }
        if what == "keep" {
            if let Some(inner) = exchange.take_response_body() {
                exchange.set_response_body(Some(Body::of_source(self.host, Kept(self.host, inner))))?;
            }
        }
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
        if name == "facts" {
            return self.facts(reply);
        }
        reply.json(arguments);
    }
}

impl Tour {
    /// A socket wakes the ticket when it is readable; or that panics, and its release wakes.
    fn watch(&self, exchange: &mut Exchange<'_>, panics: bool) -> Verdict {
        let (verdict, ticket) = exchange.wait(Some(Duration::from_secs(30)));
        let (mut own, mut other) = UnixStream::pair().unwrap();
        own.set_nonblocking(true).unwrap();
        let descriptor = own.as_raw_fd();
        let ready = move |watch: Watch, ready| {
            assert!(!panics, "thrown by a watch");
            let is_read = ready & PLUG_READY_READ != 0 && own.read(&mut [0]).unwrap() == 1;
            assert!(is_read && watch.cancel() && !watch.cancel() && !watch.change(0));
        };
        let sent = other.write(b"x").unwrap();
        let released = move || {
            drop(other);
            ticket.wake();
            assert!(!panics, "thrown by a release");
        };
        let watch = self.host.watch(0, descriptor, 0, ready, released).unwrap();
        assert!(sent == 1 && watch.change(PLUG_READY_READ));
        verdict
    }

    /// What is done wakes the ticket, also where the work panics.
    fn block(&self, exchange: &mut Exchange<'_>, panics: bool) -> Hook {
        let (verdict, ticket) = exchange.wait(Some(Duration::from_secs(30)));
        let (host, told) = (self.host, Told(self.host, "the work is let go of"));
        let work = move || {
            assert!(host.current_loop() == 0);
            assert!(!panics, "thrown by work");
        };
        self.host.run_blocking(0, work, move || {
            let _told = told;
            assert!(host.current_loop() != 0 && ticket.wake());
            assert!(!panics, "thrown by what follows work");
        })?;
        Ok(verdict)
    }

    /// A copy of the exchange's request to another URL.
    fn send_copy(&self, exchange: &mut Exchange<'_>) -> Hook {
        let request = Request { url: exchange.resolve("/copied").unwrap_or_default(), ..Request::like_exchange() };
        let finding = Finding::default();
        exchange.set_state(finding.clone())?;
        let (verdict, ticket) = exchange.wait(Some(Duration::from_secs(30)));
        self.host.send(request, exchange.id(), move |mut subresponse| {
            subresponse.collect(100, move |body| {
                *finding.lock().unwrap() = Some(Found::Body(body));
                ticket.wake();
            })
        })?;
        Ok(verdict)
    }

    /// Arguments, the parts of one that is a URL, the plugin's metrics, and what a service says.
    fn facts(&self, reply: Reply) {
        let number = reply.argument_integer("number").unwrap_or(-1);
        let mut facts = format!("{number} {}", reply.argument_text("name").unwrap_or_default());
        facts.extend(reply.argument_items("list").iter().map(|(_, value)| format!(",{value}")));
        facts.extend(reply.argument_items("map").iter().map(|(name, value)| format!(",{name}={value}")));
        assert!(reply.argument_integer("name").is_none() && reply.argument_text("missing").is_none());
        let url = reply.argument_text("url").unwrap();
        let parts = self.host.url_parts(&url).unwrap();
        assert!(parts.userinfo.is_none() && parts.fragment.is_none() && self.host.url_parts("/relative").is_none());
        let query = parts.query.unwrap_or("none");
        facts += &format!(" {} {} {} {} {query}", parts.scheme, parts.host, parts.port, parts.path);

        self.host.counter_with("sent", &[("status", "2xx")]).add(2);
        let open = self.host.gauge("open", &[]);
        open.set(7);
        open.add(-2);
        let times = self.host.histogram("times", &[], &[10]);
        times.observe(3);
        times.observe_time(Duration::from_nanos(20));
        for metric in self.host.metrics() {
            if let Some(name) = metric.name.strip_prefix("com.example.tour.") {
                facts += &format!(" {name}{}", metric.kind);
                facts.extend(metric.labels.iter().map(|(name, value)| format!(",{name}={value}")));
                facts += &format!(":{}", metric.value);
                facts.extend(metric.bounds.iter().map(|bound| format!(",{bound}")));
                facts.extend(metric.counts.iter().map(|count| format!("/{count}")));
            }
        }
        let service = unsafe { self.host.service::<Numbers>("com.example.numbers/1").as_ref() };
        let twice = service.map(|numbers| unsafe { (numbers.twice)(numbers.context, 21) });
        facts += &twice.map_or(" none".to_string(), |twice| format!(" {twice}"));
        reply.json(&format!("\"{facts}\""));
    }

    /// The first timer is cancelled; the second wakes the ticket, or panics before it does.
    fn wait_for_timer(&self, exchange: &mut Exchange<'_>, panics: bool) -> Verdict {
        let patience = if panics { Duration::from_millis(50) } else { Duration::from_secs(30) };
        let (verdict, ticket) = exchange.wait(Some(patience));
        let told = Told(self.host, "the timer is let go of");
        let cancelled = self.host.after(Duration::ZERO, move || {
            drop(told);
            panic!("a timer that was cancelled has run");
        });
        let is_cancelled = cancelled.cancel() && !cancelled.cancel();
        self.host.after(Duration::from_millis(1), move || {
            assert!(!panics, "thrown by a timer");
            if is_cancelled {
                ticket.wake();
            }
        });
        verdict
    }

    /// Asks for another URL first: for its body whole, up to 16 bytes, or for a sub-response to pass on.
    fn ask(&self, exchange: &mut Exchange<'_>, what: String) -> Hook {
        let patience = if what == "ask-throw" { Duration::from_millis(50) } else { Duration::from_secs(30) };
        let mut request = Request::new("POST", &exchange.resolve("/asked").unwrap_or_default());
        request.fields = vec![("x-asked-by".to_string(), b"tour".to_vec())];
        request.body = Some(Body::of_bytes(self.host, "question"));
        request.is_outermost = true;
        let finding = Finding::default();
        exchange.set_state(finding.clone())?;
        let (verdict, ticket) = exchange.wait(Some(patience));
        let find = move |found: Found| {
            *finding.lock().unwrap() = Some(found);
            ticket.wake();
        };
        self.host.send(request, exchange.id(), move |mut subresponse| match what.as_str() {
            "ask-throw" => panic!("thrown on completion"),
            "ask-whole" => find(Found::SubResponse(subresponse)),
            _ => subresponse.collect(if what == "ask-less" { 7 } else { 16 }, move |body| find(Found::Body(body))),
        })?;
        Ok(verdict)
    }

    /// Asks for another URL, and cancels that.
    fn cancel(&self, exchange: &mut Exchange<'_>) -> Hook {
        let mut request = Request::new("GET", &exchange.resolve("/unwanted").unwrap_or_default());
        request.secrets = vec!["x-asked-by".to_string()];
        request.options = vec![("connectTimeout".to_string(), b"5s".to_vec())];
        let finding = Finding::default();
        exchange.set_state(finding.clone())?;
        let (verdict, ticket) = exchange.wait(Some(Duration::from_secs(30)));
        let told = finding.clone();
        let sent = self.host.send(request, exchange.id(), move |subresponse| {
            let code = subresponse.failure().map(|failure| failure.code).unwrap_or_default();
            if let Some(Found::Body(Ok(bytes))) = told.lock().unwrap().as_mut() {
                bytes.extend_from_slice(code.as_bytes());
            }
            ticket.wake();
        })?;
        // The sub-response comes later, on this thread.
        let codes = format!("{} {} ", sent.cancel(), sent.cancel());
        *finding.lock().unwrap() = Some(Found::Body(Ok(codes.into_bytes())));
        Ok(verdict)
    }

    fn woken(&self, exchange: &mut Exchange<'_>) -> Hook {
        let found = exchange.state::<Finding>().and_then(|finding| finding.lock().unwrap().take());
        match found {
            Some(Found::SubResponse(subresponse)) => return Ok(exchange.respond_with(subresponse)),
            Some(Found::Body(Err(failure))) => return Ok(exchange.fail(&failure.code, &failure.reason)),
            Some(Found::Body(Ok(bytes))) => exchange.request().set_field("x-woken", bytes)?,
            None => exchange.request().set_field("x-woken", "yes")?,
        }
        Ok(Verdict::NEXT)
    }
}

plugboard::export! {
    plugin: Tour, entry: tour_LTX_plugboard_plugin,
    id: "com.example.tour", version: "1.0.0", documentation: "Walks through the shim.",
    priority: 300, hooks: ON_REQUEST | ON_RESPONSE | ON_CLOSE,
    settings: [
        OptionDefinition::text("refuse", "no", "Whether it refuses to be made.").choices("yes no panic service"),
        OptionDefinition::text("key", "none", "A secret.").secret(),
    ],
    attributes: [
        OptionDefinition::text("left", "", "Needs right."),
        OptionDefinition::text("right", "", "Needs left."),
    ],
    commands: [
        CommandDefinition::new("echo", "{}", "Replies with its arguments."),
        CommandDefinition::new("facts", "{}", "Replies with what it finds."),
        CommandDefinition::new("throw", "{}", "Throws."),
    ],
    provides: ["com.example.tour/1"],
    needs: ["com.example.numbers/1?"],
}
