//! Values packed into words: what the states of the seed models are made of.

/// A run of bits in a word that holds one value.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    shift: u32,
    width: u32,
}

impl Bits {
    /// The `width` bits from bit `shift` on.
    pub(super) const fn new(shift: u32, width: u32) -> Bits {
        assert!(width < 64 && shift + width <= 64, "a field lies within its word");
        Bits { shift, width }
    }

    /// The `width` bits right above these.
    pub(super) const fn then(self, width: u32) -> Bits {
        Bits::new(self.shift + self.width, width)
    }

    /// The same bits of the `index`-th of several records of `stride` bits each.
    #[inline]
    pub(super) const fn of(self, index: u8, stride: u32) -> Bits {
        Bits { shift: self.shift + index as u32 * stride, width: self.width }
    }

    #[inline]
    const fn mask(self) -> u64 {
        (1 << self.width) - 1
    }

    /// The value in `word`.
    #[inline]
    pub(super) const fn get(self, word: u64) -> u64 {
        (word >> self.shift) & self.mask()
    }

    /// Whether the value in `word` is not zero.
    #[inline]
    pub(super) const fn is_set(self, word: u64) -> bool {
        self.get(word) != 0
    }

    /// Replaces the value in `word`.
    #[inline]
    pub(super) fn set(self, word: &mut u64, value: u64) {
        debug_assert!(value <= self.mask(), "{value} does not fit into {} bits", self.width);
        *word = *word & !(self.mask() << self.shift) | value << self.shift;
    }
}

/// Sorts the first `count` records of `stride` bits in `word`; what lies above them stays.
pub(super) fn sort_records(word: &mut u64, count: u8, stride: u32) {
    let record = |index| Bits::new(0, stride).of(index, stride);
    let mut records = [0; 16];
    let records = &mut records[..usize::from(count)];
    for (index, slot) in (0..count).zip(records.iter_mut()) {
        *slot = record(index).get(*word);
    }
    records.sort_unstable();
    for (index, value) in (0..count).zip(records.iter()) {
        record(index).set(word, *value);
    }
}

/// Defines a type for the values of a variable, each with its code and its name.
///
/// A field may hold other codes as well: they stand for values that the specification does not
/// know, so that its claims about types can fail.
macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $code:literal $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) struct $name(u8);

        impl $name {
            $($(#[$value_doc])* pub(super) const $value: $name = $name($code);)+

            #[inline]
            pub(super) const fn from_bits(bits: u64) -> $name {
                $name(bits as u8)
            }

            #[inline]
            pub(super) const fn bits(self) -> u64 {
                self.0 as u64
            }

            /// The name in the specification.
            pub(super) fn name(self) -> &'static str {
                match self.0 {
                    $($code => $text,)+
                    _ => "?",
                }
            }
        }
    };
}
pub(super) use codes;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_replaced_and_its_neighbours_stay() {
        const LOW: Bits = Bits::new(0, 4);
        const HIGH: Bits = LOW.then(3);
        let mut word = u64::MAX;
        LOW.set(&mut word, 5);
        assert_eq!((LOW.get(word), HIGH.get(word)), (5, 7));
        HIGH.of(1, 7).set(&mut word, 2);
        assert_eq!((LOW.get(word), HIGH.get(word), HIGH.of(1, 7).get(word)), (5, 7, 2));
        assert!(LOW.is_set(word));
    }

    #[test]
    fn records_are_sorted_and_the_rest_stays() {
        let mut word = 0xabc_132;
        sort_records(&mut word, 3, 4);
        assert_eq!(word, 0xabc_321);
    }

    codes! {
        /// For the test.
        Colour {
            /// Not used.
            RED = 0 "red",
            /// Used.
            BLUE = 1 "blue",
        }
    }

    #[test]
    fn codes_follow_the_list_and_others_have_no_name() {
        assert_eq!(Colour::from_bits(1), Colour::BLUE);
        assert_eq!(Colour::RED.bits(), 0);
        assert_eq!(Colour::BLUE.name(), "blue");
        assert_eq!(Colour::from_bits(2).name(), "?");
    }
}
