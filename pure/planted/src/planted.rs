//! One function for each ban, named for what it uses.
#![expect(missing_docs, reason = "the name says it all")]

// Clock.

pub fn instant() -> impl Sized {
    std::time::Instant::now()
}

pub fn system_time() -> impl Sized {
    std::time::SystemTime::now()
}

pub fn thread_sleep() -> impl Sized {
    std::thread::sleep(std::time::Duration::ZERO)
}

pub fn thread_park_timeout() -> impl Sized {
    std::thread::park_timeout(std::time::Duration::ZERO)
}

pub fn condvar_wait_timeout(guard: std::sync::MutexGuard<'_, ()>) -> impl Sized {
    std::sync::Condvar::new().wait_timeout(guard, std::time::Duration::ZERO).is_ok()
}

pub fn condvar_wait_timeout_while(guard: std::sync::MutexGuard<'_, ()>) -> impl Sized {
    std::sync::Condvar::new().wait_timeout_while(guard, std::time::Duration::ZERO, |()| true).is_ok()
}

pub fn receiver_recv_timeout(receiver: &std::sync::mpsc::Receiver<()>) -> impl Sized {
    receiver.recv_timeout(std::time::Duration::ZERO)
}

// Randomness.

pub fn hash_map() -> impl Sized {
    std::collections::HashMap::<u8, u8>::new()
}

pub fn hash_set() -> impl Sized {
    std::collections::HashSet::<u8>::new()
}

pub fn random_state() -> impl Sized {
    std::hash::RandomState::new()
}

pub fn default_hasher() -> impl Sized {
    std::hash::DefaultHasher::new()
}

// Environment.

pub fn env_var() -> impl Sized {
    std::env::var("HOME")
}

pub fn env_var_os() -> impl Sized {
    std::env::var_os("HOME")
}

pub fn env_vars() -> impl Sized {
    std::env::vars()
}

pub fn env_vars_os() -> impl Sized {
    std::env::vars_os()
}

pub fn env_args() -> impl Sized {
    std::env::args()
}

pub fn env_args_os() -> impl Sized {
    std::env::args_os()
}

pub fn env_current_dir() -> impl Sized {
    std::env::current_dir()
}

pub fn env_set_current_dir() -> impl Sized {
    std::env::set_current_dir(".")
}

pub fn env_current_exe() -> impl Sized {
    std::env::current_exe()
}

pub fn env_home_dir() -> impl Sized {
    std::env::home_dir()
}

pub fn env_temp_dir() -> impl Sized {
    std::env::temp_dir()
}

pub fn thread_available_parallelism() -> impl Sized {
    std::thread::available_parallelism()
}

// Files.

pub fn fs_file() -> impl Sized {
    std::fs::File::open("a")
}

pub fn fs_open_options() -> impl Sized {
    std::fs::OpenOptions::new()
}

pub fn fs_dir_builder() -> impl Sized {
    std::fs::DirBuilder::new()
}

pub fn fs_read() -> impl Sized {
    std::fs::read("a")
}

pub fn fs_read_to_string() -> impl Sized {
    std::fs::read_to_string("a")
}

pub fn fs_write() -> impl Sized {
    std::fs::write("a", "b")
}

pub fn fs_read_dir() -> impl Sized {
    std::fs::read_dir("a")
}

pub fn fs_read_link() -> impl Sized {
    std::fs::read_link("a")
}

pub fn fs_copy() -> impl Sized {
    std::fs::copy("a", "b")
}

pub fn fs_rename() -> impl Sized {
    std::fs::rename("a", "b")
}

pub fn fs_create_dir() -> impl Sized {
    std::fs::create_dir("a")
}

pub fn fs_create_dir_all() -> impl Sized {
    std::fs::create_dir_all("a")
}

pub fn fs_remove_file() -> impl Sized {
    std::fs::remove_file("a")
}

pub fn fs_remove_dir() -> impl Sized {
    std::fs::remove_dir("a")
}

pub fn fs_remove_dir_all() -> impl Sized {
    std::fs::remove_dir_all("a")
}

pub fn fs_hard_link() -> impl Sized {
    std::fs::hard_link("a", "b")
}

pub fn fs_metadata() -> impl Sized {
    std::fs::metadata("a")
}

pub fn fs_symlink_metadata() -> impl Sized {
    std::fs::symlink_metadata("a")
}

pub fn fs_canonicalize() -> impl Sized {
    std::fs::canonicalize("a")
}

pub fn fs_set_permissions(permissions: std::fs::Permissions) -> impl Sized {
    std::fs::set_permissions("a", permissions)
}

pub fn fs_exists() -> impl Sized {
    std::fs::exists("a")
}

pub fn path_exists(path: &std::path::Path) -> impl Sized {
    path.exists()
}

pub fn path_try_exists(path: &std::path::Path) -> impl Sized {
    path.try_exists()
}

pub fn path_is_file(path: &std::path::Path) -> impl Sized {
    path.is_file()
}

pub fn path_is_dir(path: &std::path::Path) -> impl Sized {
    path.is_dir()
}

pub fn path_is_symlink(path: &std::path::Path) -> impl Sized {
    path.is_symlink()
}

pub fn path_metadata(path: &std::path::Path) -> impl Sized {
    path.metadata()
}

pub fn path_symlink_metadata(path: &std::path::Path) -> impl Sized {
    path.symlink_metadata()
}

pub fn path_canonicalize(path: &std::path::Path) -> impl Sized {
    path.canonicalize()
}

pub fn path_read_dir(path: &std::path::Path) -> impl Sized {
    path.read_dir()
}

pub fn path_read_link(path: &std::path::Path) -> impl Sized {
    path.read_link()
}

// Network.

pub fn tcp_stream() -> impl Sized {
    std::net::TcpStream::connect("[::1]:1")
}

pub fn tcp_listener() -> impl Sized {
    std::net::TcpListener::bind("[::1]:0")
}

pub fn udp_socket() -> impl Sized {
    std::net::UdpSocket::bind("[::1]:0")
}

pub fn unix_stream() -> impl Sized {
    std::os::unix::net::UnixStream::connect("a")
}

pub fn unix_listener() -> impl Sized {
    std::os::unix::net::UnixListener::bind("a")
}

pub fn unix_datagram() -> impl Sized {
    std::os::unix::net::UnixDatagram::unbound()
}

pub fn to_socket_addrs() -> impl Sized {
    std::net::ToSocketAddrs::to_socket_addrs("localhost:1").is_ok()
}

// Threads.

pub fn thread_spawn() -> impl Sized {
    std::thread::spawn(|| ())
}

pub fn thread_scope() -> impl Sized {
    std::thread::scope(|_| ())
}

pub fn thread_builder_spawn() -> impl Sized {
    std::thread::Builder::new().spawn(|| ())
}

pub fn thread_builder_spawn_scoped<'a>(scope: &'a std::thread::Scope<'a, '_>) -> impl Sized {
    std::thread::Builder::new().spawn_scoped(scope, || ()).is_ok()
}

// Processes.

pub fn process_command() -> impl Sized {
    std::process::Command::new("true")
}

pub fn process_exit() -> ! {
    std::process::exit(0)
}

pub fn process_abort() -> ! {
    std::process::abort()
}

pub fn process_id() -> impl Sized {
    std::process::id()
}

// Standard streams, and printing.

pub fn io_stdin() -> impl Sized {
    std::io::stdin()
}

pub fn io_stdout() -> impl Sized {
    std::io::stdout()
}

pub fn io_stderr() -> impl Sized {
    std::io::stderr()
}

pub fn macro_print() -> impl Sized {
    print!("a")
}

pub fn macro_println() -> impl Sized {
    println!("a")
}

pub fn macro_eprint() -> impl Sized {
    eprint!("a")
}

pub fn macro_eprintln() -> impl Sized {
    eprintln!("a")
}

// What no crate may contain.

pub fn macro_dbg() -> impl Sized {
    dbg!("a")
}

pub fn macro_todo() -> ! {
    todo!()
}

pub fn macro_unimplemented() -> ! {
    unimplemented!()
}

pub fn unsafe_block() -> ! {
    unsafe { std::hint::unreachable_unchecked() }
}
