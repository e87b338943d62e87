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
enum Place {
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
/// nesting has to be remembered.
struct Mask {
    names: Names,
    longest: usize,
    place: Place,
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
        let (place, name) = (Place::Outside, Vec::new());
        Mask { names, longest, place, name, is_name: false, digits: 0, code: 0, depth: 0 }
    }

    /// One byte more than the longest name is enough to know that it is another.
    fn add(&mut self, byte: u8) {
        if self.name.len() <= self.longest {
            self.name.push(byte);
        }
    }

    fn read(&mut self, byte: u8) {
        match (self.place, byte) {
            (Place::Outside, b'"') => {
                self.place = Place::Text;
                self.name.clear();
            }
            (Place::Outside, b':') if self.is_name => self.place = Place::BeforeValue,
            (Place::Outside, _) => self.is_name = self.is_name && byte.is_ascii_whitespace(),
            (Place::Text, b'"') => {
                self.place = Place::Outside;
                self.is_name = self.names.contains(&self.name);
            }
            (Place::Text, b'\\') => self.place = Place::Escape,
            (Place::Text, _) => self.add(byte),
            (Place::Escape, b'u') => {
                self.place = Place::Hex;
                self.digits = 0;
                self.code = 0;
            }
            (Place::Escape, _) => {
                self.place = Place::Text;
                // \n, \t and the like are in no name that is masked.
                self.add(if matches!(byte, b'"' | b'\\' | b'/') { byte } else { 0 });
            }
            (Place::Hex, _) => {
                self.digits += 1;
                self.code = self.code << 4 | (byte as char).to_digit(16).unwrap_or(0);
                if self.digits == 4 {
                    self.place = Place::Text;
                    self.add(if self.code < 0x80 { self.code as u8 } else { 0 });
                }
            }
            _ => {}
        }
    }

    fn begin_skipping(&mut self, byte: u8) {
        self.is_name = false;
        self.depth = u64::from(matches!(byte, b'{' | b'['));
        self.place = match byte {
            b'{' | b'[' => Place::SkippedNest,
            b'"' => Place::SkippedText,
            _ => Place::SkippedWord,
        };
    }

    /// Whether the byte belongs to a value that is left out.
    fn skips(&mut self, byte: u8) -> bool {
        match (self.place, byte) {
            (Place::SkippedText, b'\\') => self.place = Place::SkippedEscape,
            (Place::SkippedText, b'"') if self.depth == 0 => self.place = Place::Outside,
            (Place::SkippedText, b'"') => self.place = Place::SkippedNest,
            (Place::SkippedEscape, _) => self.place = Place::SkippedText,
            (Place::SkippedNest, b'"') => self.place = Place::SkippedText,
            (Place::SkippedNest, b'{' | b'[') => self.depth += 1,
            (Place::SkippedNest, b'}' | b']') => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.place = Place::Outside;
                }
            }
            (Place::SkippedWord, b',' | b'}' | b']') => {
                self.place = Place::Outside;
                return false;
            }
            (Place::SkippedText | Place::SkippedNest | Place::SkippedWord, _) => {}
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
            if self.place == Place::BeforeValue && !byte.is_ascii_whitespace() {
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
        if self.place == Place::Outside {
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
            // What cannot be read cannot be masked.
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
