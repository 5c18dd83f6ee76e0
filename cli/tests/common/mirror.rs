//! A server on this machine that gives an archive.
#![allow(dead_code, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A server whose answers can be changed.
pub(crate) struct Mirror {
    port: u16,
    asked: Arc<AtomicUsize>,
    answer: Arc<Mutex<Answer>>,
}

/// What it does with a request.
#[derive(Clone)]
pub(crate) enum Answer {
    /// Gives the file, after a while.
    Whole(Vec<u8>, Duration),
    /// Gives the first half of the file, and then nothing.
    Half(Vec<u8>),
}

impl Mirror {
    pub(crate) fn new(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mirror = Self {
            port: listener.local_addr().unwrap().port(),
            asked: Arc::default(),
            answer: Arc::new(Mutex::new(answer)),
        };
        let (asked, answer) = (Arc::clone(&mirror.asked), Arc::clone(&mirror.answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let answer = answer.lock().unwrap().clone();
                asked.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || give(stream.unwrap(), &answer));
            }
        });
        mirror
    }

    pub(crate) fn change(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/libs.zip", self.port)
    }

    /// How many requests there were.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn give(mut stream: TcpStream, answer: &Answer) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let (file, until) = match answer {
        Answer::Whole(file, pause) => {
            thread::sleep(*pause);
            (file, file.len())
        }
        Answer::Half(file) => (file, file.len() / 2),
    };
    // Who was killed in the middle does not read to the end.
    let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", file.len());
    let _ = stream.write_all(&file[..until]);
    let _ = stream.read(&mut [0]);
}

/// An archive of these files, not compressed.
pub(crate) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
