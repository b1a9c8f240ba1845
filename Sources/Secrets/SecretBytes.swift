internal import CLinux
internal import Glibc

/// Bytes that are wiped when the last owner lets go, kept out of core dumps, and never printed.
///
/// Each secret has its own anonymous mapping, excluded from core dumps (`MADV_DONTDUMP`) and from
/// forked children (`MADV_DONTFORK`). It prints as `‹secret›` and compares in constant time. It is
/// immutable and therefore safe to share between threads.
@safe package final class SecretBytes: Sendable {
    /// The number of bytes; not secret.
    package let count: Int

    // Immutable after init and freed in deinit only, so sharing it is safe.
    private nonisolated(unsafe) let pages: UnsafeMutableRawPointer
    private let mapped: Int

    /// Makes `count` bytes and lets `fill` write them; they are zero before.
    package init<Failure: Error>(
        count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(count >= 0, "a secret cannot have a negative length")
        let page = sysconf(Int32(_SC_PAGESIZE))
        let length = (Swift.max(count, 1) + page - 1) / page * page
        let mapping = unsafe mmap(
            nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapping = unsafe mapping, unsafe mapping != MAP_FAILED else {
            // A secret in memory that is not wiped or is dumped with a core would be worse than none.
            fatalError("out of memory for a secret of \(count) bytes")
        }
        unsafe madvise(mapping, length, MADV_DONTDUMP)
        unsafe madvise(mapping, length, MADV_DONTFORK)
        self.count = count
        self.mapped = length
        unsafe self.pages = mapping
        // From here on deinit wipes, also when `fill` throws.
        try unsafe fill(UnsafeMutableRawBufferPointer(start: mapping, count: count))
    }

    /// Copies `bytes`; the caller remains responsible for wiping its own copy.
    package convenience init(copying bytes: some Sequence<UInt8>) {
        let array = Array(bytes)
        unsafe self.init(count: array.count) { unsafe $0.copyBytes(from: array) }
    }

    /// Takes over the contents of `bytes` and wipes it.
    package convenience init(wiping bytes: inout [UInt8]) {
        unsafe self.init(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
        wipe(&bytes)
    }

    /// `count` bytes from the kernel's random number generator (getrandom(2)).
    package static func random(count: Int) -> SecretBytes {
        unsafe SecretBytes(count: count) { unsafe fillRandom($0) }
    }

    deinit {
        unsafe explicit_bzero(pages, mapped)
        unsafe munmap(pages, mapped)
    }

    /// Lends the bytes for the time of `body`; what is copied out is the caller's to wipe.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: pages, count: count))
    }

    /// A secret made of a part of this one; traps outside its bounds.
    package func slice(_ range: Range<Int>) -> SecretBytes {
        unsafe SecretBytes(count: range.count) { target in
            unsafe withUnsafeBytes { unsafe target.copyMemory(from: .init(rebasing: $0[range])) }
        }
    }
}

// MARK: - Comparison in constant time

extension SecretBytes: Equatable {
    /// Compares every byte whatever the first difference; the lengths are not secret.
    package static func == (one: SecretBytes, other: SecretBytes) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                var difference: UInt8 = 0
                for index in 0..<left.count {
                    unsafe difference |= left[index] ^ right[index]
                }
                return difference == 0
            }
        }
    }
}

// MARK: - Redaction

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: - Wiping

/// Overwrites and empties an array that held a secret.
package func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { buffer in
        if let start = buffer.baseAddress {
            unsafe explicit_bzero(start, buffer.count)
        }
    }
    bytes.removeAll(keepingCapacity: false)
}

private func fillRandom(_ buffer: UnsafeMutableRawBufferPointer) {
    var done = 0
    while done < buffer.count {
        guard let start = buffer.baseAddress else { return }
        let got = unsafe purser_getrandom(start + done, buffer.count - done)
        if got > 0 {
            done += got
        } else if errno != EINTR {
            // There is no second source: a key from a lesser one must never be made.
            fatalError("getrandom failed: errno \(errno)")
        }
    }
}
