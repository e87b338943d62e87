//! Changing a body while it flows: replaces the values of named members of JSON by `"***"`, in requests and responses.

mod plugboard;

use plugboard::{
    Exchange, Failure, Head, Hook, Host, OptionDefinition, Plugin, Settings, Transformer, Verdict, ON_REQUEST,
    ON_RESPONSE,
};
use std::collections::HashSet;
use std::sync::Arc;

type Names = Arc<HashSet<Vec<u8>>>;

#[derive(Clone, Copy, PartialEq)]
enum State {
    Outside,
    Text,
    Escape,
    Hex,
    BeforeValue,
    SkippedText,
    SkippedEscape,
    SkippedNest,
    SkippedWord,
}

/// Reads each byte once and never grows, wherever pieces end. A string is a member's name if a colon follows it: no
/// nesting is tracked.
struct Mask {
    names: Names,
    longest: usize,
    state: State,
    /// The string that is being read, with its escapes resolved.
    name: Vec<u8>,
    is_name: bool,
    digits: u32,
    code: u32,
    depth: u64,
}

impl Mask {
    fn new(names: Names) -> Mask {
        let longest = names.iter().map(Vec::len).max().unwrap_or(0);
        let (state, name) = (State::Outside, Vec::new());
        Mask { names, longest, state, name, is_name: false, digits: 0, code: 0, depth: 0 }
    }

    /// Keeps one byte more than the longest name: that is enough to see a difference.
    fn add(&mut self, byte: u8) {
        if self.name.len() <= self.longest {
            self.name.push(byte);
        }
    }

    fn read(&mut self, byte: u8) {
        match (self.state, byte) {
            (State::Outside, b'"') => {
                self.state = State::Text;
                self.name.clear();
            }
            (State::Outside, b':') if self.is_name => self.state = State::BeforeValue,
            (State::Outside, _) => self.is_name = self.is_name && byte.is_ascii_whitespace(),
            (State::Text, b'"') => {
                self.state = State::Outside;
                self.is_name = self.names.contains(&self.name);
            }
            (State::Text, b'\\') => self.state = State::Escape,
            (State::Text, _) => self.add(byte),
            (State::Escape, b'u') => {
                self.state = State::Hex;
                self.digits = 0;
                self.code = 0;
            }
            (State::Escape, _) => {
                self.state = State::Text;
                // Names that are masked hold no \n, \t and the like.
                self.add(if matches!(byte, b'"' | b'\\' | b'/') { byte } else { 0 });
            }
            (State::Hex, _) => {
                self.digits += 1;
                self.code = self.code << 4 | (byte as char).to_digit(16).unwrap_or(0);
                if self.digits == 4 {
                    self.state = State::Text;
                    self.add(if self.code < 0x80 { self.code as u8 } else { 0 });
                }
            }
            _ => {}
        }
    }

    fn begin_skipping(&mut self, byte: u8) {
        self.is_name = false;
        self.depth = u64::from(matches!(byte, b'{' | b'['));
        self.state = match byte {
            b'{' | b'[' => State::SkippedNest,
            b'"' => State::SkippedText,
            _ => State::SkippedWord,
        };
    }

    /// Whether the byte belongs to a value that is left out.
    fn skips(&mut self, byte: u8) -> bool {
        match (self.state, byte) {
            (State::SkippedText, b'\\') => self.state = State::SkippedEscape,
            (State::SkippedText, b'"') if self.depth == 0 => self.state = State::Outside,
            (State::SkippedText, b'"') => self.state = State::SkippedNest,
            (State::SkippedEscape, _) => self.state = State::SkippedText,
            (State::SkippedNest, b'"') => self.state = State::SkippedText,
            (State::SkippedNest, b'{' | b'[') => self.depth += 1,
            (State::SkippedNest, b'}' | b']') => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.state = State::Outside;
                }
            }
            (State::SkippedWord, b',' | b'}' | b']') => {
                self.state = State::Outside;
                return false;
            }
            (State::SkippedText | State::SkippedNest | State::SkippedWord, _) => {}
            _ => return false,
        }
        true
    }
}

impl Transformer for Mask {
    fn transform(&mut self, bytes: &[u8], output: &mut Vec<u8>) -> Result<(), Failure> {
        output.reserve(bytes.len());
        for &byte in bytes {
            if self.skips(byte) {
                continue;
            }
            if self.state == State::BeforeValue && !byte.is_ascii_whitespace() {
                output.extend_from_slice(b"\"***\"");
                self.begin_skipping(byte);
            } else {
                output.push(byte);
                self.read(byte);
            }
        }
        Ok(())
    }

    fn finish(&mut self, _output: &mut Vec<u8>) -> Result<(), Failure> {
        if self.state == State::Outside {
            return Ok(());
        }
        let reason = "The JSON ended within a string or a member.";
        Err(Failure { code: "com.example.mask.cut".to_string(), reason: reason.to_string() })
    }
}

struct MaskedMembers {
    names: Names,
}

fn is_json(head: &Head<'_>) -> bool {
    let field = String::from_utf8_lossy(head.field("content-type").unwrap_or_default()).to_ascii_lowercase();
    let kind = field.split(&[';', ' '][..]).next().unwrap_or("");
    kind == "application/json" || kind.ends_with("+json")
}

impl Plugin for MaskedMembers {
    fn create(_host: Host, settings: &Settings<'_>) -> Result<Self, String> {
        let names = settings.items("names").into_iter().map(|(_, name)| name.into_bytes()).collect();
        Ok(MaskedMembers { names: Arc::new(names) })
    }

    fn on_request(&self, exchange: &mut Exchange<'_>) -> Hook {
        if is_json(&exchange.request()) {
            let names = Arc::clone(&self.names);
            exchange.transform_request_body(move || Mask::new(Arc::clone(&names)))?;
        }
        Ok(Verdict::NEXT)
    }

    fn on_response(&self, exchange: &mut Exchange<'_>) -> Hook {
        let is_encoded = match exchange.response() {
            Some(response) if is_json(&response) => response.field("content-encoding").is_some(),
            _ => return Ok(Verdict::NEXT),
        };
        if is_encoded {
            // Compressed bytes cannot be masked.
            let reason = "The response's JSON is compressed. Enable the plugin decode.";
            return Ok(exchange.fail("com.example.mask.encoded", reason));
        }
        let names = Arc::clone(&self.names);
        exchange.transform_response_body(move || Mask::new(Arc::clone(&names)))?;
        Ok(Verdict::NEXT)
    }
}

plugboard::export! {
    plugin: MaskedMembers, entry: mask_LTX_plugboard_plugin,
    id: "com.example.mask", version: "1.0.0", documentation: "Masks the values of named members of JSON.",
    priority: 330, hooks: ON_REQUEST | ON_RESPONSE,
    settings: [
        OptionDefinition::list("names", "[\"password\"]", "The members whose values are masked, in ASCII.")
            .bounds(1, 100),
    ],
}
