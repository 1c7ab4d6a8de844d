//! What somebody would like to be called: as they typed it, and as it can be shown.

use nim::client::Settings;
use nim::lobby::Name;

/// A name, and the text of which it was made.
#[derive(Debug, Clone)]
pub(crate) struct Called {
    typed: String,
    name: Name,
}

impl Called {
    /// Makes a name of what was typed, if there is one in it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let name = name(text)?;
        Ok(Self { typed: text.trim().into(), name })
    }

    /// What whoever runs this is called without a word.
    pub(crate) fn usual(settings: &Settings) -> Self {
        settings.name().cloned().map_or_else(Self::login, Self::from)
    }

    /// What the system calls whoever runs this; a name that says nothing where it cannot be used.
    pub(crate) fn login() -> Self {
        let told = ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(|key| std::env::var(key).ok());
        let mut names = told.chain(whoami::username().ok()).filter_map(|login| Name::clean(&login).ok());
        names.next().unwrap_or_else(Name::anyone).into()
    }

    /// The text without what stands around it.
    pub(crate) fn typed(&self) -> &str {
        &self.typed
    }

    pub(crate) fn name(&self) -> &Name {
        &self.name
    }
}

impl From<Name> for Called {
    fn from(name: Name) -> Self {
        Self { typed: name.to_string(), name }
    }
}

/// Reads a name that nobody needs to be told anew.
pub(crate) fn name(text: &str) -> Result<Name, String> {
    Name::clean(text).map_err(|fault| fault.to_string())
}
