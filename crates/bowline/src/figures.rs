//! Numbers as people read them.

pub(crate) use bowline_explorer::grouped;

/// A count in three or four figures, for a line that is short of room: `999`, `16.9k`, `1.23M`.
pub(crate) fn rough(n: u64) -> String {
    let scaled = |unit: f64, name: &str| {
        let amount = n as f64 / unit;
        let places = if amount < 10.0 { 2 } else { usize::from(amount < 100.0) };
        format!("{amount:.places$}{name}")
    };
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => scaled(1e3, "k"),
        1_000_000..1_000_000_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// A count of things by their name: `1 state`, `1,024 states`.
pub(crate) fn counted(n: u64, thing: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(n))
}

/// A duration: `0.012 s`, `3.4 s`, `2 min 5 s`.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 0.0005 {
        "<0.001 s".into()
    } else if seconds < 1.0 {
        format!("{seconds:.3} s")
    } else if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

/// How many in a second, as far as so short a time can tell.
pub(crate) fn per_second(count: u64, seconds: f64) -> u64 {
    if seconds > 0.0 { (count as f64 / seconds) as u64 } else { count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_counted_by_name() {
        assert_eq!(counted(1, "state"), "1 state");
        assert_eq!(counted(1_024, "state"), "1,024 states");
    }

    #[test]
    fn rough_counts_are_short() {
        let cases =
            [(999, "999"), (1_234, "1.23k"), (16_892, "16.9k"), (768_900, "769k"), (1_249_076, "1.25M")];
        for (n, text) in cases {
            assert_eq!(rough(n), text);
        }
    }

    #[test]
    fn durations_have_the_precision_that_matters() {
        let cases = [(0.0001, "<0.001 s"), (0.0123, "0.012 s"), (3.44, "3.4 s"), (125.2, "2 min 5 s")];
        for (seconds, text) in cases {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn a_run_that_took_no_time_divides_by_nothing() {
        assert_eq!(per_second(10, 0.0), 10);
        assert_eq!(per_second(10, 0.5), 20);
    }
}
