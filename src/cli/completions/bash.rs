//! The script for bash. The one of `clap_complete` takes the words as bash splits them, also at colons, which
//! are part of the names of games; this one splits at blanks.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::env::{Bash as Usual, EnvCompleter};

/// The script. Bash replaces only what stands behind the last of its separators, so the rest of a word is cut
/// off from what is offered. No blank follows a folder.
const SCRIPT: &str = r#"
_FUNCTION() {
    local line=${COMP_LINE:0:COMP_POINT} words last kept
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    last=${words[${#words[@]} - 1]}
    kept=${last%"${last##*[$COMP_WORDBREAKS]}"}
    IFS=$'\v' read -r -d '' -a COMPREPLY < <(
        VARIABLE=bash _CLAP_IFS=$'\v' _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1)) PROGRAM -- "${words[@]}" 2> /dev/null
    )
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2> /dev/null
    return 0
}
complete -F _FUNCTION NAME
"#;

/// Bash, with that script.
pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        Usual.name()
    }

    fn is(&self, name: &str) -> bool {
        Usual.is(name)
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        command: &str,
        program: &str,
        script: &mut dyn Write,
    ) -> io::Result<()> {
        let quoted = format!("'{}'", program.replace('\'', r"'\''"));
        let text = SCRIPT.replace("FUNCTION", &name.replace('-', "_")).replace("VARIABLE", variable);
        writeln!(script, "{}", text.trim().replace("NAME", command).replace("PROGRAM", &quoted))
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        answer: &mut dyn Write,
    ) -> io::Result<()> {
        Usual.write_complete(command, words, folder, answer)
    }
}
