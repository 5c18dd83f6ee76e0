//! Where the library is: in the folder that the environment names, in the cache, or after a download there.

mod cache;
mod release;

pub use release::{DEFAULT_RELEASE, Release};

use std::fs::File;
use std::path::{Path, PathBuf};

use super::download::archive::{self, ArchiveError};
use super::download::{self, Address, FetchError, Limits, Network, Patience, Proxies, Show};
use super::sums::{Sum, Sums};
use super::{FILE, Library, OpenError, WAYS, machine};
use cache::{Cache, Cached, Workshop};

/// The variable that names a folder with the library, instead of the cache.
pub const LIBS_DIR: &str = "SIMPLEX_LIBS_DIR";

/// Which library is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The release.
    pub release: Release,
    /// Where its archive is; the project's releases when there is none.
    pub address: Option<Address>,
    /// The sum that the archive must have.
    pub archive_sum: Option<Sum>,
    /// How long a download waits for what does not come.
    pub patience: Patience,
    /// How large an archive may be.
    pub limits: Limits,
}

/// What the environment says of libraries and downloads.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `SIMPLEX_LIBS_DIR`.
    pub libs_dir: Option<PathBuf>,
    /// The cache of the official clients.
    pub cache: Option<PathBuf>,
    /// `HTTPS_PROXY` and its like, `SSL_CERT_FILE`.
    pub network: Network,
}

impl Environment {
    /// Reads the variables of this process.
    pub fn read() -> Self {
        let path = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let cache = if cfg!(windows) {
            path("LOCALAPPDATA")
        } else if cfg!(target_vendor = "apple") {
            home().map(|home| home.join("Library/Caches"))
        } else {
            path("XDG_CACHE_HOME").or_else(|| home().map(|home| home.join(".cache")))
        };
        Self {
            libs_dir: path(LIBS_DIR),
            cache: cache.map(|cache| cache.join("simplex-chat")),
            network: Network {
                proxies: Proxies::of(|name| std::env::var(name).ok()),
                roots: path("SSL_CERT_FILE"),
            },
        }
    }
}

/// A folder that holds a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The folder.
    pub folder: PathBuf,
    /// Whether it is the cache's.
    pub is_cached: bool,
}

impl Found {
    /// Loads the library.
    ///
    /// # Errors
    ///
    /// As [`Library::load`]; for a cached one the text also says how to have it downloaded again.
    pub fn load(&self) -> Result<Library, OpenError> {
        if !self.is_cached {
            return Library::load(&self.folder);
        }
        // Without its sums: a folder that was removed alone is filled with the archive that is pinned.
        let folder = self.folder.display();
        let again = format!("Remove {folder} and {folder}.sha256 to have it downloaded again.");
        Library::load_file(&self.folder.join(FILE))
            .map_err(|error| OpenError(format!("{error} {again} {WAYS}")))
    }
}

/// Finds the library, and downloads it when it is nowhere (decisions 6). Blocks until then.
///
/// # Errors
///
/// One line with the ways on. Nothing half is left in the cache.
pub fn find(wanted: &Wanted, environment: &Environment, show: &mut dyn Show) -> Result<Found, OpenError> {
    if let Some(folder) = &environment.libs_dir {
        return Ok(Found { folder: folder.clone(), is_cached: false });
    }
    let search = Search { wanted, environment };
    match search.run(show) {
        Ok(folder) => Ok(Found { folder, is_cached: true }),
        Err(reason) => Err(OpenError(format!("{reason} {WAYS}"))),
    }
}

/// A search in the cache, and the download into it.
struct Search<'a> {
    wanted: &'a Wanted,
    environment: &'a Environment,
}

impl Search<'_> {
    fn run(&self, show: &mut dyn Show) -> Result<PathBuf, String> {
        let root = self.environment.cache.as_ref();
        let root = root.ok_or("No home folder is known, so there is no cache for the SimpleX library.")?;
        let root = std::path::absolute(root).map_err(|error| format!("{}: {error}.", root.display()))?;
        let cache = Cache::new(&root, &self.wanted.release);
        if let Cached::Known(sums) = cache.look()? {
            return self.pinned(&cache, &sums);
        }
        let lock = match cache.lock(show) {
            Ok(lock) => lock,
            // A library that another program put into a cache where we cannot write is used without sums.
            Err(reason) if matches!(cache.look()?, Cached::Unknown) => {
                return self.unknown(&cache).map_err(|_| reason);
            }
            Err(reason) => return Err(reason),
        };
        let folder = match cache.look()? {
            Cached::Known(sums) => self.pinned(&cache, &sums)?,
            Cached::Unknown => {
                let folder = self.unknown(&cache)?;
                let sums = Sums::of_folder(&folder);
                let sums = sums.map_err(|error| format!("{}: {error}.", folder.display()))?;
                cache.keep(&sums)?;
                folder
            }
            Cached::Nothing => {
                self.download(&cache, show)?;
                cache.folder()
            }
        };
        drop(lock);
        Ok(folder)
    }

    /// The folder of a library whose archive is the wanted one.
    fn pinned(&self, cache: &Cache, sums: &Sums) -> Result<PathBuf, String> {
        match (self.wanted.archive_sum, &sums.archive) {
            (None, _) => Ok(cache.folder()),
            (Some(wanted), Some((_, kept))) if wanted == *kept => Ok(cache.folder()),
            (Some(wanted), Some((_, kept))) => Err(format!(
                "The library in {} is from an archive with the SHA-256 {kept}, and --libs-sha256 wants {wanted}. \
                 Remove that folder and {} to download it again.",
                cache.folder().display(),
                cache.sums_file().display(),
            )),
            (Some(_), None) => self.unknown(cache),
        }
    }

    /// The folder of a library whose archive is not known, which is no library for who wants a certain archive.
    fn unknown(&self, cache: &Cache) -> Result<PathBuf, String> {
        let folder = cache.folder();
        if self.wanted.archive_sum.is_none() {
            return Ok(folder);
        }
        let folder = folder.display();
        Err(format!(
            "Another program put the library into {folder}, so the SHA-256 of its archive is not known and can't be \
             compared with --libs-sha256. Remove that folder to download it again."
        ))
    }

    /// Downloads, checks and installs.
    fn download(&self, cache: &Cache, show: &mut dyn Show) -> Result<(), String> {
        let address = self.wanted.address.clone();
        let address =
            address.or_else(|| Address::parse(&self.wanted.release.address()?)).ok_or_else(|| {
                let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
                format!("There is no SimpleX library for {system} on {processor} to download.")
            })?;
        let name = Release::archive().unwrap_or_else(|| "simplex-chat-libs.zip".to_owned());
        let workshop = cache.workshop()?;
        show.line(&format!("Downloading libsimplex from {address} ..."));
        let (archive, sum) = self.fetch(&address, &workshop, show)?;
        self.check(cache, &address, &name, sum)?;
        let finished = workshop.path("libs");
        let file = File::open(&archive).map_err(|error| format!("{}: {error}.", archive.display()))?;
        let files = archive::unpack(file, &finished, self.wanted.limits);
        let files = files.map_err(|error| match error {
            ArchiveError::Write(error) => format!("{} can't be written: {error}.", finished.display()),
            other => format!("{address} can't be used: {other}."),
        })?;
        if let Some(built_for) = machine::other_processor(&finished.join(FILE)) {
            let this = std::env::consts::ARCH;
            return Err(format!(
                "{address} can't be used: its {FILE} is for {built_for}, and this is {this}."
            ));
        }
        cache.install(&finished, &Sums { archive: Some((name, sum)), files })
    }

    fn fetch(
        &self,
        address: &Address,
        workshop: &Workshop,
        show: &mut dyn Show,
    ) -> Result<(PathBuf, Sum), String> {
        let archive = workshop.path("archive.zip");
        let Wanted { patience, limits, .. } = *self.wanted;
        let fetched = download::fetch(address, &self.environment.network, patience, limits, &archive, show);
        let sum = fetched.map_err(|error| match error {
            FetchError::Write(error) => format!("{} can't be written: {error}.", archive.display()),
            FetchError::Remote(reason) => {
                format!(
                    "{address} can't be downloaded: {reason}. Check the network, HTTPS_PROXY and --libs-url."
                )
            }
        })?;
        show.line(&format!("SHA-256 of the archive: {sum}"));
        Ok((archive, sum))
    }

    /// Holds the sum of an archive to the one that is wanted, and to the one of an earlier download.
    fn check(&self, cache: &Cache, address: &Address, name: &str, sum: Sum) -> Result<(), String> {
        if let Some(wanted) = self.wanted.archive_sum.filter(|wanted| *wanted != sum) {
            return Err(format!(
                "{address} has the SHA-256 {sum}, and --libs-sha256 wants {wanted}: not installed."
            ));
        }
        match cache.sums()?.and_then(|sums| sums.archive) {
            Some((earlier, kept)) if earlier == name && kept != sum => Err(format!(
                "{address} has the SHA-256 {sum}, and an earlier download of this release had {kept}: not installed. \
                 If you trust the new one, remove {}.",
                cache.sums_file().display(),
            )),
            _ => Ok(()),
        }
    }
}

/// The folder of the library of a release in the cache.
pub fn cached_folder(root: &Path, release: &Release) -> PathBuf {
    Cache::new(root, release).folder()
}
