//! A cache of its own, and what was told.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::Duration;

use simplex_agent_adapters::simplex::libsimplex::{
    Address, Environment, Found, Network, Patience, Proxies, Release, Show, Wanted, cached_folder, find,
};

use super::mirror::certificate;
use crate::common::TempDir;

pub(crate) struct Rig {
    pub(crate) dir: TempDir,
    pub(crate) wanted: Wanted,
    pub(crate) environment: Environment,
}

impl Rig {
    /// A search that downloads from an address, with an empty cache and no proxy.
    pub(crate) fn new(address: &str) -> Self {
        let dir = TempDir::new();
        let wanted = Wanted {
            address: Some(Address::parse(address).unwrap()),
            patience: Patience(Duration::from_secs(5)),
            ..Wanted::default()
        };
        let environment = Environment { cache: Some(dir.path().join("cache")), ..Environment::default() };
        Self { dir, wanted, environment }
    }

    /// The same, from elsewhere.
    pub(crate) fn from(&mut self, address: &str) -> &mut Self {
        self.wanted.address = Some(Address::parse(address).unwrap());
        self
    }

    /// Sets the variable `HTTPS_PROXY`, and trusts the mirror's certificate.
    pub(crate) fn through(&mut self, proxy: &str) -> &mut Self {
        let proxies = Proxies::of(|name| (name == "HTTPS_PROXY").then(|| proxy.to_owned()));
        let roots = self.dir.path().join("mirror.crt");
        std::fs::write(&roots, certificate()).unwrap();
        self.environment.network = Network { proxies, roots: Some(roots) };
        self
    }

    pub(crate) fn find(&self) -> (Result<Found, String>, Vec<String>) {
        let mut told = Told(Vec::new());
        let found = find(&self.wanted, &self.environment, &mut told).map_err(|error| error.to_string());
        (found, told.0)
    }

    /// Finds a library, in the cache's folder.
    pub(crate) fn found(&self) -> Vec<String> {
        let (found, told) = self.find();
        assert_eq!(found, Ok(Found { folder: self.folder(), is_cached: true }), "{told:?}");
        told
    }

    /// Finds none: one line with the ways on.
    pub(crate) fn refused(&self) -> String {
        let (found, _) = self.find();
        let line = found.unwrap_err();
        assert_eq!(line.lines().count(), 1, "{line}");
        for way in ["SIMPLEX_LIBS_DIR", "--core ws://", "simplex-mcp demo"] {
            assert!(line.contains(way), "{way}: {line}");
        }
        line
    }

    /// The folder of the library.
    pub(crate) fn folder(&self) -> PathBuf {
        cached_folder(self.environment.cache.as_ref().unwrap(), &Release::default())
    }

    /// A file of the release's folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder().parent().unwrap().join(name)
    }

    /// What is in the release's folder.
    pub(crate) fn files(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.folder().parent().unwrap()) else { return Vec::new() };
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

struct Told(Vec<String>);

impl Show for Told {
    fn line(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }

    fn redraw(&mut self, text: &str) {
        panic!("no terminal: {text}");
    }

    fn is_terminal(&self) -> bool {
        false
    }
}
