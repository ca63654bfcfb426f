//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, value_parser};
use etcetera::{BaseStrategy, HomeDirError};

use crate::store::Store;
use crate::tenant::{Role, Tenant, TenantName};
use crate::tools::SharePage;

/// A notes server that speaks the Model Context Protocol.
///
/// Without a command it serves HTTP.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) http: Http,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve one client over standard input and output.
    Stdio(Options),
}

/// What only HTTP needs, and what every transport does.
#[derive(Debug, Args)]
pub(crate) struct Http {
    /// Where to listen: a loopback address and a port, 0 for any that is free.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(crate) listen: String,

    #[command(flatten)]
    pub(crate) options: Options,
}

/// Whose notes to serve, and how.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The file that keeps the notes, made when absent [default: in the user's data folder].
    #[arg(long, value_name = "PATH")]
    database: Option<PathBuf>,

    /// How many items a page of a list holds.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parser!(u16).range(1..))]
    pub(crate) page_size: u16,

    /// Whose notes to serve.
    #[arg(long, value_name = "NAME", default_value = "editor")]
    tenant: TenantName,

    /// What the client may do [default: reader for the tenant of that name, or else editor].
    #[arg(long, value_enum)]
    role: Option<Role>,

    /// A page where the user shares a note, opened with its number as `note` [default: no sharing].
    #[arg(long, value_name = "URL")]
    pub(crate) share_page: Option<SharePage>,
}

/// What the command line says that can't be understood, in one line.
pub(crate) fn sentence(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let fault = line.strip_prefix("error: ").unwrap_or(line);
    format!("{fault}; `notes --help` lists the options")
}

impl Options {
    /// The file given, or `relay-notes/notes.db` beside the user's other data.
    ///
    /// # Errors
    ///
    /// [`HomeDirError`] when no file is given and the user has no home.
    pub(crate) fn database(&self) -> Result<PathBuf, HomeDirError> {
        if let Some(file) = &self.database {
            return Ok(file.clone());
        }
        let folders = etcetera::base_strategy::choose_native_strategy()?;
        Ok(folders.data_dir().join("relay-notes").join("notes.db"))
    }

    /// Whom the cursors and the request state of these notes are for. Nobody says who they are, so
    /// that this alone keeps one tenant's from a process with the same keys that serves another.
    pub(crate) fn audience(&self) -> String {
        format!("notes/{}", self.tenant)
    }

    pub(crate) fn tenant(&self, store: &Store) -> Tenant {
        Tenant::new(store, &self.tenant, self.role)
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::{Cli, Command, Options};
    use crate::tenant::Role;

    /// The options as each transport takes them.
    fn parse(arguments: &[&str]) -> Result<[Options; 2], clap::Error> {
        let http = Cli::try_parse_from(["notes"].iter().chain(arguments))?;
        assert!(http.command.is_none());
        let stdio = Cli::try_parse_from(["notes", "stdio"].iter().chain(arguments))?;
        let Some(Command::Stdio(stdio)) = stdio.command else {
            panic!("{stdio:?}");
        };
        Ok([http.http.options, stdio])
    }

    #[test]
    fn the_definition_holds() {
        Cli::command().debug_assert();
    }

    #[test]
    fn everything_has_a_default() {
        for options in parse(&[]).unwrap() {
            assert_eq!((options.page_size, options.role), (100, None));
            assert_eq!(options.tenant, "editor".parse().unwrap());
            let file = options.database().unwrap();
            assert!(file.ends_with("relay-notes/notes.db"));
        }
        let cli = Cli::try_parse_from(["notes"]).unwrap();
        assert_eq!(cli.http.listen, "127.0.0.1:8080");
    }

    #[test]
    fn options_are_read() {
        let options = parse(&[
            "--database",
            "x.db",
            "--page-size",
            "2",
            "--tenant",
            "reader",
            "--role",
            "editor",
        ]);
        for options in options.unwrap() {
            assert_eq!(options.database().unwrap().to_str(), Some("x.db"));
            assert_eq!((options.page_size, options.role), (2, Some(Role::Editor)));
            assert_eq!(options.tenant, "reader".parse().unwrap());
        }
    }

    #[test]
    fn bad_options_are_refused() {
        for arguments in [
            ["--page-size", "0"],
            ["--page-size", "x"],
            ["--tenant", "a/b"],
        ] {
            assert!(parse(&arguments).is_err(), "{arguments:?}");
        }
    }

    #[test]
    fn options_before_a_command_are_refused_rather_than_ignored() {
        for arguments in [
            ["notes", "--page-size", "2", "stdio"],
            ["notes", "stdio", "--listen", "127.0.0.1:8080"],
        ] {
            assert!(Cli::try_parse_from(arguments).is_err(), "{arguments:?}");
        }
    }
}
