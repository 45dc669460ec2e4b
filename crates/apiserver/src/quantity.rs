//! Amounts with units, as the API writes them: `500m`, `1Gi`, `1e3`.

use std::fmt;

/// An amount with the style of its unit. Two are equal if they amount to the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity {
    /// In billionths: the smallest that the API tells apart.
    nanos: i128,
    style: Style,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// `Ki`, `Mi`
    Binary,
    /// `m`, `k`, `M`
    Decimal,
    /// `e3`
    Exponent,
}

/// What is said of a text that is none.
pub(crate) const MALFORMED: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const NANO: i128 = 1_000_000_000;
/// No amount is larger.
const MOST: i128 = i64::MAX as i128 * NANO;

impl Quantity {
    /// The amount that a text names.
    pub(crate) fn parse(text: &str) -> Option<Quantity> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return None;
        }
        let (style, base, exponent) = unit(suffix)?;
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        let nanos = if digits.len() > 30 {
            MOST
        } else {
            let mantissa: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
            let scale = i32::try_from(fraction.len()).ok()?;
            match base {
                10 => scaled(mantissa, exponent + 9 - scale),
                _ => scaled(mantissa.saturating_mul(1_i128 << exponent), 9 - scale),
            }
        };
        let nanos = nanos.min(MOST);
        Some(Quantity { nanos: if negative { -nanos } else { nanos }, style })
    }

    /// So many of something.
    pub(crate) fn whole(count: usize) -> Quantity {
        let nanos = i128::try_from(count).map_or(MOST, |count| count.saturating_mul(NANO));
        Quantity { nanos: nanos.min(MOST), style: Style::Decimal }
    }

    /// Both together. Nothing has no unit of its own.
    #[must_use]
    pub(crate) fn plus(self, other: Quantity) -> Quantity {
        let style = if self.nanos == 0 { other.style } else { self.style };
        Quantity { nanos: self.nanos.saturating_add(other.nanos), style }
    }

    /// What is left of it without another.
    #[must_use]
    pub(crate) fn minus(self, other: Quantity) -> Quantity {
        let style = if self.nanos == 0 { other.style } else { self.style };
        Quantity { nanos: self.nanos.saturating_sub(other.nanos), style }
    }

    /// In billionths.
    pub(crate) fn nanos(self) -> i128 {
        self.nanos
    }

    /// Whether it is a whole number.
    pub(crate) fn is_whole(self) -> bool {
        self.nanos % NANO == 0
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

/// `mantissa` times ten to the `power`, rounded up: what is too small to tell is not nothing.
fn scaled(mantissa: i128, power: i32) -> i128 {
    if power >= 0 {
        return 10_i128
            .checked_pow(power.unsigned_abs())
            .map_or(MOST, |factor| mantissa.saturating_mul(factor));
    }
    match 10_i128.checked_pow(power.unsigned_abs()) {
        Some(divisor) => mantissa / divisor + i128::from(mantissa % divisor != 0),
        None => i128::from(mantissa != 0),
    }
}

/// The style of a unit, its base and its exponent.
fn unit(suffix: &str) -> Option<(Style, u8, i32)> {
    Some(match suffix {
        "n" => (Style::Decimal, 10, -9),
        "u" => (Style::Decimal, 10, -6),
        "m" => (Style::Decimal, 10, -3),
        "" => (Style::Decimal, 10, 0),
        "k" => (Style::Decimal, 10, 3),
        "M" => (Style::Decimal, 10, 6),
        "G" => (Style::Decimal, 10, 9),
        "T" => (Style::Decimal, 10, 12),
        "P" => (Style::Decimal, 10, 15),
        "E" => (Style::Decimal, 10, 18),
        "Ki" => (Style::Binary, 2, 10),
        "Mi" => (Style::Binary, 2, 20),
        "Gi" => (Style::Binary, 2, 30),
        "Ti" => (Style::Binary, 2, 40),
        "Pi" => (Style::Binary, 2, 50),
        "Ei" => (Style::Binary, 2, 60),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            let exponent: i32 =
                exponent.parse().ok().filter(|exponent: &i32| exponent.unsigned_abs() <= 1000)?;
            (Style::Exponent, 10, exponent)
        }
    })
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nanos == 0 {
            return f.write_str("0");
        }
        let small = self.nanos.abs() < 1024 * NANO;
        if self.style == Style::Binary && !small && self.is_whole() {
            let (mut value, mut power) = (self.nanos / NANO, 0);
            while value % 1024 == 0 && power < 6 {
                (value, power) = (value / 1024, power + 1);
            }
            return write!(f, "{value}{}", ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][power]);
        }
        let (mut value, mut power) = (self.nanos, -9);
        while value % 1000 == 0 && (power < 18 || self.style == Style::Exponent) {
            (value, power) = (value / 1000, power + 3);
        }
        match (self.style, power) {
            (_, 0) => write!(f, "{value}"),
            (Style::Exponent, _) => write!(f, "{value}e{power}"),
            _ => {
                let unit = match power {
                    -9 => "n",
                    -6 => "u",
                    -3 => "m",
                    3 => "k",
                    6 => "M",
                    9 => "G",
                    12 => "T",
                    15 => "P",
                    _ => "E",
                };
                write!(f, "{value}{unit}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_the_api_writes_them() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Quantity::parse(text).map(|quantity| quantity.to_string()).as_deref(), Some(expected));
        };
        for (text, expected) in [
            ("0", "0"),
            ("0.5", "500m"),
            ("1000m", "1"),
            ("1500m", "1500m"),
            ("1000", "1k"),
            ("1500", "1500"),
            ("0.5Gi", "512Mi"),
            ("1024Mi", "1Gi"),
            ("1023", "1023"),
            ("0.5Ki", "512"),
            ("1e3", "1e3"),
            ("1E6", "1e6"),
            ("+1", "1"),
            ("-1", "-1"),
            ("1.", "1"),
            (".5", "500m"),
            ("1n", "1n"),
            ("0.1n", "1n"),
            ("10Gi", "10Gi"),
            ("100000", "100k"),
            ("00100m", "100m"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_is_no_amount_is_none() {
        for text in ["", "x", "1x", "1 ", "--1", "1.2.3", "e3", "1Kib", "1ee3", ".", "1e-2147483648"] {
            assert!(Quantity::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn amounts_are_compared_by_what_they_amount_to() {
        assert_eq!(Quantity::parse("1Ki"), Quantity::parse("1024"));
        assert_ne!(Quantity::parse("1k"), Quantity::parse("1024"));
    }
}
