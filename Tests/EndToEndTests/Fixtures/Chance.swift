import Glibc
import Testing

/// Dice that can be thrown the same way again: `PURSER_SEED=N`.
struct Chance: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    /// Starts from `PURSER_SEED`, else from anywhere; `stream` tells apart several at one seed.
    init(stream: UInt64 = 0) {
        let given = getenv("PURSER_SEED").flatMap { UInt64(String(cString: $0)) }
        seed = given ?? UInt64.random(in: 0...999_999)
        state = seed &* 0x2545_F491_4F6C_DD1D &+ stream
    }

    /// To be shown with every failure.
    var comment: Comment { "PURSER_SEED=\(seed)" }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number from 0 to `limit`.
    mutating func fraction(upTo limit: Double = 1) -> Double {
        Double.random(in: 0...limit, using: &self)
    }
}
