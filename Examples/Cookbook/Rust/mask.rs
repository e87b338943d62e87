//! Changing a body while it flows: replaces the values of named members of JSON by `"***"`, in requests and responses.

mod plugboard;

use plugboard::{
    Exchange, Failure, Head, Hook, Host, OptionDefinition, Plugin, Settings, Transformer, Verdict, ON_REQUEST,
    ON_RESPONSE,
};
use std::collections::HashSet;
use std::sync::Arc;

type Names = Arc<HashSet<Vec<u8>>>;

#[derive(Clone, Copy, Default, PartialEq)]
enum Place {
    #[default]
    Outside,
    /// Behind a string that is one of the names: it is a member's name if a colon follows.
    Name,
    /// Behind that colon.
    Value,
    /// In a value that is left out.
    Skipped,
}

/// Reads each byte once and never grows, wherever pieces end. Outside of what is left out no nesting is tracked.
#[derive(Default)]
struct Mask {
    names: Names,
    place: Place,
    /// The objects and arrays around a byte of what is left out.
    depth: u64,
    is_in_text: bool,
    is_escaped: bool,
    /// The last string as it is written, cut behind `room` bytes, which are enough for each name.
    text: Vec<u8>,
    room: usize,
}

impl Mask {
    /// Reads a byte, and returns whether it ends a string.
    fn ends_text(&mut self, byte: u8) -> bool {
        let was_escaped = std::mem::replace(&mut self.is_escaped, false);
        if !self.is_in_text {
            self.is_in_text = byte == b'"';
            self.text.clear();
        } else if byte == b'"' && !was_escaped {
            self.is_in_text = false;
            return true;
        } else {
            self.is_escaped = byte == b'\\' && !was_escaped;
            if self.text.len() <= self.room {
                self.text.push(byte);
            }
        }
        false
    }
}

/// A string without its escapes. Names hold no \n, \t and the like: 0 stands for these.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = text.iter().copied();
    let mut name = Vec::new();
    while let Some(byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next() {
                Some(byte @ (b'"' | b'\\' | b'/')) => byte,
                Some(b'u') => {
                    let digits = bytes.by_ref().take(4).map(|digit| (digit as char).to_digit(16).unwrap_or(0));
                    digits.fold(0, |code, digit| code << 4 | digit).try_into().unwrap_or(0)
                }
                _ => 0,
            },
            _ => byte,
        });
    }
    name
}

impl Transformer for Mask {
    fn transform(&mut self, bytes: &[u8], output: &mut Vec<u8>) -> Result<(), Failure> {
        for &byte in bytes {
            if self.place == Place::Value && !byte.is_ascii_whitespace() {
                output.extend_from_slice(b"\"***\"");
                self.place = Place::Skipped;
            }
            let was_in_text = self.is_in_text;
            let ends_text = self.ends_text(byte);
            if self.place == Place::Skipped {
                let opens = !was_in_text && matches!(byte, b'{' | b'[');
                let closes = !was_in_text && matches!(byte, b'}' | b']');
                // A number and a word end before the byte that follows.
                let is_behind = self.depth == 0 && !was_in_text && (closes || byte == b',');
                self.depth = self.depth + u64::from(opens) - u64::from(closes && !is_behind);
                if self.depth == 0 && (closes || ends_text || is_behind) {
                    self.place = Place::Outside;
                }
                if !is_behind {
                    continue;
                }
            }
            output.push(byte);
            self.place = match self.place {
                _ if ends_text && self.names.contains(&unescaped(&self.text)) => Place::Name,
                Place::Name if byte == b':' => Place::Value,
                place if byte.is_ascii_whitespace() => place,
                _ => Place::Outside,
            };
        }
        Ok(())
    }

    fn finish(&mut self, _output: &mut Vec<u8>) -> Result<(), Failure> {
        if !self.is_in_text && matches!(self.place, Place::Outside | Place::Name) {
            return Ok(());
        }
        Err(Failure::new("com.example.mask.cut", "The JSON ended within a string or a member."))
    }
}

struct MaskedMembers {
    names: Names,
}

impl MaskedMembers {
    /// Makes transformers.
    fn masks(&self) -> impl Fn() -> Mask {
        let names = Arc::clone(&self.names);
        // A byte of a name can be written with six.
        let room = 6 * names.iter().map(Vec::len).max().unwrap_or(0);
        move || Mask { names: Arc::clone(&names), room, ..Mask::default() }
    }
}

fn is_json(head: &Head<'_>) -> bool {
    let kind = head.media_type();
    kind == "application/json" || kind.ends_with("+json")
}

impl Plugin for MaskedMembers {
    fn create(_host: Host, settings: &Settings<'_>) -> Result<Self, String> {
        let names = settings.items("names").into_iter().map(|(_, name)| name.into_bytes()).collect();
        Ok(MaskedMembers { names: Arc::new(names) })
    }

    fn on_request(&self, exchange: &mut Exchange<'_>) -> Hook {
        if is_json(&exchange.request()) {
            exchange.transform_request_body(self.masks())?;
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
        exchange.transform_response_body(self.masks())?;
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
