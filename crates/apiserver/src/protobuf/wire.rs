//! The wire format of protobuf: numbered values, one after the other.

use super::Malformed;

/// One value, as it is on the wire.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Wire<'a> {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 2: a string, bytes, a message.
    Bytes(&'a [u8]),
    /// Wire type 5.
    Fixed32(u32),
}

/// Reads a message value by value.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads this message.
    pub(super) fn new(message: &'a [u8]) -> Reader<'a> {
        Reader { rest: message }
    }

    /// The next value with the number of its field; `None` at the end.
    ///
    /// # Errors
    /// If the bytes are no message.
    pub(super) fn next(&mut self) -> Result<Option<(u32, Wire<'a>)>, Malformed> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| Malformed::Wire)?;
        if number == 0 {
            return Err(Malformed::Wire);
        }
        let value = match tag & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Malformed::Wire)?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed32(u32::from_le_bytes(self.array()?)),
            _ => return Err(Malformed::Wire),
        };
        Ok(Some((number, value)))
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed::Wire)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed::Wire)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed::Wire)?;
        self.rest = rest;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(message: &[u8]) -> Result<Vec<(u32, Wire<'_>)>, Malformed> {
        let mut reader = Reader::new(message);
        std::iter::from_fn(|| reader.next().transpose()).collect()
    }

    #[test]
    fn every_wire_type_is_read() {
        let message = [0x08, 0x96, 0x01, 0x12, 0x01, b'x', 0x1d, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0];
        let expected = vec![
            (1, Wire::Varint(150)),
            (2, Wire::Bytes(b"x")),
            (3, Wire::Fixed32(1)),
            (4, Wire::Fixed64(2)),
        ];
        assert_eq!(all(&message), Ok(expected));
        assert_eq!(all(&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), {
            Ok(vec![(1, Wire::Varint(u64::MAX))])
        });
    }

    #[test]
    fn what_ends_early_or_makes_no_sense_is_malformed() {
        let bad: [&[u8]; 5] = [&[0x08], &[0x12, 0x05, b'x'], &[0x00, 0x01], &[0x0b], &[0x1d, 1, 2]];
        for message in bad {
            assert_eq!(all(message), Err(Malformed::Wire), "{message:?}");
        }
    }
}
