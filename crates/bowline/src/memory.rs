//! Amounts of memory, as people write and read them.

use std::fmt;
use std::str::FromStr;

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Memory(pub(crate) u64);

const KI: f64 = 1024.0;

fn unit(name: &str) -> Option<f64> {
    Some(match name.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "ki" | "kib" => KI,
        "mi" | "mib" => KI * KI,
        "gi" | "gib" => KI * KI * KI,
        "ti" | "tib" => KI * KI * KI * KI,
        _ => return None,
    })
}

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, name) = text.split_at(digits);
        let bytes = number.parse::<f64>().ok().zip(unit(name.trim())).map(|(number, unit)| number * unit);
        match bytes {
            Some(bytes) if bytes > u64::MAX as f64 => {
                Err("that is more memory than can be counted; give at most 16777216TiB".into())
            }
            Some(bytes) if bytes >= 1.0 => Ok(Memory(bytes as u64)),
            _ => Err("give an amount of memory such as 500MB, 2GiB or 1.5Gi".into()),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut amount = self.0 as f64;
        let mut units = ["B", "KiB", "MiB", "GiB", "TiB"].into_iter();
        let mut unit = units.next().unwrap_or("B");
        for larger in units {
            // 1023.5 would be written as 1024 of the smaller unit.
            if amount < 1023.5 {
                break;
            }
            amount /= KI;
            unit = larger;
        }
        let places = usize::from(unit != "B" && amount < 99.95);
        write!(f, "{amount:.places$} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        let cases = [
            ("2GiB", 2 << 30),
            ("500MB", 500_000_000),
            ("1.5Gi", 3 << 29),
            ("64 kib", 64 << 10),
            ("4096", 4096),
            ("10b", 10),
        ];
        for (text, bytes) in cases {
            assert_eq!(text.parse(), Ok(Memory(bytes)), "{text}");
        }
        for text in ["", "GiB", "2XB", "-1MB", "0", "1.2.3MB", "99999999999TiB"] {
            assert!(text.parse::<Memory>().is_err(), "{text}");
        }
        assert_eq!(
            "99999999999TiB".parse::<Memory>(),
            Err("that is more memory than can be counted; give at most 16777216TiB".into())
        );
        assert!("16777216TiB".parse::<Memory>().is_ok());
    }

    #[test]
    fn writes_what_people_read() {
        let cases = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_234_567, "1.2 MiB"),
            (268 << 20, "268 MiB"),
            (1 << 30, "1.0 GiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(Memory(bytes).to_string(), text);
        }
    }
}
