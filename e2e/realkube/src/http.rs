//! As much of HTTP/1.1 as a test needs, without I/O: how a request looks, and what a response's bytes mean.
//!
//! Requests go out exactly as a script writes them, wrong ones too, and a watch can be left at any moment:
//! that is why this is no client library.

use crate::error::Error;

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// GET, POST, …
    pub method: String,
    /// The path with its query.
    pub target: String,
    /// All headers but those of the connection itself.
    pub headers: Vec<(String, String)>,
    /// The body; none if it is empty and the method wants none.
    pub body: Vec<u8>,
}

impl Request {
    /// A request without headers and body.
    pub fn new(method: &str, target: &str) -> Self {
        Self { method: method.to_owned(), target: target.to_owned(), ..Self::default() }
    }

    /// With a header more.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a body of this media type.
    #[must_use]
    pub fn body(self, media: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self.header("Content-Type", media) }
    }

    pub(crate) fn head(&self, host: &str) -> String {
        let mut head =
            format!("{} {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() || ["POST", "PUT", "PATCH"].contains(&self.method.as_str()) {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head + "\r\n"
    }
}

/// A response: its head, and as much of its body as has come.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// All headers, in their order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// A header's value, by a name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// How the end of the body is known.
#[derive(Debug)]
enum Framing {
    Length(usize),
    Close,
    Chunked(Chunk),
}

#[derive(Debug)]
enum Chunk {
    /// Its size, as far as the line has come.
    Size(Vec<u8>),
    Bytes(usize),
    /// The line end after the bytes.
    End(usize),
    /// The lines after the last chunk, as far as they have come.
    Trailer(Vec<u8>),
}

/// Takes a response's bytes as they come.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    head: Vec<u8>,
    framing: Option<Framing>,
    response: Response,
    done: bool,
    /// The answer ends with its head, whatever that says of a body.
    is_to_head: bool,
    /// The server has said to go on.
    goes_on: bool,
}

impl Decoder {
    /// For the answer to a request.
    pub(crate) fn of(request: &Request) -> Self {
        Self { is_to_head: request.method == "HEAD", ..Self::default() }
    }

    /// Takes more bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.framing.is_some() {
            return self.feed_body(bytes);
        }
        self.head.extend_from_slice(bytes);
        let Some(end) = self.head.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(()) };
        let rest = self.head.split_off(end + 4);
        let head = String::from_utf8_lossy(&self.head).into_owned();
        self.response = parse_head(&head)?;
        if self.response.status < 200 {
            // "100 Continue" and the like: the real answer comes after it.
            *self = Self { is_to_head: self.is_to_head, goes_on: true, ..Self::default() };
            return self.feed(&rest);
        }
        self.framing = Some(if self.is_to_head { Framing::Length(0) } else { framing(&self.response)? });
        self.feed_body(&rest)
    }

    /// The connection has ended. That is the end of the body, or too early.
    pub(crate) fn close(&mut self) -> Result<(), Error> {
        match self.framing {
            Some(Framing::Close) => self.done = true,
            _ if self.done => {}
            Some(_) => return Err(Error::Http("it ends in the middle of the body".to_owned())),
            None => return Err(Error::Http("it ends in the middle of the head".to_owned())),
        }
        Ok(())
    }

    /// The head has come.
    pub(crate) fn has_head(&self) -> bool {
        self.framing.is_some()
    }

    /// The server has said to go on, or more.
    pub(crate) fn goes_on(&self) -> bool {
        self.goes_on || self.has_head()
    }

    /// All has come.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// What has come; the body that was taken before is not in it.
    pub(crate) fn response(&mut self) -> &mut Response {
        &mut self.response
    }

    fn feed_body(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let body = &mut self.response.body;
        match &mut self.framing {
            None => {}
            Some(Framing::Close) => body.extend_from_slice(bytes),
            Some(Framing::Length(left)) => {
                let count = bytes.len().min(*left);
                body.extend_from_slice(&bytes[..count]);
                *left -= count;
                self.done = *left == 0;
            }
            Some(Framing::Chunked(chunk)) => self.done = feed_chunks(chunk, bytes, body)?,
        }
        Ok(())
    }
}

fn parse_head(head: &str) -> Result<Response, Error> {
    let bad = |line: &str| Error::Http(format!("`{line}` in the head"));
    let mut lines = head.split("\r\n").filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let code = first.strip_prefix("HTTP/1.1 ").or_else(|| first.strip_prefix("HTTP/1.0 "));
    let status = code.and_then(|rest| rest.get(..3)?.parse().ok()).ok_or_else(|| bad(first))?;
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(':').ok_or_else(|| bad(line))?;
        Ok((name.to_owned(), value.trim().to_owned()))
    });
    Ok(Response { status, headers: headers.collect::<Result<_, Error>>()?, body: Vec::new() })
}

fn framing(response: &Response) -> Result<Framing, Error> {
    if response.header("Transfer-Encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        return Ok(Framing::Chunked(Chunk::Size(Vec::new())));
    }
    if matches!(response.status, 204 | 304) {
        return Ok(Framing::Length(0));
    }
    match response.header("Content-Length") {
        None => Ok(Framing::Close),
        Some(length) => {
            let length = length.parse().map_err(|_| Error::Http(format!("Content-Length {length}")))?;
            Ok(Framing::Length(length))
        }
    }
}

/// Returns whether that was the last of them.
fn feed_chunks(chunk: &mut Chunk, mut bytes: &[u8], body: &mut Vec<u8>) -> Result<bool, Error> {
    while let Some((&first, rest)) = bytes.split_first() {
        match chunk {
            Chunk::Size(line) => {
                bytes = rest;
                line.push(first);
                if line.ends_with(b"\r\n") {
                    *chunk = match chunk_size(line)? {
                        0 => Chunk::Trailer(Vec::new()),
                        size => Chunk::Bytes(size),
                    };
                }
            }
            Chunk::Bytes(left) => {
                let count = bytes.len().min(*left);
                body.extend_from_slice(&bytes[..count]);
                bytes = &bytes[count..];
                *left -= count;
                if *left == 0 {
                    *chunk = Chunk::End(2);
                }
            }
            Chunk::End(left) => {
                bytes = rest;
                *left -= 1;
                if *left == 0 {
                    *chunk = Chunk::Size(Vec::new());
                }
            }
            Chunk::Trailer(lines) => {
                bytes = rest;
                lines.push(first);
                if lines == b"\r\n" || lines.ends_with(b"\r\n\r\n") {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

fn chunk_size(line: &[u8]) -> Result<usize, Error> {
    let text = String::from_utf8_lossy(line);
    let digits = text.trim_end().split(';').next().unwrap_or_default();
    usize::from_str_radix(digits, 16).map_err(|_| Error::Http(format!("a chunk of size `{digits}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes in pieces of every size give the same.
    fn decoded(bytes: &str) -> Result<Response, Error> {
        let mut answers = Vec::new();
        for size in 1..=bytes.len() {
            let mut decoder = Decoder::default();
            for piece in bytes.as_bytes().chunks(size) {
                decoder.feed(piece)?;
            }
            if !decoder.is_done() {
                decoder.close()?;
            }
            assert!(decoder.is_done() && decoder.has_head());
            answers.push(decoder.response().clone());
        }
        assert!(
            answers.iter().all(|answer| answer.body == answers[0].body && answer.status == answers[0].status)
        );
        Ok(answers.remove(0))
    }

    #[test]
    fn bodies_end_by_length_by_chunks_and_by_the_connection() -> Result<(), Error> {
        let by_length = decoded("HTTP/1.1 201 Created\r\nA: b\r\nContent-Length: 5\r\n\r\nhello")?;
        assert_eq!((by_length.status, by_length.text().as_str()), (201, "hello"));
        assert_eq!(by_length.header("a"), Some("b"));
        let chunks = "5;x=y\r\nhello\r\n7\r\n, world\r\n0\r\nT: x\r\n\r\n";
        let chunked = decoded(&format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"))?;
        assert_eq!(chunked.text(), "hello, world");
        assert_eq!(decoded("HTTP/1.0 404 Not Found\r\n\r\nno\n")?.text(), "no\n");
        assert_eq!(decoded("HTTP/1.1 204 No Content\r\n\r\n")?.text(), "");
        assert_eq!(
            decoded("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")?.text(),
            "x"
        );
        Ok(())
    }

    #[test]
    fn a_cut_answer_is_not_taken_for_a_whole_one() {
        for bad in [
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            "nonsense\r\n\r\n",
        ] {
            assert!(decoded(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_answer_to_head_ends_with_its_head() -> Result<(), Error> {
        for (method, ends) in [("HEAD", true), ("GET", false)] {
            let mut decoder = Decoder::of(&Request::new(method, "/"));
            decoder.feed(b"HTTP/1.1 100 Continue\r\n\r\n")?;
            decoder.feed(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 229\r\n\r\n")?;
            assert!(decoder.has_head());
            assert_eq!(decoder.is_done(), ends, "{method}");
        }
        Ok(())
    }

    #[test]
    fn a_request_has_a_length_where_one_is_expected() {
        let head = |request: Request| request.head("h:1");
        assert_eq!(
            head(Request::new("GET", "/x?y=1").header("A", "b")),
            "GET /x?y=1 HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\nA: b\r\n\r\n"
        );
        assert!(head(Request::new("POST", "/")).contains("Content-Length: 0\r\n"));
        assert!(
            head(Request::new("DELETE", "/").body("application/json", "{}"))
                .contains("Content-Length: 2\r\n")
        );
    }
}
