internal import Locks

/// The source of request ids: 64 bits each, in no guessable order at first sight, never twice.
///
/// A counter with a random start, sent through a bijection (the finaliser of SplitMix64), so that an
/// id costs no system call. Ids are names, not secrets.
struct RequestIdentifiers: Sendable {
    private let counter: Locked<UInt64>

    init(start: UInt64 = .random(in: .min ... .max)) {
        counter = Locked(start)
    }

    /// The next id, 16 lower-case hex digits.
    func next() -> String {
        let count = counter.withLock { counter -> UInt64 in
            counter &+= 0x9E37_79B9_7F4A_7C15
            return counter
        }
        var mixed = count
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return unsafe String(unsafeUninitializedCapacity: 16) { buffer in
            for place in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: mixed >> (60 - 4 * UInt64(place))) & 0xF
                unsafe buffer[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
            }
            return 16
        }
    }
}
