internal import COpenSSL

// The two calling conventions of d2i_… and i2d_… (man 3 d2i_X509), spelled once.

/// Runs an `i2d_` function twice: for the length, and into an array of that length.
func encoded(
    _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
) -> [UInt8]? {
    let length = write(nil)
    guard length > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(length))
    let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        var position = buffer.baseAddress
        return unsafe write(&position)
    }
    return written == length ? bytes : nil
}

/// Runs a `d2i_` function over `der`; gives its object and how many bytes it took.
func decoded(
    _ der: [UInt8],
    _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
) -> (object: OpaquePointer?, used: Int) {
    unsafe der.withUnsafeBufferPointer { buffer in
        unsafe decoded(UnsafeRawBufferPointer(buffer), read)
    }
}

/// The same over memory that is lent, such as a secret's.
func decoded(
    _ buffer: UnsafeRawBufferPointer,
    _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
) -> (object: OpaquePointer?, used: Int) {
    guard let start = unsafe buffer.bindMemory(to: UInt8.self).baseAddress else {
        return (nil, 0)
    }
    var position: UnsafePointer<UInt8>? = unsafe start
    guard let object = unsafe read(&position, buffer.count) else { return (nil, 0) }
    return unsafe (object, position.map { unsafe $0 - start } ?? 0)
}

/// The dotted text of an object identifier, however long; `object` is borrowed.
///
/// Nil for none, and for one whose encoding is no object identifier: callers decide on criticality
/// by what this answers, so a text cut short is never given.
func objectText(_ object: OpaquePointer?) -> String? {
    guard let object = unsafe object else { return nil }
    var buffer = [CChar](repeating: 0, count: 256)
    while true {
        let length = unsafe buffer.withUnsafeMutableBufferPointer {
            // 1: numbers always, so that the text does not depend on OpenSSL's table of names.
            unsafe OBJ_obj2txt($0.baseAddress, Int32($0.count), object, 1)
        }
        guard length > 0 else { return nil }
        if Int(length) < buffer.count {
            let text = buffer[..<Int(length)].map { UInt8(bitPattern: $0) }
            return String(decoding: text, as: UTF8.self)
        }
        // What it answers is the length of the whole text, whatever room there was.
        buffer = [CChar](repeating: 0, count: Int(length) + 1)
    }
}

/// OpenSSL's long name of an algorithm (`sha256WithRSAEncryption`), else its dotted text.
func algorithmName(_ algorithm: UnsafePointer<X509_ALGOR>?) -> String {
    var object: OpaquePointer?
    unsafe X509_ALGOR_get0(&object, nil, nil, algorithm)
    let number = unsafe OBJ_obj2nid(object)
    if number != NID_undef, let name = unsafe OBJ_nid2ln(number) {
        return unsafe String(cString: name)
    }
    return unsafe objectText(object) ?? "unknown"
}

/// The bytes that a memory BIO holds, as an array; for what is not secret.
func contents(of bio: OpaquePointer) -> [UInt8] {
    var start: UnsafeMutablePointer<CChar>?
    let length = unsafe purser_bio_contents(bio, &start)
    guard length > 0, let start = unsafe start else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
}
