//! The library of the SimpleX core.

use std::path::{Path, PathBuf};

use simplex_agent_adapters::simplex::libsimplex::{Environment, LIBS_DIR, Library, Release, cached_folder};
use simplex_agent_core::agent::text::entry;

use super::{Finding, Patient, files};

pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let kept = match &patient.kept {
        Ok(kept) => kept,
        Err(_) if files::is_told(patient, "options.json") => return Vec::new(),
        Err(error) => {
            let mend = format!("simplex-mcp serve {}, with the options you want", patient.agent);
            return vec![Finding::Bad(format!("options: {}", error.what()), mend)];
        }
    };
    let version = kept.core_version.as_deref();
    let version = version.map(|version| format!(", version {version} at the last start")).unwrap_or_default();
    if let Some(core) = kept.options.iter().find_map(|option| option.strip_prefix("--core=")) {
        return vec![Finding::Good(format!("SimpleX core: {core}, which needs no library{version}"))];
    }
    let environment = Environment::read();
    let release =
        kept.options.iter().find_map(|option| Release::parse(option.strip_prefix("--libs-version=")?));
    let release = release.unwrap_or_default();
    let named = environment.libs_dir.or_else(|| kept.libs_dir.as_ref().map(PathBuf::from));
    vec![match (named, environment.cache) {
        (Some(folder), _) => named_library(&folder, &version),
        (None, Some(cache)) => cached(patient, &cached_folder(&cache, &release), &release, &version),
        (None, None) => {
            Finding::Bad("library: no cache folder is known".to_owned(), format!("export {LIBS_DIR}=FOLDER"))
        }
    }]
}

/// A library that the person brought.
fn named_library(folder: &Path, version: &str) -> Finding {
    let shown = folder.display();
    match Library::load(folder) {
        Ok(_) => Finding::Good(format!("library: of {LIBS_DIR}, in {shown}{version}")),
        Err(error) => Finding::Bad(
            format!("library: {}", error.to_string().trim_end_matches('.')),
            format!("put a SimpleX library of release 7.0 or later into {shown}"),
        ),
    }
}

/// The library in the cache; it is downloaded when it is not there.
fn cached(patient: &Patient, folder: &Path, release: &Release, version: &str) -> Finding {
    let shown = folder.display();
    if !folder.exists() {
        return Finding::Bad(
            format!("library: {shown} is not there; the next start downloads release {release}"),
            patient.serve(""),
        );
    }
    match Library::load(folder) {
        Ok(_) => Finding::Good(format!("library: of release {release}, in {shown}{version}")),
        Err(error) => {
            let folder = entry::path(&folder.to_string_lossy());
            Finding::Bad(
                format!("library: {}", error.to_string().trim_end_matches('.')),
                patient.stopped(&format!("rm -r {folder} {folder}.sha256; {}", patient.serve(""))),
            )
        }
    }
}
