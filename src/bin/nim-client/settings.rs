//! The settings of whoever runs this, gathered from the environment and the file.

use std::env;

use nim::client::settings::{Fault, SettingsFile};
use nim::client::{Failure, Settings};

/// The variable that names another file, or none if it is empty.
const FILE: &str = "NIM_CONFIG";

/// What there is.
pub(crate) struct Gathered {
    /// The file that was read, if there is a place for one.
    pub(crate) file: Option<SettingsFile>,
    pub(crate) settings: Settings,
    faults: Vec<Fault>,
}

impl Gathered {
    /// The settings, if nothing is wrong with them. To begin with half of them would be to begin something else than was meant:
    /// a game against a perfect bot, say, for somebody who had asked for an easy one.
    pub(crate) fn right(self) -> Result<Settings, Failure> {
        if self.faults.is_empty() { Ok(self.settings) } else { Err(Failure::Settings(self.faults)) }
    }
}

/// Everything that can be found.
pub(crate) fn gathered() -> Gathered {
    let file = file();
    let variable = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let (settings, faults) = Settings::gather(variable, file.as_ref());
    Gathered { file, settings, faults }
}

/// The file, which may not be there yet.
pub(crate) fn file() -> Option<SettingsFile> {
    match env::var_os(FILE) {
        None => SettingsFile::usual(),
        Some(none) if none.is_empty() => None,
        Some(path) => Some(SettingsFile::at(path.as_ref())),
    }
}
