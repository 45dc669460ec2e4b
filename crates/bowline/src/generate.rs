//! Completion scripts and man pages, from the same definitions as the help.

use std::fs;
use std::path::Path;

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::commands;
use crate::exit::{BadUsage, Exit};
use crate::output;

/// Prints the completion script of a shell.
pub(crate) fn completion(shell: Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut commands(), "bowline", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Prints the man page of a command, or of bowline itself.
pub(crate) fn man_page(name: Option<&str>) -> anyhow::Result<Exit> {
    let root = built();
    let command = match name {
        None => &root,
        Some(name) => {
            root.find_subcommand(name).ok_or_else(|| BadUsage(format!("no command is called `{name}`")))?
        }
    };
    output::print(&page(command)?)?;
    Ok(Exit::Done)
}

/// Writes the man page of every command into a directory, which is made if it is not there.
pub(crate) fn man_pages(dir: &Path) -> anyhow::Result<Exit> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make the directory {}", dir.display()))?;
    let root = built();
    for command in std::iter::once(&root).chain(root.get_subcommands()) {
        let path = dir.join(Man::new(command.clone()).get_filename());
        fs::write(&path, page(command)?).with_context(|| format!("cannot write {}", path.display()))?;
        output::note(&format!("wrote {}", path.display()));
    }
    Ok(Exit::Done)
}

fn built() -> Command {
    let mut root = commands();
    root.build();
    root
}

/// The page in roff. Examples are written here: clap_mangen would let them flow as prose under a
/// heading `EXTRA`.
fn page(command: &Command) -> anyhow::Result<String> {
    let man = Man::new(command.clone()).source(concat!("bowline ", env!("CARGO_PKG_VERSION")));
    let mut out = Vec::new();
    man.render_title(&mut out)
        .and_then(|()| man.render_name_section(&mut out))
        .and_then(|()| man.render_synopsis_section(&mut out))
        .and_then(|()| man.render_description_section(&mut out))
        .and_then(|()| man.render_options_section(&mut out))
        .and_then(|()| match command.has_subcommands() {
            true => man.render_subcommands_section(&mut out),
            false => Ok(()),
        })
        .context("cannot write the man page")?;
    let mut page = String::from_utf8_lossy(&out).into_owned();
    if let Some(help) = command.get_after_help() {
        page.push_str(&sections(&help.to_string()));
    }
    Ok(page)
}

/// Each `Heading:` of the text becomes a section, its indented lines stay as they are.
fn sections(help: &str) -> String {
    let mut out = String::new();
    for line in help.lines() {
        match line.strip_suffix(':') {
            Some(heading) if !line.starts_with(' ') => {
                out.push_str(&format!(".SH {}\n.nf\n", heading.to_uppercase()));
            }
            _ => {
                // The zero-width `\&` keeps roff from taking a first `.` or `'` as a request.
                out.push_str(&format!("\\&{}\n", line.replace('\\', "\\e").replace('-', "\\-")));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_becomes_sections_of_verbatim_lines() {
        assert_eq!(
            sections("Examples:\n  bowline man --dir .\n\nExit codes:\n  0  well"),
            ".SH EXAMPLES\n.nf\n\\&  bowline man \\-\\-dir .\n\\&\n.SH EXIT CODES\n.nf\n\\&  0  well\n"
        );
    }

    #[test]
    fn every_page_has_a_name_and_examples() {
        let root = built();
        for command in std::iter::once(&root).chain(root.get_subcommands()) {
            let page = page(command).unwrap();
            assert!(page.contains(".SH NAME"), "{page}");
            assert!(page.contains(".SH EXAMPLES"), "{page}");
        }
    }
}
