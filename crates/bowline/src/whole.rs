//! Whole numbers on the command line.

/// Reads whole numbers in a range, and says the range of what it refuses.
pub(crate) fn whole<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text: &str| {
        // A sign is no digit: `+2` would be read, and is more likely a slip.
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| text.parse::<u64>().ok()).flatten();
        let too_large = digits && number.is_none_or(|number| number > most);
        let number = number.filter(|number| (least..=most).contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| match most {
            // The end of a range that nobody comes near says nothing, unless somebody went beyond it.
            u64::MAX if !too_large => format!("give a whole number, {least} or more"),
            _ => format!("give a whole number from {least} to {most}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_the_range_are_read() {
        assert_eq!(whole::<u16>(1, 256)("256"), Ok(256));
        assert_eq!(whole::<u64>(0, u64::MAX)("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn what_is_refused_is_told_the_range() {
        for text in ["0", "257", "many", "", "+2", "-1", "1.5", "99999999999999999999"] {
            assert_eq!(whole::<u16>(1, 256)(text), Err("give a whole number from 1 to 256".into()), "{text}");
        }
        let any = |text| whole::<u64>(1, u64::MAX)(text).unwrap_err();
        for text in ["many", "0", "-1"] {
            assert_eq!(any(text), "give a whole number, 1 or more", "{text}");
        }
        assert_eq!(any("99999999999999999999"), "give a whole number from 1 to 18446744073709551615");
    }
}
