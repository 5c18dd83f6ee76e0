//! Where the library of the SimpleX core comes from: a cache and servers that break in each way.
#![allow(clippy::unwrap_used)]

#[path = "library/archives.rs"]
mod archives;
mod common;
#[path = "library/mirror.rs"]
mod mirror;
#[path = "library/rig.rs"]
mod rig;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use simplex_agent_adapters::simplex::libsimplex::{Environment, FILE, Found, Limits, Patience, Sum, find};

use archives::{COMPANION, LIBRARY};
use mirror::{Mirror, file, hang, path, redirect};
use rig::Rig;

/// LIB-01, LIB-02, LIB-03, LIB-06: a download is told of, lands where the official client looks for it, and its sums
/// are kept in a form that `sha256sum` reads; the next start asks nobody.
#[test]
fn a_download_and_the_next_start() {
    let mirror = Mirror::file(&archives::good());
    let rig = Rig::new(&mirror.address("x/libs.zip"));
    let told = rig.found();
    let kept = fs::read_to_string(rig.file("sqlite.sha256")).unwrap();
    let archive = kept.lines().next().unwrap().split("  ").next().unwrap();
    assert_eq!(told[0], format!("Downloading libsimplex from {} ...", mirror.address("x/libs.zip")));
    assert_eq!(told.last(), Some(&format!("SHA-256 of the archive: {archive}")));
    let expected = rig.dir.path().join("cache/v7.0.2/sqlite");
    assert_eq!(rig.folder(), expected);
    assert_eq!(fs::read(expected.join(FILE)).unwrap(), LIBRARY);
    assert_eq!(fs::read(expected.join("libHSa.so")).unwrap(), COMPANION);
    assert_eq!(fs::read_dir(&expected).unwrap().count(), 2, "nothing but the folder libs is unpacked");
    assert_eq!(rig.files(), ["sqlite", "sqlite.lock", "sqlite.sha256"]);
    let names: Vec<_> = kept.lines().map(|line| line.split("  ").nth(1).unwrap()).collect();
    assert!(names[0].ends_with(".zip"), "{kept}");
    assert_eq!(names[1..], ["sqlite/libHSa.so", &format!("sqlite/{FILE}")]);
    assert_eq!(rig.found(), Vec::<String>::new());
    assert_eq!(mirror.heads().len(), 1);
}

/// LIB-01: the folder of the environment is used as it is, and nothing is asked or made.
#[test]
fn the_folder_of_the_environment() {
    let mirror = Mirror::file(&archives::good());
    let mut rig = Rig::new(&mirror.address("libs.zip"));
    rig.environment.libs_dir = Some(rig.dir.path().join("libs"));
    let (found, told) = rig.find();
    assert_eq!(found, Ok(Found { folder: rig.dir.path().join("libs"), is_cached: false }));
    assert_eq!((told.len(), mirror.heads().len(), rig.files().len()), (0, 0, 0));
}

/// LIB-04, LIB-07, LIB-08, LIB-14: whatever is wrong with an answer or an archive is named in one line with the
/// address, nothing is left in the cache, and a good answer is taken afterwards.
#[test]
fn what_cannot_be_used() {
    let good = archives::good();
    let library = format!("libs/{FILE}");
    let length = |length: usize, body: &[u8]| {
        [format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").as_bytes(), body].concat()
    };
    let unknown_length = |body: &[u8]| [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", body].concat();
    let zip = |files: &[(&str, &[u8])]| file(&archives::of(files));
    let half = good.len() / 2;
    let zeros = vec![0; 2_000_000];
    for (what, answer, reason) in [
        ("broken off", length(good.len(), &good[..half]), "can't be downloaded: "),
        ("longer than said", length(half, &good), "no zip archive, or a damaged one"),
        ("broken off, length unknown", unknown_length(&good[..half]), "no zip archive, or a damaged one"),
        ("larger than allowed", length(1_000_001, b""), "more than 1000000 bytes"),
        ("endless", unknown_length(&zeros), "more than 1000000 bytes"),
        (
            "a length that is none",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n".to_vec(),
            "can't be downloaded",
        ),
        ("no HTTP", b"220 mail.example ESMTP\r\n".to_vec(), "can't be downloaded"),
        ("nothing", Vec::new(), "can't be downloaded"),
        (
            "not found",
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone".to_vec(),
            "the answer was 404 Not Found.",
        ),
        (
            "broken server",
            b"HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n".to_vec(),
            "the answer was 503 Service Unavailable.",
        ),
        (
            "half of it",
            b"HTTP/1.1 206 x\r\nContent-Length: 0\r\n\r\n".to_vec(),
            "the answer was 206 Partial Content.",
        ),
        (
            "a redirect nowhere",
            b"HTTP/1.1 302 x\r\nContent-Length: 0\r\n\r\n".to_vec(),
            "the answer was 302 Found.",
        ),
        ("a loop", redirect("/libs.zip"), "more than 5 redirects"),
        (
            "to http",
            redirect("http://one.example/a.zip"),
            "redirects to http://one.example/a.zip, which is not https",
        ),
        ("to a file", redirect("file:///etc/passwd"), "redirects to file:///etc/passwd, which is not https"),
        ("an empty file", file(b""), "no zip archive"),
        ("no archive", file(b"<html>"), "no zip archive"),
        ("without the library", zip(&[("libs/other.so", b"x")]), "there is no libs/libsimplex"),
        ("the library elsewhere", zip(&[(FILE, b"x")]), "there is no libs/libsimplex"),
        ("a link in its place", file(&archives::with_link("/etc/passwd")), "there is no libs/libsimplex"),
        ("a folder in its place", zip(&[(&format!("{library}/"), b"")]), "there is no libs/libsimplex"),
        (
            "a name that leads out",
            zip(&[(&library, b"x"), ("libs/../../up", b"x")]),
            "which is not a plain path",
        ),
        ("an absolute name", zip(&[(&library, b"x"), ("/tmp/up", b"x")]), "which is not a plain path"),
        ("a name of Windows", zip(&[(&library, b"x"), ("libs\\..\\up", b"x")]), "which is not a plain path"),
        ("a bomb", zip(&[(&library, &zeros)]), "too large"),
        ("many files", zip(&[(&library, b"x"), ("a", b""), ("b", b""), ("c", b""), ("d", b"")]), "too large"),
        (
            "another processor",
            zip(&[(&library, &archives::other_processor())]),
            "is for processor number 43, and this is",
        ),
    ] {
        let mirror = Mirror::raw(answer);
        let mut rig = Rig::new(&mirror.address("libs.zip"));
        rig.wanted.limits = Limits { archive: 1_000_000, unpacked: 1_000_000, entries: 4 };
        let line = rig.refused();
        assert!(line.starts_with(&format!("{} can't be ", mirror.address("libs.zip"))), "{what}: {line}");
        assert!(line.contains(reason), "{what}: {line}");
        assert_eq!(rig.files(), ["sqlite.lock"], "{what}");
        assert!(!rig.dir.path().join("cache/up").exists() && !rig.dir.path().join("up").exists(), "{what}");
        rig.from(&Mirror::file(&good).address("libs.zip")).found();
    }
}

/// LIB-08: nobody there, and a server that stalls at each point: the wait ends, and a good server is taken afterwards.
#[test]
fn a_server_that_stalls() {
    let good = Arc::new(archives::good());
    let patience = Duration::from_millis(300);
    for (stop, reason) in
        [(0, "no answer for 0.3 s"), (20, "no answer for 0.3 s"), (60, "nothing came for 0.3 s"), (9999, "")]
    {
        let good_answer = Arc::clone(&good);
        let mirror = Mirror::new(move |_, stream| {
            let answer = file(&good_answer);
            let _ = stream.write_all(&answer[..stop.min(answer.len())]);
            let _ = stream.flush();
            hang(stream);
        });
        let mut rig = Rig::new(&mirror.address("libs.zip"));
        rig.wanted.patience = Patience(patience);
        let begun = Instant::now();
        if reason.is_empty() {
            // The file is whole, and its connection stays open.
            rig.found();
            continue;
        }
        let line = rig.refused();
        assert!(line.contains(reason), "{stop}: {line}");
        assert!(
            begun.elapsed() >= patience && begun.elapsed() < Duration::from_secs(20),
            "{:?}",
            begun.elapsed()
        );
        assert_eq!(rig.files(), ["sqlite.lock"]);
        rig.from(&Mirror::file(&good).address("libs.zip")).found();
    }
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let line = Rig::new(&format!("http://{nobody}/libs.zip")).refused();
    assert!(line.contains("can't be downloaded: ") && line.contains("HTTPS_PROXY"), "{line}");
}

/// LIB-08: a slow server is waited for as long as something comes.
#[test]
fn a_slow_server() {
    let mirror = Mirror::new(|_, stream| {
        for part in file(&archives::good()).chunks(64) {
            stream.write_all(part).unwrap();
            thread::sleep(Duration::from_millis(60));
        }
    });
    let mut rig = Rig::new(&mirror.address("libs.zip"));
    rig.wanted.patience = Patience(Duration::from_millis(400));
    let begun = Instant::now();
    rig.found();
    assert!(begun.elapsed() > rig.wanted.patience.0, "{:?}", begun.elapsed());
}

/// LIB-04: redirects are followed, from server to server too; a file without a length is taken when it is whole.
#[test]
fn redirects_are_followed() {
    let body = [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec(), archives::good()].concat();
    let second = Mirror::raw(body);
    let target = second.address("here.zip?signature=secret");
    let first = Mirror::new(move |head, stream| {
        let to = match path(head) {
            "/a/libs.zip" => "../b/x.zip",
            "/a/../b/x.zip" => "/c",
            _ => &target,
        };
        stream.write_all(&redirect(to)).unwrap();
    });
    Rig::new(&first.address("a/libs.zip")).found();
    let asked: Vec<_> = first.heads().iter().map(|head| path(head).to_owned()).collect();
    assert_eq!(asked, ["/a/libs.zip", "/a/../b/x.zip", "/c"]);
    assert!(
        second.heads()[0].starts_with("GET /here.zip?signature=secret HTTP/1.1\r\n"),
        "{:?}",
        second.heads()
    );
    // Who did not give the file is named, without what may be a secret.
    let gone = Mirror::raw(b"HTTP/1.1 403 x\r\nContent-Length: 0\r\n\r\n".to_vec());
    let from = Mirror::raw(redirect(&gone.address("a.zip?signature=secret")));
    let line = Rig::new(&from.address("libs.zip")).refused();
    let expected = format!(
        "{} can't be downloaded: {}: the answer was 403 Forbidden.",
        from.address("libs.zip"),
        gone.address("a.zip")
    );
    assert!(line.starts_with(&expected) && !line.contains("secret"), "{line}");
}

/// LIB-06: an archive with another sum than the wanted one, or than an earlier one of the same release, is refused.
#[test]
fn sums_are_compared() {
    let mirror = Mirror::file(&archives::good());
    let mut rig = Rig::new(&mirror.address("libs.zip"));
    let wrong = Sum::parse(&"ab".repeat(32));
    rig.wanted.archive_sum = wrong;
    let line = rig.refused();
    assert!(
        line.contains(&"ab".repeat(32)) && line.contains("--libs-sha256") && line.contains("not installed"),
        "{line}"
    );
    assert_eq!(rig.files(), ["sqlite.lock"]);
    rig.wanted.archive_sum = None;
    let told = rig.found();
    let right = Sum::parse(told.last().unwrap().rsplit(' ').next().unwrap());
    assert!(right.is_some(), "{told:?}");
    for (wanted, fits) in [(right, true), (wrong, false)] {
        rig.wanted.archive_sum = wanted;
        if fits {
            rig.found();
        } else {
            assert!(rig.refused().contains("--libs-sha256 wants"), "{wanted:?}");
        }
    }
    // The sum stays when the library goes.
    rig.wanted.archive_sum = None;
    fs::remove_dir_all(rig.folder()).unwrap();
    let other = Mirror::file(&archives::of(&[(&format!("libs/{FILE}"), b"another")]));
    let line = rig.from(&other.address("libs.zip")).refused();
    assert!(
        line.contains("an earlier download of this release had") && line.contains("sqlite.sha256"),
        "{line}"
    );
    assert_eq!(rig.files(), ["sqlite.lock", "sqlite.sha256"]);
    rig.wanted.archive_sum = right;
    rig.from(&mirror.address("libs.zip")).found();
}

/// LIB-06: a library that was changed, that lacks a file, or whose sums are damaged is refused, and left alone.
#[test]
fn a_changed_library() {
    let mirror = Mirror::file(&archives::good());
    for (name, content, reason) in [
        (format!("sqlite/{FILE}"), Some("another"), "its SHA-256 is"),
        ("sqlite/libHSa.so".to_owned(), Some(""), "its SHA-256 is"),
        ("sqlite/libHSa.so".to_owned(), None, "No such file"),
        (format!("sqlite/{FILE}"), None, "is there without"),
        ("sqlite.sha256".to_owned(), Some("x"), "sqlite.sha256 is damaged"),
    ] {
        let rig = Rig::new(&mirror.address("libs.zip"));
        rig.found();
        let path = rig.file(&name);
        match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let line = rig.refused();
        assert!(line.contains(reason) && line.contains("Remove "), "{name}: {line}");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), content, "{name}");
    }
}

/// LIB-02, LIB-06: what the official client has downloaded is used, and from then on it must stay so; who wants a
/// certain archive does not get it.
#[test]
fn a_library_of_another_program() {
    let mut rig = Rig::new("http://127.0.0.1:9/libs.zip");
    fs::create_dir_all(rig.folder()).unwrap();
    fs::write(rig.folder().join(FILE), LIBRARY).unwrap();
    fs::write(rig.folder().join("libHSa.so"), COMPANION).unwrap();
    rig.wanted.archive_sum = Sum::parse(&"ab".repeat(32));
    assert!(rig.refused().contains("Another program put the library into"));
    rig.wanted.archive_sum = None;
    rig.found();
    let kept = fs::read_to_string(rig.file("sqlite.sha256")).unwrap();
    assert_eq!(kept.lines().count(), 2, "{kept}");
    rig.wanted.archive_sum = Sum::parse(&"ab".repeat(32));
    assert!(rig.refused().contains("Another program put the library into"));
    rig.wanted.archive_sum = None;
    fs::write(rig.folder().join(FILE), "another").unwrap();
    assert!(rig.refused().contains("its SHA-256 is"));
}

/// LIB-10: of several that start at once, one downloads, and all have the library.
#[test]
fn several_at_once() {
    let mirror = Mirror::new(|_, stream| {
        thread::sleep(Duration::from_millis(300));
        stream.write_all(&file(&archives::good())).unwrap();
    });
    let rig = Rig::new(&mirror.address("libs.zip"));
    let waited = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                if rig.found().iter().any(|line| line.starts_with("Another process is putting")) {
                    waited.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!((mirror.heads().len(), waited.into_inner()), (1, 3));
    assert_eq!(rig.files(), ["sqlite", "sqlite.lock", "sqlite.sha256"]);
}

/// LIB-10: a program that does not know the lock puts the library there first: the same one is used, another one is
/// refused and left alone.
#[test]
fn a_program_without_the_lock() {
    for (library, fits) in [(LIBRARY, true), (b"another", false)] {
        let rig = Rig::new("http://127.0.0.1:9/libs.zip");
        let folder = rig.folder();
        let theirs = folder.clone();
        let mirror = Mirror::new(move |_, stream| {
            fs::create_dir_all(&theirs).unwrap();
            fs::write(theirs.join("libHSa.so"), COMPANION).unwrap();
            fs::write(theirs.join(FILE), library).unwrap();
            stream.write_all(&file(&archives::good())).unwrap();
        });
        let mut rig = rig;
        rig.from(&mirror.address("libs.zip"));
        if fits {
            rig.found();
        } else {
            assert!(rig.refused().contains("its SHA-256 is"));
        }
        assert_eq!(fs::read(folder.join(FILE)).unwrap(), library);
        assert_eq!(rig.files(), ["sqlite", "sqlite.lock", "sqlite.sha256"]);
    }
}

/// LIB-10: what a process left that was killed in the middle is not taken for anything, and goes away.
#[test]
fn what_a_killed_process_left() {
    let mirror = Mirror::file(&archives::good());
    let rig = Rig::new(&mirror.address("libs.zip"));
    let half = rig.file(".sqlite.download");
    fs::create_dir_all(half.join("libs")).unwrap();
    fs::write(half.join("libs").join(FILE), "half").unwrap();
    fs::write(half.join("archive.zip"), "half").unwrap();
    rig.found();
    assert_eq!(fs::read(rig.folder().join(FILE)).unwrap(), LIBRARY);
    assert_eq!(rig.files(), ["sqlite", "sqlite.lock", "sqlite.sha256"]);
}

/// LIB-09: with `HTTPS_PROXY` the proxy is asked for the host, with the password that the variable names, and the file
/// comes through it under TLS; redirects to other hosts go the same way.
#[test]
fn through_a_proxy() {
    let mirror = Mirror::with_tls(|head, stream| {
        let answer = if head.contains("Host: mirror.example") || head.contains("host: mirror.example") {
            redirect("https://other.example/b.zip")
        } else {
            file(&archives::good())
        };
        stream.write_all(&answer).unwrap();
    });
    let proxy = Mirror::proxy_to(mirror.port());
    let mut rig = Rig::new("https://mirror.example/a.zip");
    rig.through(&format!("http://user:secret@127.0.0.1:{}", proxy.port())).found();
    let heads = proxy.heads();
    let asked: Vec<_> = heads.iter().map(|head| head.lines().next().unwrap()).collect();
    assert_eq!(asked, ["CONNECT mirror.example:443 HTTP/1.1", "CONNECT other.example:443 HTTP/1.1"]);
    let lower = heads[0].to_ascii_lowercase();
    assert!(lower.contains("proxy-authorization: basic dxnlcjpzzwnyzxq="), "{lower}");
    assert!(!mirror.heads().concat().to_ascii_lowercase().contains("proxy-"), "{:?}", mirror.heads());
}

/// LIB-04: over real TLS, a redirect from https to http is refused, also to this machine.
#[test]
fn no_way_down_from_https() {
    let plain = Mirror::file(&archives::good());
    let to = plain.address("a.zip");
    let expected = format!("https://mirror.example/a.zip redirects to {to}, which is not https");
    let mirror = Mirror::with_tls(move |_, stream| stream.write_all(&redirect(&to)).unwrap());
    let proxy = Mirror::proxy_to(mirror.port());
    let mut rig = Rig::new("https://mirror.example/a.zip");
    let line = rig.through(&format!("127.0.0.1:{}", proxy.port())).refused();
    assert!(line.contains(&expected), "{line}");
    assert_eq!(plain.heads().len(), 0);
}

/// LIB-09: a proxy that refuses is named by its variable, and a host or a certificate that is not the right one is
/// no host to download from.
#[test]
fn proxies_and_certificates_that_do_not_fit() {
    let closed =
        Mirror::raw(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n".to_vec());
    let mut rig = Rig::new("https://mirror.example/a.zip");
    let line = rig.through(&format!("http://user:secret@127.0.0.1:{}", closed.port())).refused();
    assert!(line.contains("(through the proxy of HTTPS_PROXY)") && !line.contains("secret"), "{line}");
    let mirror = Mirror::with_tls(|_, stream| stream.write_all(&file(&archives::good())).unwrap());
    let proxy = format!("http://127.0.0.1:{}", Mirror::proxy_to(mirror.port()).port());
    // The certificate is for other hosts.
    let line = rig.from("https://third.example/a.zip").through(&proxy).refused();
    assert!(line.contains("certificate"), "{line}");
    // Nobody known has signed it.
    rig.from("https://mirror.example/a.zip").through(&proxy).environment.network.roots = None;
    let line = rig.refused();
    assert!(line.contains("certificate") || line.contains("UnknownIssuer"), "{line}");
    assert_eq!(mirror.heads().len(), 0);
    rig.environment.network.roots = Some(rig.dir.path().join("none.pem"));
    let line = rig.refused();
    assert!(line.contains("SSL_CERT_FILE, "), "{line}");
    fs::write(rig.dir.path().join("none.pem"), "no certificate").unwrap();
    assert!(rig.refused().contains("no certificate in it"));
    rig.through(&proxy).found();
}

/// LIB-09: what is on this machine is not asked of a proxy.
#[test]
fn no_proxy_for_this_machine() {
    let mirror = Mirror::file(&archives::good());
    let proxy = Mirror::raw(Vec::new());
    let mut rig = Rig::new(&mirror.address("a.zip"));
    rig.through(&format!("http://127.0.0.1:{}", proxy.port())).found();
    assert_eq!((mirror.heads().len(), proxy.heads().len()), (1, 0));
}

/// LIB-08: a cache that cannot be made, or that nobody knows, is named.
#[test]
fn no_place_for_a_cache() {
    let mut rig = Rig::new("http://127.0.0.1:9/libs.zip");
    fs::write(rig.dir.path().join("cache"), "a file").unwrap();
    let line = rig.refused();
    assert!(line.starts_with(rig.dir.path().to_str().unwrap()), "{line}");
    rig.environment.cache = None;
    assert!(rig.refused().contains("No home folder is known"));
    let environment = Environment { libs_dir: Some("/libs".into()), ..Environment::default() };
    assert!(find(&rig.wanted, &environment, &mut Silent).is_ok());
}

struct Silent;

impl simplex_agent_adapters::simplex::libsimplex::Show for Silent {
    fn line(&mut self, _: &str) {}

    fn redraw(&mut self, _: &str) {}

    fn is_terminal(&self) -> bool {
        true
    }
}
