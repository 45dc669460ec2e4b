//! Inputs that are nearly good: seeds, with a few things wrong in each.

/// Numbers that are the same for the same seed.
pub(crate) struct Dice(pub u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 32).expect("32 bits") % below.max(1)
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.roll(length + 1);
        from..from + self.roll((length - from).min(64) + 1)
    }
}

/// What parsers stumble over.
const WORDS: [&[u8]; 37] = [
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"null",
    b"true",
    b"-0",
    b"1e999",
    b"9223372036854775808",
    b"-1",
    b"0.1",
    b"''",
    b"\0",
    b"\xff",
    b"\xc3\xa9",
    "\u{1f600}".as_bytes(),
    b"&a ",
    b"*a",
    b"!!binary ",
    b"<<: ",
    b"--- ",
    b"# ",
    b"*",
    b"?(@.a)",
    b"..",
    b"%2f",
    b"%",
    b"=",
    b"k8s\0",
    b"\n  ",
    b"+",
];

/// Numbers that are counted with carelessly.
const NUMBERS: [&[u8]; 8] = [
    b"0",
    b"-1",
    b"2147483648",
    b"9223372036854775807",
    b"9223372036854775808",
    b"18446744073709551615",
    b"1e400",
    b"0.30000000000000004",
];

/// No input is longer.
const LONGEST: usize = 1 << 15;

/// A seed with a few things wrong.
pub(crate) fn mutated(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut input = seeds[dice.roll(seeds.len())].clone();
    for _ in 0..=dice.roll(4) {
        mutate(&mut input, seeds, dice);
        input.truncate(LONGEST);
    }
    input
}

fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], dice: &mut Dice) {
    let length = input.len();
    match dice.roll(9) {
        0 if length > 0 => {
            let at = dice.roll(length);
            input[at] ^= 1 << dice.roll(8);
        }
        1 => {
            let range = dice.range(length);
            input.drain(range);
        }
        2 => {
            let (range, at) = (dice.range(length), dice.roll(length + 1));
            let copy = input[range].to_vec();
            input.splice(at..at, copy);
        }
        // The same again and again: this is how things nest.
        3 => {
            let (range, at) = (dice.range(length), dice.roll(length + 1));
            let times = [3, 20, 200, 2000][dice.roll(4)];
            let copy = input[range].repeat(times);
            input.splice(at..at, copy.into_iter().take(LONGEST));
        }
        4 => {
            let other = &seeds[dice.roll(seeds.len())];
            let (range, at) = (dice.range(other.len()), dice.roll(length + 1));
            input.splice(at..at, other[range].to_vec());
        }
        5 => input.truncate(dice.roll(length + 1)),
        6 if length > 0 => {
            let (at, byte) = (dice.roll(length), u8::try_from(dice.roll(256)).expect("a byte"));
            input[at] = byte;
        }
        // Another number in the place of one.
        7 if input.iter().any(u8::is_ascii_digit) => {
            let digits = |byte: &u8| byte.is_ascii_digit();
            let runs: Vec<_> = (0..length)
                .filter(|at| digits(&input[*at]) && (*at == 0 || !digits(&input[at - 1])))
                .collect();
            let from = runs[dice.roll(runs.len())];
            let to = from + input[from..].iter().take_while(|byte| digits(byte)).count();
            input.splice(from..to, NUMBERS[dice.roll(NUMBERS.len())].to_vec());
        }
        _ => {
            let (word, range) = (WORDS[dice.roll(WORDS.len())], dice.range(length));
            let times = if dice.roll(8) == 0 { 500 } else { 1 };
            input.splice(range, word.repeat(times));
        }
    }
}
