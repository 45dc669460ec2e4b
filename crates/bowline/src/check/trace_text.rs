//! A trace as text.
//!
//! ```text
//! Shut is violated: 3 states
//!      1  initial state
//!           door[a, b] = shut
//!      2  Open(a)
//!  ┌→       door[a]: shut → open
//!  │   3  Note
//!  │        log: <<>> → <<a>>
//!  └─ then for ever: back to state 2 by Forget
//!           log: <<a>> → <<>>
//! ```

use super::delta::{self, Line};
use super::finding::Finding;
use crate::palette::{self, paint};

/// The trace under its headline.
pub(crate) fn render(finding: &Finding<'_>) -> String {
    let style = if finding.is_bad() { palette::BAD } else { palette::GOOD };
    let headline = paint(style, &format!("{} {}", finding.name(), finding.fate()));
    let mut out = format!("{headline}: {}\n", finding.length());
    if !finding.about().is_empty() {
        out.push_str(&format!("  {}\n", paint(palette::FAINT, finding.about())));
    }
    let loop_start = finding.trace.cycle.as_ref().map(|cycle| cycle.loops_to);
    for (index, step) in finding.trace.steps.iter().enumerate() {
        let number = index + 1;
        // The action that leads to the cycle is none of it: the bracket opens at the state below.
        let [mark, first_bar, bar] = match loop_start {
            None => ["", "", ""],
            Some(start) if number < start => ["   ", "   ", "   "],
            Some(start) if number == start => ["   ", "┌→ ", "│  "],
            Some(_) => ["│  ", "│  ", "│  "],
        };
        let action = match &step.action {
            Some(action) => paint(palette::ACTION, action),
            None => paint(palette::FAINT, "initial state"),
        };
        out.push_str(&format!("  {mark}{number:>3}  {action}\n"));
        lines(&mut out, [first_bar, bar], &delta::at(finding.trace, index), index > 0);
    }
    if let Some(ending) = finding.ending() {
        out.push_str(&format!("       {}\n", paint(palette::WARN, ending)));
    }
    if let Some(for_ever) = finding.for_ever() {
        out.push_str(&format!("  └─ {}\n", paint(palette::WARN, &format!("then for ever: {for_ever}"))));
        lines(&mut out, ["   ", "   "], &delta::on_return(finding.trace), false);
    }
    out
}

/// The lines of a state; the first has another bar before it than those that follow.
fn lines(out: &mut String, [first_bar, bar]: [&str; 2], lines: &[Line], say_if_none: bool) {
    for (index, line) in lines.iter().enumerate() {
        let bar = if index == 0 { first_bar } else { bar };
        out.push_str(&format!("  {bar}       {line}\n"));
    }
    if lines.is_empty() && say_if_none {
        out.push_str(&format!("  {first_bar}       {}\n", paint(palette::FAINT, "(nothing changes)")));
    }
}

#[cfg(test)]
mod tests {
    use bowline_explorer::{Kind, Trace, Verdict};

    use super::super::finding::What;
    use super::super::finding::tests::{finding, judged, lasso, path};
    use super::*;

    fn rendered(kind: Kind, trace: &Trace) -> String {
        let violated = judged("Shut", kind, Verdict::Violated, None);
        anstream::adapter::strip_str(&render(&finding(&violated, trace))).to_string()
    }

    #[test]
    fn a_path_shows_each_step_by_name_and_what_changed() {
        assert_eq!(
            rendered(Kind::Always, &path()),
            "Shut is violated: 3 states\n  \
               Doors are shut.\n    \
                 1  initial state\n         \
                      door[a, b] = shut\n         \
                      log = <<>>\n    \
                 2  Open(a)\n         \
                      door[a]: shut → open\n    \
                 3  Note<\"&\">\n         \
                      log: <<>> → <<\"a\">>\n"
        );
    }

    #[test]
    fn a_lasso_is_drawn_as_stem_and_cycle() {
        assert_eq!(
            rendered(Kind::EventuallyAlways, &lasso(Some("Forget"))),
            "Shut is violated: 3 states\n  \
               Doors are shut.\n       \
                 1  initial state\n            \
                      door[a, b] = shut\n            \
                      log = <<>>\n       \
                 2  Open(a)\n  \
             ┌→        door[a]: shut → open\n  \
             │    3  Note<\"&\">\n  \
             │         log: <<>> → <<\"a\">>\n  \
             └─ then for ever: back to state 2 by Forget\n            \
                      log: <<\"a\">> → <<>>\n"
        );
    }

    #[test]
    fn a_cycle_through_the_initial_state_opens_at_its_first_variable() {
        let mut lasso = lasso(Some("Shut(a)"));
        lasso.cycle.as_mut().unwrap().loops_to = 1;
        let text = rendered(Kind::EventuallyAlways, &lasso);
        let opens = "       1  initial state\n  ┌→        door[a, b] = shut\n  │         log = <<>>\n  │    2  Open(a)\n";
        assert!(text.contains(opens), "{text}");
    }

    #[test]
    fn stuttering_says_that_nothing_happens_any_more() {
        let text = rendered(Kind::Eventually, &lasso(None));
        assert!(text.contains("\n       3  Note<\"&\">\n  ┌→        log: "), "{text}");
        assert!(
            text.ends_with("  └─ then for ever: nothing happens any more (stutters for ever)\n"),
            "{text}"
        );
    }

    #[test]
    fn deadlocks_and_panics_say_so_at_their_end() {
        let text = rendered(Kind::Deadlock, &path());
        assert!(text.ends_with("\n       no action is possible here\n"), "{text}");

        let trace = path();
        let violated = judged("Shut", Kind::Always, Verdict::Violated, None);
        let panic = Finding { what: What::Panic { message: "doors collide" }, ..finding(&violated, &trace) };
        let text = anstream::adapter::strip_str(&render(&panic)).to_string();
        assert!(text.starts_with("the model panicked: 3 states\n  doors collide\n"), "{text}");
        assert!(text.ends_with("\n       here the model panicked\n"), "{text}");
    }

    #[test]
    fn a_step_that_shows_no_change_says_so() {
        let mut trace = path();
        trace.steps[2].state = trace.steps[1].state.clone();
        assert!(rendered(Kind::Always, &trace).contains("Note<\"&\">\n         (nothing changes)\n"));
    }
}
