//! A small writer of SVG: shapes, text, and colours for light and dark.

use std::fmt::Write;

/// The width of a character of the monospaced text, which is 13 px high.
pub(crate) const CHAR: f64 = 7.85;

/// Renderers know no CSS variables everywhere, so the dark colours repeat the selectors.
const STYLE: &str = "\
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328 }
  .bg { fill: #ffffff }
  .title { font-size: 17px; font-weight: bold }
  .bad { fill: #cf222e } .good { fill: #1a7f37 } .faint, .old { fill: #656d76 } .new { font-weight: bold }
  .number { font-weight: bold; fill: #ffffff } .middle { text-anchor: middle }
  .action { fill: #0550ae; font-weight: bold } .ever { fill: #953800; font-weight: bold }
  .box { fill: #f6f8fa; stroke: #d0d7de } .band { fill: #57606a }
  .box.cycle { fill: #fff4e8; stroke: #e0a46b } .band.cycle { fill: #bc4c00 }
  .box.last { fill: #fff0ee; stroke: #ff8182 } .band.last { fill: #cf222e }
  .box.goal { fill: #eefbf0; stroke: #6fdd8b } .band.goal { fill: #1a7f37 }
  .box.ghost { fill: none; stroke: #e0a46b; stroke-dasharray: 5 4 }
  .line { fill: none; stroke: #6e7781; stroke-width: 1.5 } .tip { fill: #6e7781 }
  .line.ever { stroke: #bc4c00; stroke-width: 2; fill: none } .tip.ever { fill: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .bg { fill: #0d1117 }
    .bad { fill: #ff7b72 } .good { fill: #56d364 } .faint, .old { fill: #9198a1 }
    .number { fill: #ffffff }
    .action { fill: #79c0ff } .ever { fill: #ffa657 }
    .box { fill: #161b22; stroke: #3d444d } .band { fill: #57606a }
    .box.cycle { fill: #2a1c10; stroke: #9e5a1c } .band.cycle { fill: #bc4c00 }
    .box.last { fill: #2c1416; stroke: #8e2a2a } .band.last { fill: #cf222e }
    .box.goal { fill: #12261a; stroke: #2b6a3a } .band.goal { fill: #1a7f37 }
    .box.ghost { fill: none; stroke: #9e5a1c }
    .line { stroke: #848d97 } .tip { fill: #848d97 }
    .line.ever { stroke: #f0883e } .tip.ever { fill: #f0883e }
  }
";

/// A picture that is being drawn.
pub(crate) struct Svg {
    body: String,
}

/// A piece of text in one style.
pub(crate) struct Span {
    /// The class of its style.
    pub(crate) class: &'static str,
    /// The text.
    pub(crate) text: String,
}

impl Span {
    /// A piece of text in one style.
    pub(crate) fn new(class: &'static str, text: impl Into<String>) -> Span {
        Span { class, text: text.into() }
    }
}

/// How many characters a line has.
pub(crate) fn length(line: &[Span]) -> usize {
    line.iter().map(|span| span.text.chars().count()).sum()
}

impl Svg {
    /// An empty picture.
    pub(crate) fn new() -> Svg {
        Svg { body: String::new() }
    }

    /// A line of text whose foot is at `y`.
    pub(crate) fn text(&mut self, x: f64, y: f64, class: &str, spans: &[Span]) {
        self.put(&format!(r#"<text x="{x}" y="{y}" class="{class}">"#));
        for Span { class, text } in spans {
            self.body.pop();
            self.put(&format!(r#"<tspan class="{class}">{}</tspan>"#, escape(text)));
        }
        self.body.pop();
        self.put("</text>");
    }

    /// A box with rounded corners.
    pub(crate) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
        self.put(&format!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" class="{class}"/>"#
        ));
    }

    /// A line through points, with a tip at its end that points the way the last piece goes.
    pub(crate) fn arrow(&mut self, points: &[(f64, f64)], class: &str) {
        let [.., (fx, fy), (x, y)] = *points else { return };
        let (dx, dy) = ((x - fx).signum() * f64::from(x != fx), (y - fy).signum() * f64::from(y != fy));
        // The line ends inside the tip, so that its blunt end does not show.
        let inside = (x - dx * 5.0, y - dy * 5.0);
        let mut path = String::new();
        for (i, (px, py)) in points[..points.len() - 1].iter().chain([&inside]).enumerate() {
            let _ = write!(path, "{}{px} {py}", if i == 0 { "M" } else { " L" });
        }
        self.put(&format!(r#"<path d="{path}" class="line {class}" stroke-linejoin="round"/>"#));
        let (bx, by) = (x - dx * 9.0, y - dy * 9.0);
        let (wx, wy) = (dy * 5.0, dx * 5.0);
        let tip = format!("M{x} {y} L{} {} L{} {} Z", bx + wx, by + wy, bx - wx, by - wy);
        self.put(&format!(r#"<path d="{tip}" class="tip {class}"/>"#));
    }

    /// The whole document. The title is what a screen reader says.
    pub(crate) fn finish(self, (width, height): (f64, f64), title: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" xml:space=\"preserve\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
             <rect width=\"{width}\" height=\"{height}\" class=\"bg\"/>\n{}</svg>\n",
            escape(title),
            self.body
        )
    }

    fn put(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }
}

/// Text that XML allows: markup escaped, and control characters, which XML 1.0 has no way to write,
/// replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_so_that_any_value_is_well_formed() {
        assert_eq!(escape("<<\"a\">> & \u{1}"), "&lt;&lt;&quot;a&quot;&gt;&gt; &amp; \u{fffd}");
    }

    #[test]
    fn an_arrow_points_the_way_it_goes() {
        let mut svg = Svg::new();
        svg.arrow(&[(10.0, 0.0), (10.0, 30.0)], "");
        assert!(svg.body.contains(r#"d="M10 0 L10 25""#), "{}", svg.body);
        assert!(svg.body.contains(r#"d="M10 30 L15 21 L5 21 Z""#), "{}", svg.body);
    }

    #[test]
    fn the_document_is_well_formed() {
        let mut svg = Svg::new();
        svg.text(1.0, 2.0, "faint", &[Span::new("old", "a < b"), Span::new("new", "c")]);
        svg.rect((0.0, 0.0), (10.0, 10.0), "box");
        let text = svg.finish((100.0, 50.0), "a & b");
        let document = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(document.descendants().filter(|node| node.has_tag_name("tspan")).count(), 2);
        assert!(text.contains("</tspan><tspan"), "blanks between tspans would show: {text}");
    }
}
