/// Bytes that stay at one address for as long as the object lives, for C to be lent.
@safe final class PinnedBytes {
    let count: Int
    /// Valid while the object lives; never null, also for no bytes.
    let start: UnsafeMutablePointer<UInt8>

    init(_ bytes: [UInt8]) {
        count = bytes.count
        unsafe start = .allocate(capacity: max(count, 1))
        _ = unsafe UnsafeMutableBufferPointer(start: start, count: count).initialize(from: bytes)
    }

    deinit {
        unsafe start.deallocate()
    }
}
