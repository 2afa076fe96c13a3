//! The seeded generator: draw number `index` of stream `stream` is a pure function of the seed.
//!
//! There is no state to advance, so what one task draws does not depend on what the others did before. Not for
//! dice that a kernel throws: those are state of its run queues.

/// The increment of SplitMix64: 2⁶⁴ divided by the golden ratio, made odd (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64's output function: Stafford's variant 13 of the MurmurHash3 finalizer (same paper).
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A stream of draws, usually of one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream of that number under that seed: SplitMix64 started at a point that both decide.
    pub const fn new(seed: u64, stream: u32) -> Stream {
        Stream(mix(seed.wrapping_add(mix(stream as u64 ^ GOLDEN))))
    }

    /// Draw number `index`, each of the 2⁶⁴ values equally likely.
    pub const fn draw(self, index: u32) -> u64 {
        mix(self.0.wrapping_add((index as u64 + 1).wrapping_mul(GOLDEN)))
    }

    /// Draw number `index` as one of `0..n`, each equally likely to within n/2⁶⁴ (Lemire's multiplication).
    pub const fn below(self, index: u32, n: u64) -> u64 {
        ((self.draw(index) as u128 * n as u128) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stream is part of what a link means: these numbers never change.
    #[test]
    fn the_stream_is_golden() {
        let draws: [u64; 3] = core::array::from_fn(|i| Stream::new(1, 0).draw(i as u32));
        let expected = [
            0x01D6_14F7_4E2A_26C6,
            0x31AC_E0C2_5711_9B01,
            0x6C80_AEFC_5541_BA5F,
        ];
        assert_eq!(draws, expected);
        assert_eq!(
            Stream::new(u64::MAX, u32::MAX).draw(u32::MAX),
            0x38A3_1963_D81C_1A01
        );
    }

    /// SplitMix64 from state 0, the sequence other implementations print.
    #[test]
    fn the_output_function_is_splitmix64() {
        let stream = Stream(0);
        assert_eq!(stream.draw(0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(stream.draw(1), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(stream.draw(2), 0x06C4_5D18_8009_454F);
    }

    #[test]
    fn streams_differ_and_dice_are_fair() {
        let mut faces = [0_u32; 6];
        for index in 0..6_000 {
            let (a, b) = (Stream::new(7, 1), Stream::new(7, 2));
            assert_ne!(a.draw(index), b.draw(index));
            faces[a.below(index, 6) as usize] += 1;
        }
        assert!(faces.iter().all(|n| (900..1100).contains(n)), "{faces:?}");
    }
}
