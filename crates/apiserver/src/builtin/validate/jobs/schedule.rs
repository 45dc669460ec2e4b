//! When cron jobs run: five fields, or a word.

const FIELDS: [(u32, u32, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (1, 12, &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    (0, 6, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

/// Whether a schedule makes sense.
///
/// # Errors
/// If it does not, in the words of the library that the real server uses.
pub(super) fn parse(schedule: &str) -> Result<(), String> {
    let schedule = match schedule.strip_prefix("TZ=").or_else(|| schedule.strip_prefix("CRON_TZ=")) {
        Some(rest) => rest.split_once(' ').map_or("", |(_, rest)| rest).trim(),
        None => schedule,
    };
    if let Some(word) = schedule.strip_prefix('@') {
        return descriptor(schedule, word);
    }
    let fields: Vec<_> = schedule.split_whitespace().collect();
    if fields.len() != 5 {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    // Of several faults the last of these names is told first, as there.
    for index in [0, 1, 2, 3, 4] {
        field(fields[index], FIELDS[index])?;
    }
    Ok(())
}

fn descriptor(schedule: &str, word: &str) -> Result<(), String> {
    match word {
        "yearly" | "annually" | "monthly" | "weekly" | "daily" | "midnight" | "hourly" => Ok(()),
        _ if word.starts_with("every ") => Ok(()),
        _ => Err(format!("unrecognized descriptor: {schedule}")),
    }
}

fn field(text: &str, bounds: (u32, u32, &[&str])) -> Result<(), String> {
    text.split(',').try_for_each(|part| range(part, bounds))
}

fn range(text: &str, (least, most, words): (u32, u32, &[&str])) -> Result<(), String> {
    let parts: Vec<_> = text.split('/').collect();
    let ends: Vec<_> = parts[0].split('-').collect();
    let (start, mut end) = if matches!(parts[0], "*" | "?") {
        (least, most)
    } else {
        let start = number(ends[0], words)?;
        match ends.as_slice() {
            [_] => (start, start),
            [_, end] => (start, number(end, words)?),
            _ => return Err(format!("too many hyphens: {text}")),
        }
    };
    let step = match parts.as_slice() {
        [_] => 1,
        [_, step] => {
            if ends.len() == 1 && !matches!(parts[0], "*" | "?") {
                end = most;
            }
            digits(step)?
        }
        _ => return Err(format!("too many slashes: {text}")),
    };
    if start < least {
        return Err(format!("beginning of range ({start}) below minimum ({least}): {text}"));
    }
    if end > most {
        return Err(format!("end of range ({end}) above maximum ({most}): {text}"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {text}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {text}"));
    }
    Ok(())
}

fn number(text: &str, words: &[&str]) -> Result<u32, String> {
    let word = words.iter().position(|word| text.eq_ignore_ascii_case(word));
    match word.and_then(|index| u32::try_from(index).ok()) {
        // Months are counted from one.
        Some(index) => Ok(index + u32::from(words.len() == 12)),
        None => digits(text),
    }
}

fn digits(text: &str) -> Result<u32, String> {
    match text.parse::<i64>() {
        Err(_) => {
            let said = format!("strconv.Atoi: parsing {text:?}: invalid syntax");
            Err(format!("failed to parse int from {text}: {said}"))
        }
        Ok(negative) if negative < 0 => Err(format!("negative number ({negative}) not allowed: {text}")),
        Ok(number) => u32::try_from(number).map_err(|_| format!("failed to parse int from {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_judged_as_by_the_real_server() {
        let check =
            |schedule: &str, expected: &str| assert_eq!(parse(schedule).err().unwrap_or_default(), expected);
        for right in ["* * * * *", "*/5 0-3,7 1 JAN-MAR mon", "@daily", "@every 1h", "0 0 1 1 0"] {
            check(right, "");
        }
        check("x", "expected exactly 5 fields, found 1: [x]");
        check("61 * * * *", "end of range (61) above maximum (59): 61");
        check("* * 0 * *", "beginning of range (0) below minimum (1): 0");
        check("5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3");
        check("*/0 * * * *", "step of range should be a positive number: */0");
        check("a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax");
        check("@often", "unrecognized descriptor: @often");
    }
}
