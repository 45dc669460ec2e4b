//! Talks to a server over TLS, one connection a request.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::error::{Context, Error};
use crate::http::{Decoder, Request, Response};

/// No answer takes longer, or the server is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who we are to a server.
#[derive(Clone, Default)]
pub struct Identity {
    /// A certificate and its key, in PEM.
    pub certificate: Option<(Vec<u8>, Vec<u8>)>,
    /// A bearer token.
    pub token: Option<String>,
}

/// A server, and who we are to it.
#[derive(Clone)]
pub struct Client {
    authority: String,
    name: ServerName<'static>,
    roots: Arc<RootCertStore>,
    tls: Arc<ClientConfig>,
    token: Option<String>,
}

/// A response whose body comes bit by bit.
pub struct Stream {
    socket: TcpStream,
    tls: StreamOwned<ClientConnection, TcpStream>,
    decoder: Decoder,
}

/// What a stream has to say.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end.
    Text(String),
    /// Nothing came for so long.
    Quiet,
    /// It has ended.
    End,
}

impl Client {
    /// For a URL (`https://host:port`), with the authority that its certificate has to come from, in PEM.
    pub fn new(url: &str, ca: &[u8], identity: &Identity) -> Result<Self, Error> {
        let bad = |what: &str| Error::Http(format!("{url}: {what}"));
        let rest = url.strip_prefix("https://").ok_or_else(|| bad("only https:// is supported"))?;
        let authority = rest.trim_end_matches('/');
        let (host, _) = authority.rsplit_once(':').ok_or_else(|| bad("the port is missing"))?;
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())
            .map_err(|_| bad("the host is neither a name nor an address"))?;
        let mut roots = RootCertStore::empty();
        for certificate in certificates(ca)? {
            roots.add(certificate)?;
        }
        let roots = Arc::new(roots);
        let tls = configuration(&roots, identity)?;
        Ok(Self { authority: authority.to_owned(), name, roots, tls, token: identity.token.clone() })
    }

    /// The server's `host:port`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// By which name its certificate has to know the server.
    pub fn server_name(&self) -> ServerName<'static> {
        self.name.clone()
    }

    /// How connections to it are encrypted: whom it trusts, and the certificate that it shows.
    pub fn tls(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.tls)
    }

    /// The bearer token of whom we are, if that is how the server knows us.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The same server, to which we are somebody else.
    pub fn with_identity(&self, identity: &Identity) -> Result<Self, Error> {
        let tls = configuration(&self.roots, identity)?;
        Ok(Self { tls, token: identity.token.clone(), ..self.clone() })
    }

    /// Sends a request and waits for the whole answer.
    pub fn send(&self, request: &Request) -> Result<Response, Error> {
        let mut stream = self.open(request)?;
        let limit = Instant::now() + PATIENCE;
        while !stream.decoder.is_done() {
            stream.more(limit.saturating_duration_since(Instant::now()))?;
            if Instant::now() > limit {
                return Err(Error::Http(format!("no end of the answer after {} s", PATIENCE.as_secs())));
            }
        }
        Ok(std::mem::take(stream.decoder.response()))
    }

    /// Sends a request, and returns when the head of the answer has come.
    pub fn open(&self, request: &Request) -> Result<Stream, Error> {
        self.open_until(request, Decoder::has_head)
    }

    /// Sends a request without the body that it promises, and returns when the server waits for it.
    pub fn open_half(&self, request: &Request) -> Result<Stream, Error> {
        let stream = self.open_until(&request.clone().header("Expect", "100-continue"), Decoder::goes_on)?;
        if stream.decoder.has_head() {
            return Err(Error::Http("it is answered without its body".to_owned()));
        }
        Ok(stream)
    }

    fn open_until(&self, request: &Request, is_enough: fn(&Decoder) -> bool) -> Result<Stream, Error> {
        let what = || format!("talk to {}", self.authority);
        let address = self.authority.to_socket_addrs().context(what)?.next();
        let address = address.ok_or_else(|| Error::Http(format!("{} is no address", self.authority)))?;
        let socket = TcpStream::connect_timeout(&address, Duration::from_secs(5)).context(what)?;
        // The head and the body are written one after the other.
        socket.set_nodelay(true).context(what)?;
        let connection = ClientConnection::new(Arc::clone(&self.tls), self.name.clone())?;
        let tls = StreamOwned::new(connection, socket.try_clone().context(what)?);
        let mut stream = Stream { socket, tls, decoder: Decoder::of(request) };
        let mut head = request.clone();
        if let Some(token) = &self.token {
            head.headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
        }
        let head = head.head(&self.authority);
        let sent = stream.tls.write_all(head.as_bytes()).and_then(|()| stream.tls.write_all(&request.body));
        let sent = sent.and_then(|()| stream.tls.flush());
        let limit = Instant::now() + PATIENCE;
        while !is_enough(&stream.decoder) {
            let read = stream.more(limit.saturating_duration_since(Instant::now()));
            // A server that refuses a large body answers before it has read all, and hangs up.
            if let (Err(error), Err(_)) = (&sent, &read) {
                return Err(io::Error::new(error.kind(), error.to_string())).context(what);
            }
            read?;
            if Instant::now() > limit {
                return Err(Error::Http(format!("no answer after {} s", PATIENCE.as_secs())));
            }
        }
        Ok(stream)
    }
}

impl Stream {
    /// The answer's head; the body that has come is in it until a line of it is taken.
    pub fn response(&mut self) -> &Response {
        self.decoder.response()
    }

    /// The next line of the body, waiting no longer than that.
    pub fn line(&mut self, patience: Duration) -> Result<Line, Error> {
        let limit = Instant::now() + patience;
        loop {
            let body = &mut self.decoder.response().body;
            if let Some(end) = body.iter().position(|byte| *byte == b'\n') {
                let rest = body.split_off(end + 1);
                let line = std::mem::replace(body, rest);
                return Ok(Line::Text(String::from_utf8_lossy(&line[..end]).into_owned()));
            }
            if self.decoder.is_done() {
                let rest = std::mem::take(&mut self.decoder.response().body);
                let text = String::from_utf8_lossy(&rest).into_owned();
                return Ok(if text.is_empty() { Line::End } else { Line::Text(text) });
            }
            let left = limit.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Line::Quiet);
            }
            self.more(left)?;
        }
    }

    /// Reads what is there, or waits for it.
    fn more(&mut self, patience: Duration) -> Result<(), Error> {
        // Zero would mean: for ever.
        let patience = patience.max(Duration::from_millis(1));
        let what = || "read an answer".to_owned();
        self.socket.set_read_timeout(Some(patience)).context(what)?;
        let mut buffer = [0; 16 * 1024];
        match self.tls.read(&mut buffer) {
            Ok(0) => self.decoder.close(),
            Ok(count) => self.decoder.feed(&buffer[..count]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                Ok(())
            }
            // Go closes without a farewell when the length of the body was known.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.decoder.close(),
            Err(error) => Err(error).context(what),
        }
    }
}

fn configuration(roots: &Arc<RootCertStore>, identity: &Identity) -> Result<Arc<ClientConfig>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(Arc::clone(roots));
    let config = match &identity.certificate {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| Error::Http(error.to_string()))?;
            builder.with_client_auth_cert(certificates(certificate)?, key)?
        }
    };
    Ok(Arc::new(config))
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Error> {
    CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|error| Error::Http(format!("a certificate is not PEM: {error}")))
}
