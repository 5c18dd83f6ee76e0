//! The library of the SimpleX core.

use std::path::PathBuf;

use simplex_agent_adapters::simplex::libsimplex::{Environment, Library, Release, cached_folder};

use super::{Finding, Patient};

pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let kept = match patient.view.options() {
        Ok(kept) => kept,
        Err(error) => {
            let mend = format!("simplex-mcp serve {}, with the options you want", patient.agent);
            return vec![Finding::Bad(error.to_string().trim_end_matches('.').to_owned(), mend)];
        }
    };
    if let Some(core) = kept.options.iter().find_map(|option| option.strip_prefix("--core=")) {
        return vec![Finding::Good(format!("SimpleX core: {core}, which needs no library"))];
    }
    let environment = Environment::read();
    let release =
        kept.options.iter().find_map(|option| Release::parse(option.strip_prefix("--libs-version=")?));
    let release = release.unwrap_or_default();
    let named = environment.libs_dir.or_else(|| kept.libs_dir.map(PathBuf::from));
    let (folder, what) = match (named, environment.cache) {
        (Some(folder), _) => (folder, "of SIMPLEX_LIBS_DIR".to_owned()),
        (None, Some(cache)) => (cached_folder(&cache, &release), format!("of release {release}")),
        (None, None) => {
            return vec![Finding::Bad(
                "library: no cache folder is known".to_owned(),
                "export SIMPLEX_LIBS_DIR=FOLDER".to_owned(),
            )];
        }
    };
    let shown = folder.display().to_string();
    if !folder.exists() {
        return vec![Finding::Bad(
            format!("library: {shown} is not there"),
            format!(
                "simplex-mcp serve {}, which downloads release {release} unless SIMPLEX_LIBS_DIR is set",
                patient.agent
            ),
        )];
    }
    vec![match Library::load(&folder) {
        Ok(_) => Finding::Good(format!("library: {what}, in {shown}")),
        Err(error) => Finding::Bad(
            format!("library: {}", error.to_string().trim_end_matches('.')),
            format!("remove {shown}, then {}", patient.serve),
        ),
    }]
}
