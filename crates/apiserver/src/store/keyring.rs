//! The keys with which what holds credentials is encrypted in the file.

use std::fmt;
use std::io;

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest;

use super::{Directory, StoreError};

/// Where they are.
pub(crate) const KEYS_FILE: &str = "secrets.key";
const HEAD: &str = "# The keys of the Secrets in hub.redb: the first one encrypts, all of them decrypt.\n\
                    # Who has this file and hub.redb has the Secrets: keep a copy, apart from backups.\n";
const KEY: usize = 32;
const ID: usize = 8;

/// The keys; the first one encrypts. There may be none: then nothing can be encrypted or decrypted.
#[derive(Clone, Default)]
pub(crate) struct Keyring {
    keys: Vec<SecretsKey>,
}

#[derive(Clone)]
struct SecretsKey {
    bytes: [u8; KEY],
    /// By which what it encrypted names it.
    id: [u8; ID],
    key: LessSafeKey,
}

/// Keys are in no log.
impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyring({:?})", self.keys.iter().map(|key| hex(&key.id)).collect::<Vec<_>>())
    }
}

impl Keyring {
    /// A ring with one key that nobody has had before.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(crate) fn made() -> io::Result<Keyring> {
        let mut keyring = Keyring::default();
        keyring.renew()?;
        Ok(keyring)
    }

    /// The keys in the directory; `None` if there is no file with keys.
    ///
    /// # Errors
    /// If the file cannot be read, or is not one with keys.
    pub(crate) fn load(directory: &Directory) -> Result<Option<Keyring>, StoreError> {
        let path = directory.join(KEYS_FILE);
        let text = directory.read(KEYS_FILE);
        let text = text.map_err(|error| StoreError::new(format!("{}: {error}", path.display())))?;
        text.map(|text| Keyring::parse(&text)).transpose().map_err(|why| {
            StoreError::Keys(format!(
                "{} is damaged: {why}; put the copy there that was kept",
                path.display()
            ))
        })
    }

    /// The keys that a file says.
    ///
    /// # Errors
    /// If it says something else.
    pub(super) fn parse(text: &str) -> Result<Keyring, &'static str> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let keys = lines.map(|line| from_hex(line).map(SecretsKey::new).ok_or("a line is not a key"));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() { Err("there is no key in it") } else { Ok(Keyring { keys }) }
    }

    /// Writes the keys to the directory; they are there for good when this returns.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn save(&self, directory: &Directory) -> io::Result<()> {
        directory.write(KEYS_FILE, (HEAD.to_owned() + &self.lines()).as_bytes())
    }

    /// The keys as a file says them.
    pub(super) fn lines(&self) -> String {
        self.keys.iter().map(|key| hex(&key.bytes) + "\n").collect()
    }

    /// Adds a key that nobody has had before: from now on it encrypts.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(crate) fn renew(&mut self) -> io::Result<()> {
        let mut bytes = [0; KEY];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        self.keys.insert(0, SecretsKey::new(bytes));
        Ok(())
    }

    /// Drops all keys but the one that encrypts.
    pub(crate) fn forget_old(&mut self) {
        self.keys.truncate(1);
    }

    /// Whether there is no key.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Encrypts `plain` so that it is good only together with `about`, and appends it to `out`.
    ///
    /// # Errors
    /// If there is no key, or the system has no random numbers.
    pub(super) fn lock(&self, about: &[u8], plain: Vec<u8>, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let first = self.keys.first().ok_or_else(|| StoreError::new("there is no key to encrypt it with"))?;
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(StoreError::new)?;
        let mut sealed = plain;
        let encrypted = first.key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(about),
            &mut sealed,
        );
        encrypted.map_err(|_| StoreError::new("it is too large to be encrypted"))?;
        out.extend_from_slice(&first.id);
        out.extend_from_slice(&nonce);
        out.extend_from_slice(&sealed);
        Ok(())
    }

    /// What [`Keyring::lock`] appended. `Ok(None)` if it is not that.
    ///
    /// # Errors
    /// If the key is not there.
    pub(super) fn unlock(&self, about: &[u8], bytes: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let Some((id, rest)) = bytes.split_first_chunk::<ID>() else { return Ok(None) };
        let Some((nonce, sealed)) = rest.split_first_chunk::<NONCE_LEN>() else { return Ok(None) };
        let Some(key) = self.keys.iter().find(|key| key.id == *id) else {
            return Err(StoreError::Keys(format!(
                "its Secrets are encrypted with the key {}, which is not in {KEYS_FILE}: put the copy of that file \
                 there that was kept",
                hex(id)
            )));
        };
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let Ok(plain) = key.key.open_in_place(nonce, Aad::from(about), &mut sealed) else { return Ok(None) };
        Ok(Some(plain.to_vec()))
    }
}

impl SecretsKey {
    fn new(bytes: [u8; KEY]) -> SecretsKey {
        let named = digest::digest(&digest::SHA256, &[b"bowline secrets key ".as_slice(), &bytes].concat());
        let mut id = [0; ID];
        id.copy_from_slice(&named.as_ref()[..ID]);
        let key = UnboundKey::new(&AES_256_GCM, &bytes).expect("a key of this kind has 32 bytes");
        SecretsKey { bytes, id, key: LessSafeKey::new(key) }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<[u8; KEY]> {
    let digits = text.len() == 2 * KEY && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut out = [0; KEY];
    for (index, byte) in out.iter_mut().enumerate().filter(|_| digits) {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    digits.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked(keyring: &Keyring, about: &[u8], plain: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        keyring.lock(about, plain.to_vec(), &mut out).expect("there is a key");
        out
    }

    #[test]
    fn what_is_locked_is_had_back_with_its_key_and_only_for_what_it_is_about() {
        let keyring = Keyring::made().expect("there are random numbers");
        let bytes = locked(&keyring, b"a", b"hunter2");
        assert_eq!(keyring.unlock(b"a", &bytes).expect("the key is there").as_deref(), Some(&b"hunter2"[..]));
        assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
        assert_ne!(
            bytes,
            locked(&keyring, b"a", b"hunter2"),
            "who sees both must not see that they are the same"
        );
        assert!(keyring.unlock(b"b", &bytes).expect("the key is there").is_none());
        for bit in ID * 8..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(keyring.unlock(b"a", &damaged).expect("the key is there").is_none(), "bit {bit}");
        }
        let other = Keyring::made().expect("there are random numbers");
        let said = other.unlock(b"a", &bytes).expect_err("the key is not there").to_string();
        assert!(said.contains(&hex(&keyring.keys[0].id)) && said.contains("secrets.key"), "{said}");
        assert!(Keyring::default().lock(b"a", b"x".to_vec(), &mut Vec::new()).is_err());
    }

    #[test]
    fn older_keys_decrypt_until_they_are_forgotten() {
        let mut keyring = Keyring::made().expect("there are random numbers");
        let old = locked(&keyring, b"a", b"1");
        keyring.renew().expect("there are random numbers");
        let new = locked(&keyring, b"a", b"2");
        assert!(keyring.unlock(b"a", &old).is_ok_and(|plain| plain.is_some()));
        keyring.forget_old();
        assert!(keyring.unlock(b"a", &old).is_err());
        assert!(keyring.unlock(b"a", &new).is_ok_and(|plain| plain.is_some()));
    }

    #[test]
    fn keys_are_read_as_they_are_written_and_nobody_prints_them() {
        let keyring = Keyring::made().expect("there are random numbers");
        let text = format!("# why\n\n{}\n{}\n", hex(&keyring.keys[0].bytes), "0f".repeat(32));
        let read = Keyring::parse(&text).expect("two keys");
        assert_eq!(read.keys.len(), 2);
        assert_eq!(read.keys[0].id, keyring.keys[0].id);
        assert!(!format!("{read:?}").contains(&hex(&keyring.keys[0].bytes)));
        for wrong in
            ["", "# only words", "0f", &"0g".repeat(32), &"+f".repeat(32), &"é".repeat(32), &"0f".repeat(33)]
        {
            assert!(Keyring::parse(wrong).is_err(), "{wrong}");
        }
    }
}
