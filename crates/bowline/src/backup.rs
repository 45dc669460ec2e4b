//! `bowline backup`: a copy of a running hub's store.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use bowline_apiserver::{BACKUP_PATH, BackupCheck};
use bowline_runtime::Manner;
use futures::{AsyncBufRead, AsyncBufReadExt as _};

use crate::connection::{Wanted, failed};
use crate::exit::{BadUsage, Exit, Refused};
use crate::{output, service};

/// Copies the store of a hub to `file`.
pub(crate) fn run(file: &Path, force: bool, server: &Wanted) -> anyhow::Result<Exit> {
    is_free(file, force)?;
    let partial = Partial::new(file)?;
    service::block_on(fetch(&partial, server))?;
    let bytes = partial.put(file, force)?;
    output::note(&format!(
        "{} holds {bytes} bytes. The keys are not in it: keep secrets.key, ca.crt, ca.key and service-accounts.key of the \
         hub's directory apart from it; without secrets.key nobody can restore its Secrets.",
        file.display()
    ));
    Ok(Exit::Done)
}

/// Whether a backup may be put there. It is by another name: what is no file, as a device, would be gone, and not written to.
fn is_free(file: &Path, force: bool) -> anyhow::Result<()> {
    match fs::symlink_metadata(file) {
        Ok(there) if !there.is_file() => bail!(BadUsage(format!(
            "{} is there, and is no regular file; it was left as it is; choose another name",
            file.display()
        ))),
        Ok(_) if !force => Err(there(file)),
        Ok(_) if is_store(file) => bail!(BadUsage(format!(
            "{} is the store of a hub, and no backup; it was left as it is; choose another name",
            file.display()
        ))),
        _ => Ok(()),
    }
}

/// Whether a hub keeps its objects in this file, by how it begins.
fn is_store(file: &Path) -> bool {
    const BEGINS: &[u8] = b"redb";
    let mut begins = [0; BEGINS.len()];
    File::open(file).and_then(|mut file| file.read_exact(&mut begins)).is_ok() && begins == BEGINS
}

fn there(file: &Path) -> anyhow::Error {
    anyhow!(BadUsage(format!(
        "{} is there already, and was left as it is; choose another name, or --force to write over it",
        file.display()
    )))
}

async fn fetch(partial: &Partial, server: &Wanted) -> anyhow::Result<()> {
    let client = server.client(Manner::Patiently).await?;
    let request = http::Request::get(BACKUP_PATH).body(Vec::new()).context("cannot ask for a backup")?;
    let body = client.request_stream(request).await.map_err(|error| match error {
        kube::Error::Api(status) if status.code == 404 => {
            anyhow!(Refused("cannot back up: the server is not a hub, and has its own backups".into()))
        }
        error => failed(error, "cannot back up"),
    })?;
    copy(body, &partial.file).await
}

/// Copies what comes, and sees that it is whole.
async fn copy(body: impl AsyncBufRead, mut file: &File) -> anyhow::Result<()> {
    let mut body = std::pin::pin!(body);
    let mut check = BackupCheck::default();
    loop {
        let piece = body.fill_buf().await.context("the backup did not come whole, and was dropped")?;
        if piece.is_empty() {
            break;
        }
        check.add(piece);
        file.write_all(piece).context("cannot write the backup")?;
        let length = piece.len();
        body.as_mut().consume(length);
    }
    check.finish().map_err(|error| anyhow!("the backup did not come whole, and was dropped: {error}"))
}

/// A file that is not whole yet; it is gone if it never is.
struct Partial {
    path: PathBuf,
    file: File,
}

impl Partial {
    fn new(file: &Path) -> anyhow::Result<Partial> {
        let Some(name) = file.file_name() else {
            bail!(BadUsage(format!("{} is not the name of a file", file.display())));
        };
        let mut partial = OsString::from(".");
        partial.push(name);
        partial.push(format!(".{}", std::process::id()));
        let path = file.with_file_name(partial);
        let open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let open = open.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Partial { path, file: open })
    }

    /// It is whole: it gets its name, for good. Says how long it is.
    fn put(self, file: &Path, force: bool) -> anyhow::Result<u64> {
        is_free(file, force)?;
        let put = || -> io::Result<u64> {
            self.file.sync_all()?;
            if force {
                fs::rename(&self.path, file)?;
            } else {
                // Somebody may have made one meanwhile.
                fs::hard_link(&self.path, file)?;
            }
            let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
            File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?;
            Ok(self.file.metadata()?.len())
        };
        match put() {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(there(file)),
            done => done.with_context(|| format!("cannot write {}", file.display())),
        }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // It may have got its name already.
        let _ = fs::remove_file(&self.path);
    }
}
