//! What each block of a file was when it was last read or written: what is read again must be the same.
//!
//! redb believes what it reads while it runs. A page that the disk lost, or put elsewhere, would lead it astray, in the
//! worst case in circles; and what it makes of such a page would look well to everybody after it.

use std::ops::Range;

/// As large as redb's pages, which it reads and writes as a whole; only the header is smaller.
const BLOCK: usize = 4096;

/// A checksum of each block that is known.
#[derive(Debug, Default)]
pub(super) struct Blocks(Vec<Option<u32>>);

impl Blocks {
    /// Something was read. Says at which offset it is not what it was, if there is one.
    pub(super) fn read(&mut self, offset: u64, data: &[u8]) -> Option<u64> {
        for (number, block) in whole(offset, data) {
            let sum = crc32fast::hash(block);
            if *self.at(number).get_or_insert(sum) != sum {
                return Some((number * BLOCK) as u64);
            }
        }
        None
    }

    /// Something is written.
    pub(super) fn write(&mut self, offset: u64, data: &[u8]) {
        self.forget(offset..offset + data.len() as u64);
        for (number, block) in whole(offset, data) {
            *self.at(number) = Some(crc32fast::hash(block));
        }
    }

    /// The file has another length.
    pub(super) fn set_len(&mut self, len: u64) {
        self.0.truncate(len as usize / BLOCK);
    }

    fn forget(&mut self, range: Range<u64>) {
        let blocks = range.start as usize / BLOCK..(range.end as usize).div_ceil(BLOCK).min(self.0.len());
        self.0.get_mut(blocks).unwrap_or_default().fill(None);
    }

    fn at(&mut self, number: usize) -> &mut Option<u32> {
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        &mut self.0[number]
    }
}

/// The blocks that lie whole in what begins at `offset`.
fn whole(offset: u64, data: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let first = (offset as usize).div_ceil(BLOCK);
    let skipped = (first * BLOCK - offset as usize).min(data.len());
    (first..).zip(data[skipped..].chunks_exact(BLOCK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_as_it_was_is_told() {
        let mut blocks = Blocks::default();
        let page = |byte: u8| vec![byte; 2 * BLOCK];
        blocks.write(BLOCK as u64, &page(1));
        assert_eq!(blocks.read(BLOCK as u64, &page(1)), None);
        assert_eq!(blocks.read(BLOCK as u64, &page(2)), Some(BLOCK as u64));
        let mut flipped = page(1);
        flipped[BLOCK + 7] ^= 1;
        assert_eq!(blocks.read(BLOCK as u64, &flipped), Some(2 * BLOCK as u64));
        // What was never seen is believed, the first time.
        assert_eq!(blocks.read(8 * BLOCK as u64, &page(3)), None);
        assert_eq!(blocks.read(8 * BLOCK as u64, &page(4)), Some(8 * BLOCK as u64));
    }

    #[test]
    fn what_is_written_in_part_or_cut_off_is_not_known_any_more() {
        let mut blocks = Blocks::default();
        let page = |byte: u8| vec![byte; BLOCK];
        blocks.write(0, &page(1));
        blocks.write(BLOCK as u64, &page(1));
        blocks.write(BLOCK as u64 - 1, &[9, 9]);
        assert_eq!((blocks.read(0, &page(2)), blocks.read(BLOCK as u64, &page(2))), (None, None));
        blocks.set_len(BLOCK as u64 + 1);
        assert_eq!(blocks.read(BLOCK as u64, &page(3)), None);
        assert_eq!(blocks.read(0, &page(3)), Some(0));
        blocks.write(5 * BLOCK as u64 + 3, &[0; 10]);
    }
}
