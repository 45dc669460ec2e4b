//! A server that says what it was told to, whatever it is asked.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};

/// The server: its port, and what it was asked.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) asked: Receiver<String>,
}

/// Answers every connection with this; none never answers.
pub(crate) fn serve(answer: Option<&str>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (send, asked) = mpsc::channel();
    let answer = answer.map(str::to_owned);
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for stream in listener.incoming().flatten() {
            match &answer {
                Some(answer) => reply(stream, answer, &send),
                None => silent.push(stream),
            }
        }
    });
    Server { port, asked }
}

fn reply(mut stream: TcpStream, answer: &str, send: &Sender<String>) {
    let (mut request, mut part) = (Vec::new(), [0; 4096]);
    // It is here when its body is; one without a length has none.
    while !is_whole(&request) {
        match stream.read(&mut part) {
            Ok(0) | Err(_) => break,
            Ok(bytes) => request.extend_from_slice(&part[..bytes]),
        }
    }
    let _ = send.send(String::from_utf8_lossy(&request).into_owned());
    let _ = stream.write_all(answer.as_bytes());
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

/// An answer with this status and body.
pub(crate) fn answer(status: u16, body: &str) -> String {
    format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// A port at which nobody listens.
pub(crate) fn closed() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}
