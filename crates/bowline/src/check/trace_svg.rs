//! A trace as a picture: a box a state, an arrow an action, a cycle in another colour with the way
//! back drawn beside it.

use super::delta::{self, Line};
use super::finding::{Finding, What};
use super::svg::{CHAR, Span, Svg, length};

const MARGIN: f64 = 28.0;
/// The strip at the left of a box that has the state's number.
const BAND: f64 = 40.0;
const PADDING: f64 = 12.0;
const LINE: f64 = 19.0;
/// Between two boxes, with the arrow and the action's name.
const GAP: f64 = 42.0;
/// Beside the boxes of a lasso, for the way back.
const GUTTER: f64 = 44.0;
/// Values that are longer go on in the next line.
const MOST_CHARS: usize = 96;
const LEAST_CHARS: usize = 36;

/// A box, with the arrow that leads to it.
struct Card {
    number: usize,
    action: Option<String>,
    lines: Vec<Vec<Span>>,
    class: &'static str,
    y: f64,
}

impl Card {
    fn height(&self) -> f64 {
        self.lines.len().max(1) as f64 * LINE + PADDING
    }

    fn foot(&self) -> f64 {
        self.y + self.height()
    }

    fn middle(&self) -> f64 {
        self.y + self.height() / 2.0
    }
}

/// The picture of a finding.
pub(crate) fn render(finding: &Finding<'_>) -> String {
    let mut svg = Svg::new();
    let head = head(finding);
    let mut cards = cards(finding);
    let inner = inner_width(&cards).max(head_width(&head) - BAND);
    let ending = ending(finding);
    let foot = place(&mut cards, MARGIN + head.len() as f64 * 24.0 + 4.0);

    for (i, (class, spans)) in head.iter().enumerate() {
        svg.text(MARGIN, MARGIN + 12.0 + i as f64 * 24.0, class, spans);
    }
    for (i, card) in cards.iter().enumerate() {
        if let Some(before) = i.checked_sub(1).map(|before| &cards[before]) {
            draw_step(&mut svg, before, card);
        }
        draw_card(&mut svg, card, inner);
    }
    if finding.trace.cycle.is_some() {
        draw_way_back(&mut svg, finding, &cards, inner);
    }
    let mut height = foot + MARGIN;
    if let Some((class, text)) = &ending {
        svg.text(MARGIN + BAND + PADDING, foot + 26.0, "", &[Span::new(class, text)]);
        height += 26.0;
    }
    let gutter = if finding.trace.cycle.is_some() { GUTTER } else { 0.0 };
    let ending_width = ending.map_or(0.0, |(_, text)| BAND + PADDING + text.chars().count() as f64 * CHAR);
    let width = (BAND + inner + gutter).max(ending_width) + 2.0 * MARGIN;
    svg.finish((width.ceil(), height.ceil()), &format!("{} {}", finding.name(), finding.fate()))
}

/// What is shown and where: the lines above the boxes, each with its class.
fn head(finding: &Finding<'_>) -> Vec<(&'static str, Vec<Span>)> {
    let class = if finding.is_bad() { "bad" } else { "good" };
    let title = Span::new(class, format!("{} {}", finding.name(), finding.fate()));
    let kind = match finding.what {
        What::Property { judged, .. } => format!(" · {}", judged.kind),
        What::Panic { .. } => String::new(),
    };
    let place = Span::new("faint", format!("{}{kind} · {}", finding.place(), finding.length()));
    let mut head = vec![("title", vec![title]), ("", vec![place])];
    head.extend(wrapped(finding.about(), MOST_CHARS).into_iter().map(|line| ("", vec![Span::new("", line)])));
    head
}

fn head_width(head: &[(&str, Vec<Span>)]) -> f64 {
    // The title's letters are larger: 17 px instead of 13.
    let char_width = |class: &str| if class == "title" { CHAR * 17.0 / 13.0 } else { CHAR };
    head.iter().map(|(class, spans)| length(spans) as f64 * char_width(class)).fold(0.0, f64::max)
}

/// A box for each state, and one for the return to the state where a cycle begins.
fn cards(finding: &Finding<'_>) -> Vec<Card> {
    let trace = finding.trace;
    let loop_start = trace.cycle.as_ref().map_or(usize::MAX, |cycle| cycle.loops_to);
    let last = trace.steps.len();
    let class = |number: usize| match number {
        _ if number >= loop_start => "cycle",
        _ if number == last && finding.is_bad() => "last",
        _ if number == last => "goal",
        _ => "",
    };
    let card = |number: usize, action: Option<&String>, lines: Vec<Line>, class| Card {
        number,
        action: action.cloned(),
        lines: lines.iter().flat_map(spans).collect(),
        class,
        y: 0.0,
    };
    let mut cards: Vec<Card> = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let number = index + 1;
        cards.push(card(number, step.action.as_ref(), delta::at(trace, index), class(number)));
    }
    if let Some(initial) = cards.first_mut() {
        initial.lines.insert(0, vec![Span::new("faint", "initial state")]);
    }
    if let Some(cycle) = trace.cycle.as_ref().filter(|cycle| cycle.loops_to < last) {
        cards.push(card(cycle.loops_to, cycle.action.as_ref(), delta::on_return(trace), "ghost"));
    }
    for card in cards.iter_mut().filter(|card| card.lines.is_empty()) {
        card.lines.push(vec![Span::new("faint", "(nothing changes)")]);
    }
    cards
}

/// A variable's line; two parts, each in lines of its own, if it is too long for one.
fn spans(line: &Line) -> Vec<Vec<Span>> {
    let one = match &line.old {
        None => vec![Span::new("old", format!("{} = ", line.name)), Span::new("", &line.new)],
        Some(old) => vec![
            Span::new("", format!("{}: ", line.name)),
            Span::new("old", format!("{old} → ")),
            Span::new("new", &line.new),
        ],
    };
    if length(&one) <= MOST_CHARS {
        return vec![one];
    }
    let parts = match &line.old {
        None => [("old", format!("{} =", line.name)), ("", format!("  {}", line.new))],
        Some(old) => [("old", format!("{}: {old}", line.name)), ("new", format!("→ {}", line.new))],
    };
    let pieces = |(class, text): (&'static str, String)| {
        wrapped(&text, MOST_CHARS).into_iter().map(move |piece| vec![Span::new(class, piece)])
    };
    parts.into_iter().flat_map(pieces).collect()
}

/// Cuts a text into lines of at most so many characters, at blanks where there are some; what goes
/// on is indented.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    const INDENT: &str = "    ";
    let mut lines = Vec::new();
    let mut rest = text.to_string();
    while rest.chars().count() > most {
        let cut = rest.char_indices().nth(most).map_or(rest.len(), |(at, _)| at);
        let at_blank = rest[..cut].rfind(' ').filter(|at| *at > most / 2);
        let tail = rest.split_off(at_blank.unwrap_or(cut));
        lines.push(std::mem::replace(&mut rest, format!("{INDENT}{}", tail.trim_start())));
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// The width that the text of the widest box or action needs.
fn inner_width(cards: &[Card]) -> f64 {
    let lines = cards.iter().flat_map(|card| card.lines.iter().map(|line| length(line)));
    let actions = cards.iter().filter_map(|card| card.action.as_ref().map(|action| action.chars().count()));
    let chars = lines.chain(actions).max().unwrap_or(0).max(LEAST_CHARS);
    chars as f64 * CHAR + 2.0 * PADDING
}

/// Puts the boxes under each other, and says where the last one ends.
fn place(cards: &mut [Card], top: f64) -> f64 {
    let mut y = top;
    for card in cards.iter_mut() {
        card.y = y;
        y = card.foot() + GAP;
    }
    y - GAP
}

fn draw_card(svg: &mut Svg, card: &Card, inner: f64) {
    svg.rect((MARGIN, card.y), (BAND + inner, card.height()), &format!("box {}", card.class));
    let number_class = match card.class {
        "ghost" => "ever",
        class => {
            svg.rect((MARGIN, card.y), (BAND, card.height()), &format!("band {class}"));
            "number"
        }
    };
    let number = Span::new(number_class, card.number.to_string());
    svg.text(MARGIN + BAND / 2.0, card.middle() + 4.5, "middle", &[number]);
    for (i, line) in card.lines.iter().enumerate() {
        let y = card.y + PADDING / 2.0 + 14.0 + i as f64 * LINE;
        svg.text(MARGIN + BAND + PADDING, y, "", line);
    }
}

fn draw_step(svg: &mut Svg, before: &Card, card: &Card) {
    let x = MARGIN + BAND / 2.0;
    let class = if card.class == "ghost" { "ever" } else { "" };
    svg.arrow(&[(x, before.foot()), (x, card.y)], class);
    let action = card.action.as_deref().unwrap_or("(no action)");
    svg.text(MARGIN + BAND + PADDING, before.foot() + GAP / 2.0 + 4.5, "", &[Span::new("action", action)]);
}

/// From the box of the return up to the state where the cycle begins; a cycle of one state has a
/// small loop at its side.
fn draw_way_back(svg: &mut Svg, finding: &Finding<'_>, cards: &[Card], inner: f64) {
    let Some(last) = cards.last() else { return };
    let (right, far) = (MARGIN + BAND + inner, MARGIN + BAND + inner + GUTTER / 2.0);
    let start = finding.trace.cycle.as_ref().map_or(0, |cycle| cycle.loops_to.saturating_sub(1));
    match cards.get(start) {
        Some(target) if last.class == "ghost" => {
            let way = [
                (right, last.middle()),
                (far, last.middle()),
                (far, target.middle()),
                (right, target.middle()),
            ];
            svg.arrow(&way, "ever");
        }
        _ => {
            let (down, up) = (last.middle() + 9.0, last.middle() - 9.0);
            svg.arrow(&[(right, down), (far, down), (far, up), (right, up)], "ever");
        }
    }
}

/// What stands under the last box.
fn ending(finding: &Finding<'_>) -> Option<(&'static str, String)> {
    match finding.for_ever() {
        Some(for_ever) => Some(("ever", format!("then for ever: {for_ever}"))),
        None => finding.ending().map(|ending| ("bad", ending.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use bowline_explorer::{Field, Kind, Trace, Verdict};

    use super::super::finding::tests::{finding, judged, lasso, path};
    use super::*;

    /// The texts of a picture that is well-formed.
    fn texts(trace: &Trace, verdict: Verdict) -> Vec<String> {
        let judged = judged("Shut", Kind::EventuallyAlways, verdict, None);
        let svg = render(&finding(&judged, trace));
        let document = roxmltree::Document::parse(&svg).unwrap();
        let nodes = document.descendants().filter(|node| node.has_tag_name("text"));
        nodes.map(|node| node.children().filter_map(|span| span.text()).collect()).collect()
    }

    #[test]
    fn a_lasso_has_every_state_action_and_change_and_the_way_back() {
        let texts = texts(&lasso(Some("Forget")), Verdict::Violated);
        assert_eq!(
            texts,
            [
                "Shut is violated",
                "seed/door doors=2 · eventually_always · 3 states",
                "Doors are shut.",
                "1",
                "initial state",
                "door[a, b] = shut",
                "log = <<>>",
                "Open(a)",
                "2",
                "door[a]: shut → open",
                "Note<\"&\">",
                "3",
                "log: <<>> → <<\"a\">>",
                "Forget",
                "2",
                "log: <<\"a\">> → <<>>",
                "then for ever: back to state 2 by Forget",
            ]
        );
    }

    #[test]
    fn a_path_and_a_stutter_have_no_box_of_return() {
        assert_eq!(texts(&path(), Verdict::Reached)[0], "Shut is reached");
        assert_eq!(texts(&path(), Verdict::Reached).len(), 13);
        let stutter = texts(&lasso(None), Verdict::Violated);
        assert_eq!(stutter.len(), 14);
        assert_eq!(stutter[13], "then for ever: nothing happens any more (stutters for ever)");
    }

    #[test]
    fn long_values_go_on_in_the_next_line_and_nothing_is_lost() {
        let long = "ab ".repeat(100);
        let mut trace = path();
        trace.steps[1].state[2] = Field::new("log", long.trim_end());
        let texts = texts(&trace, Verdict::Violated);
        assert!(texts.iter().all(|text| text.chars().count() <= MOST_CHARS), "{texts:?}");
        assert!(texts.concat().matches("ab").count() >= 100);
        assert_eq!(wrapped(&"x".repeat(25), 10), ["xxxxxxxxxx", "    xxxxxx", "    xxxxxx", "    xxx"]);
    }
}
