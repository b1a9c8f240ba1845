internal import COpenSSL

/// How OpenSSL, and with it libcurl's TLS, treats memory that it gives back.
package enum LibraryMemory {
    /// Makes OpenSSL wipe every block it frees, for the whole process; false when it is too late.
    ///
    /// OpenSSL wipes keys, but not all copies that it makes while encoding and decoding them. Call
    /// it first thing in a program, before anything else may have used the library: that is when
    /// OpenSSL still lets its allocator be changed (man 3 CRYPTO_set_mem_functions).
    package static func wipeWhenFreed() -> Bool {
        purser_wipe_when_freed() == 1
    }
}
