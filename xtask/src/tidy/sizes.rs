//! Files stay small: one that grows has two subjects. (Functions are clippy's, `too-many-lines-threshold`.)

use super::{Files, Finding};

/// Lines of a source file, its unit tests not counted.
const SOURCE_LINES: usize = 400;
/// Lines of a file that is all tests.
const TEST_LINES: usize = 800;

/// Finds files that are too long.
pub(super) fn check(files: &Files) -> Vec<Finding> {
    files.ending(".rs").filter_map(|(path, text)| too_long(path, text)).collect()
}

fn too_long(path: &str, text: &str) -> Option<Finding> {
    let (lines, limit, kind) = if is_test(path) {
        (text.lines().count(), TEST_LINES, "lines of tests")
    } else {
        (lines_without_tests(text), SOURCE_LINES, "lines without its unit tests")
    };
    (lines > limit).then(|| {
        Finding::new(
            path,
            format!("{lines} {kind}, of at most {limit}; it has two subjects: give each a file"),
        )
    })
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// Leaves out `#[cfg(test)] mod tests { … }`: from the attribute to the brace in the first column, where
/// rustfmt puts it.
fn lines_without_tests(text: &str) -> usize {
    let lines: Vec<_> = text.lines().collect();
    let mut count = 0;
    let mut index = 0;
    while index < lines.len() {
        if begins_tests(&lines[index..]) {
            index += lines[index..].iter().position(|line| *line == "}").unwrap_or(lines.len() - index);
        } else {
            count += 1;
        }
        index += 1;
    }
    count
}

fn begins_tests(lines: &[&str]) -> bool {
    let [first, rest @ ..] = lines else { return false };
    let next = rest.iter().find(|line| !line.starts_with("#[") && !line.starts_with("//"));
    *first == "#[cfg(test)]" && next.is_some_and(|line| line.starts_with("mod tests {"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> bool {
        !check(&Files::of([(path, text)])).is_empty()
    }

    #[test]
    fn a_long_file_is_found() {
        assert!(found("a/src/lib.rs", &"x\n".repeat(401)));
        assert!(!found("a/src/lib.rs", &"x\n".repeat(400)));
        assert!(!found("a/notes.md", &"x\n".repeat(900)));
    }

    #[test]
    fn test_files_may_be_twice_as_long_and_no_longer() {
        for path in ["a/tests/it.rs", "a/src/tests.rs", "a/src/tests/more.rs"] {
            assert!(!found(path, &"x\n".repeat(800)), "{path}");
            assert!(found(path, &"x\n".repeat(801)), "{path}");
        }
    }

    #[test]
    fn unit_tests_do_not_count_but_what_follows_them_does() {
        let tests = format!("#[cfg(test)]\n#[expect(x)]\nmod tests {{\n{}}}\n", "    x\n".repeat(500));
        let code = "x\n".repeat(400);
        assert!(!found("a.rs", &format!("{code}{tests}")));
        assert!(found("a.rs", &format!("{code}{tests}x\n")));
    }

    #[test]
    fn other_test_only_items_count() {
        assert!(found("a.rs", &format!("{}#[cfg(test)]\nfn f() {{\n}}\n", "x\n".repeat(399))));
    }
}
