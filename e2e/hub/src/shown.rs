//! What a document shows below its commands, held against what they have said. `…` in a line stands for anything, also for nothing
//! together with the blank before it, and alone in a line for any lines. Blanks count as one: how wide a column is depends on what
//! is in it.

/// Commands of a document, and what it shows below them.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// The commands.
    pub script: String,
    /// What is shown of what they say.
    pub shows: Option<String>,
}

/// The blocks of this language, each with the block of `text` that stands right below it.
pub fn blocks(document: &str, language: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = document.lines();
    // Whether what comes next may be what the last block says.
    let mut below = false;
    while let Some(line) = lines.next() {
        let Some(begins) = line.strip_prefix("```") else {
            below &= line.is_empty();
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        let body = body.join("\n") + "\n";
        match blocks.last_mut() {
            Some(last) if below && begins == "text" => last.shows = Some(body),
            _ if begins == language => blocks.push(Block { script: body, shows: None }),
            _ => {}
        }
        below = begins == language;
    }
    blocks
}

/// A line that no command says.
fn mark(block: usize) -> String {
    format!("-- what block {block} says --")
}

/// All blocks as one script, which says where each begins. What goes on in the background writes into `background.log`: when it does is
/// no business of who types.
pub fn script(blocks: &[Block]) -> String {
    let mut script = String::from("exec 2>&1\n");
    for (at, block) in blocks.iter().enumerate() {
        script += &format!("echo '{}'\n", mark(at));
        for line in block.script.lines() {
            match line.strip_suffix(" &") {
                Some(line) => script += &format!("{line} >> background.log 2>&1 &\n"),
                None => script += &format!("{line}\n"),
            }
        }
    }
    script
}

/// What each block has said, of all that was said.
pub fn said<'a>(all: &'a str, blocks: &[Block]) -> Vec<&'a str> {
    let begins = |at: usize| {
        let mark = mark(at) + "\n";
        all.find(&mark).map(|begins| (begins, begins + mark.len()))
    };
    let of = |at: usize| match (begins(at), begins(at + 1)) {
        (None, _) => "",
        (Some((_, from)), None) => &all[from..],
        (Some((_, from)), Some((to, _))) => &all[from..to],
    };
    (0..blocks.len()).map(of).collect()
}

/// Whether something was said as it is shown.
pub fn fits(shown: &str, said: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let squeezed = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        squeezed.filter(|line| !line.is_empty()).collect()
    };
    let (shown, said) = (lines(shown), lines(said));
    matches(
        &shown,
        &said,
        |shown| shown == "…",
        |shown, said| {
            let letters = |line: &str| line.chars().collect::<Vec<_>>();
            matches(
                &letters(&shown.replace(" …", "…")),
                &letters(said),
                |letter| *letter == '…',
                |one, other| one == other,
            )
        },
    )
}

/// Whether parts are as a pattern says, some of whose parts stand for any number of others.
fn matches<T>(pattern: &[T], parts: &[T], any: impl Fn(&T) -> bool, same: impl Fn(&T, &T) -> bool) -> bool {
    // What of the pattern may have been passed, so far.
    let mut passed = vec![false; pattern.len() + 1];
    passed[0] = true;
    let skip = |passed: &mut Vec<bool>| {
        for at in 0..pattern.len() {
            passed[at + 1] |= passed[at] && any(&pattern[at]);
        }
    };
    skip(&mut passed);
    for part in parts {
        let mut next = vec![false; pattern.len() + 1];
        for at in (0..pattern.len()).filter(|at| passed[*at]) {
            let stays = any(&pattern[at]);
            next[at] |= stays;
            next[at + 1] |= !stays && same(&pattern[at], part);
        }
        skip(&mut next);
        passed = next;
    }
    passed[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_right_below_commands_is_what_they_say() {
        let document = "```bash\none\n```\n\n```text\n1\n```\n\nwords\n\n```bash\ntwo &\n```\n\nmore\n\n```text\nno\n```\n";
        let block =
            |script: &str, shows: Option<&str>| Block { script: script.into(), shows: shows.map(Into::into) };
        let blocks = blocks(document, "bash");
        assert_eq!(blocks, [block("one\n", Some("1\n")), block("two &\n", None)]);
        assert!(script(&blocks).contains("\ntwo >> background.log 2>&1 &\n"));
        let all = "-- what block 0 says --\na\n-- what block 1 says --\nb\n";
        assert_eq!(said(all, &blocks), ["a\n", "b\n"]);
        assert_eq!(said("-- what block 0 says --\na\n", &blocks), ["a\n", ""]);
    }

    #[test]
    fn what_is_shown_has_to_be_all_that_is_said_but_for_what_is_left_out() {
        for (shown, said) in [
            ("NAME  AGE\na  …\n", "NAME   AGE\na      12s\n"),
            ("a\n…\nd\n", "a\nb\nc\nd\n"),
            ("…\nd\n", "d\n"),
            ("in …, epoch … of …\n", "in 3 s, epoch 2 of 2 of 4\n"),
            ("n1  Running  …\n", "n1  Running\n"),
        ] {
            assert!(fits(shown, said), "{shown:?} is {said:?}");
        }
        for (shown, said) in [
            ("a\n", "a\nb\n"),
            ("a\nb\n", "a\n"),
            ("a\n…\nd\n", "a\nd\ne\n"),
            ("epoch … of 3\n", "epoch 2 of 4\n"),
            ("a\nb\n", "b\na\n"),
        ] {
            assert!(!fits(shown, said), "{shown:?} is not {said:?}");
        }
    }
}
