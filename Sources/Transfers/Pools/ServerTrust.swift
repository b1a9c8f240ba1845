internal import Glibc

/// Whose servers a pool believes.
///
/// The server's chain and its name are checked in either case; there is no way to turn that off.
/// Environment variables (`SSL_CERT_FILE`, `CURL_CA_BUNDLE`) change nothing.
package enum ServerTrust: Sendable {
    /// The certificate authorities of the machine, as Debian's `ca-certificates` keeps them.
    case systemBundle
    /// These roots alone, PEM one after the other.
    case bundle(pem: [UInt8])
}

/// Where the machine keeps its certificate authorities.
package enum SystemTrust: Equatable, Sendable {
    /// One file for each root, found by the hash of its subject (openssl-rehash(1ssl)).
    case folder(String)
    /// All roots in one file.
    case file(String)

    /// What this machine has, looked up once.
    package static let ofThisMachine = SystemTrust(
        folder: "/etc/ssl/certs", file: "/etc/ssl/certs/ca-certificates.crt")

    // Each pool has a libcurl multi of its own, and libcurl's cache of parsed roots is per multi:
    // with the file, the first connection of every pool parses 140 roots, which measured 30 ms of
    // this thread's time and 800 KiB each. From the hashed folder OpenSSL reads the one root that
    // it needs, in less than the noise. Images without the links are served by the file.
    init(folder: String, file: String) {
        self = SystemTrust.hasHashLinks(folder) ? .folder(folder) : .file(file)
    }

    private static func hasHashLinks(_ folder: String) -> Bool {
        guard let listing = unsafe opendir(folder) else { return false }
        defer { unsafe closedir(listing) }
        while let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            // Eight hex digits of the subject's hash, a dot and a number.
            let parts = name.split(separator: ".")
            if parts.count == 2, parts[0].count == 8, parts[0].allSatisfy(\.isHexDigit),
                parts[1].allSatisfy(\.isNumber)
            {
                return true
            }
        }
        return false
    }
}
