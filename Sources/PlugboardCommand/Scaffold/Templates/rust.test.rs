//! Sends a request through the built plugin, and checks what a server receives.
//!
//! The test is the server, for one request; the command `plugboard` (or the one that the variable PLUGBOARD names) is
//! the client.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

#[test]
fn a_request_gets_the_field() {
    let configuration = configuration();
    let listener = TcpListener::bind("127.0.0.1:0").expect("no socket on 127.0.0.1");
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = thread::spawn(move || respond(&listener));

    let program = env::var("PLUGBOARD").unwrap_or_else(|_| "plugboard".to_string());
    let output = Command::new(&program)
        .args(["get", &url, "--config"])
        .arg(&configuration)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{}: {} (PLUGBOARD=/path/to/plugboard cargo test --release)", program, error));

    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let head = server.join().unwrap();
    assert!(head.contains("\r\nx-@name@: hello\r\n"), "the request has no such field:\n{}", head);
}

/// `tests/scenarios.json`, without a network.
#[test]
fn the_scenarios_pass() {
    let object = env::current_exe().unwrap().with_file_name("lib@module@.so");
    let program = env::var("PLUGBOARD").unwrap_or_else(|_| "plugboard".to_string());
    let output = Command::new(&program)
        .args(["plugins", "test"])
        .arg(&object)
        .arg("tests/scenarios.json")
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{}: {} (PLUGBOARD=/path/to/plugboard cargo test --release)", program, error));

    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A configuration with the object that was built along with this test.
fn configuration() -> PathBuf {
    let this = env::current_exe().unwrap();
    let object = this.with_file_name("lib@module@.so");
    let path = this.with_file_name("@module@.json");
    let text = format!("{{\"plugins\": [{{\"id\": \"@id@\", \"path\": {:?}}}]}}", object);
    fs::write(&path, text).unwrap();
    path
}

/// Responds to one request, and returns its head.
fn respond(listener: &TcpListener) -> String {
    let (mut client, _) = listener.accept().unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap() == 1 {
        head.push(byte[0]);
    }
    client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n").unwrap();
    String::from_utf8_lossy(&head).into_owned()
}
