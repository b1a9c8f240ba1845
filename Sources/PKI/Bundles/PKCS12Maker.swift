internal import COpenSSL
internal import Secrets

/// The steps of making a PKCS#12 file, each with the password and iterations of that file.
struct PKCS12Maker {
    let password: SecretBytes
    let iterations: Int32
    let encryption: PKCS12.Encryption

    /// Whatever OpenSSL could not do while a file is made.
    static var failure: PKIError { .library("make a PKCS#12 file", .drain()) }

    /// A bag with the certificate as it is; the safe around it will be encrypted.
    func bag(of certificate: Certificate) throws(PKIError) -> OpaquePointer {
        let bag = unsafe certificate.withHandle { unsafe PKCS12_SAFEBAG_create_cert($0) }
        guard let bag = unsafe bag else { throw Self.failure }
        return unsafe bag
    }

    /// A bag with the key, encrypted.
    func bag(of key: PrivateKey) throws(PKIError) -> OpaquePointer {
        let plain = unsafe key.withHandle { unsafe EVP_PKEY2PKCS8($0) }
        guard let plain = unsafe plain else { throw Self.failure }
        // Wipes the encoded key.
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(plain) }
        // A nil salt with a length makes a random one of that length.
        let bag = unsafe withPassword { text, count in
            unsafe PKCS12_SAFEBAG_create_pkcs8_encrypt(
                encryption.identifier, text, count, nil, encryption.saltCount, iterations, plain)
        }
        guard let bag = unsafe bag else { throw Self.failure }
        return unsafe bag
    }

    /// Puts a bag, of which it takes ownership, into `bags`.
    func add(
        _ bag: OpaquePointer, to bags: OpaquePointer, name: String?, identifier: [UInt8]?
    ) throws(PKIError) {
        var isLabelled = true
        if let name {
            let bytes = Array(name.utf8).map { CChar(bitPattern: $0) }
            isLabelled = unsafe PKCS12_add_friendlyname_utf8(bag, bytes, Int32(bytes.count)) == 1
        }
        if let identifier, isLabelled {
            var bytes = identifier
            isLabelled = unsafe PKCS12_add_localkeyid(bag, &bytes, Int32(bytes.count)) == 1
        }
        guard isLabelled, unsafe purser_bags_push0(bags, bag) > 0 else {
            unsafe PKCS12_SAFEBAG_free(bag)
            throw Self.failure
        }
    }

    /// Encrypts `bags` into a safe of their own and adds it.
    func addEncrypted(_ bags: OpaquePointer, to safes: OpaquePointer) throws(PKIError) {
        let safe = unsafe withPassword { text, count in
            unsafe PKCS12_pack_p7encdata(
                encryption.identifier, text, count, nil, encryption.saltCount, iterations, bags)
        }
        try unsafe push(safe, to: safes)
    }

    /// Adds `bags` as a safe that is not encrypted.
    func addPlain(_ bags: OpaquePointer, to safes: OpaquePointer) throws(PKIError) {
        try unsafe push(PKCS12_pack_p7data(bags), to: safes)
    }

    /// Puts a code over all safes and encodes the file.
    func finish(_ safes: OpaquePointer) throws(PKIError) -> [UInt8] {
        guard let file = unsafe PKCS12_init(NID_pkcs7_data) else { throw Self.failure }
        defer { unsafe PKCS12_free(file) }
        guard unsafe PKCS12_pack_authsafes(file, safes) == 1 else { throw Self.failure }
        let isMarked = unsafe withPassword { text, count in
            unsafe PKCS12_set_mac(
                file, text, count, nil, encryption.saltCount, iterations, encryption.digest) == 1
        }
        guard isMarked, let der = unsafe encoded({ unsafe i2d_PKCS12(file, $0) }) else {
            throw Self.failure
        }
        return der
    }

    private func push(
        _ safe: UnsafeMutablePointer<PKCS7>?, to safes: OpaquePointer
    ) throws(PKIError) {
        guard let safe = unsafe safe else { throw Self.failure }
        guard unsafe purser_safes_push0(safes, safe) > 0 else {
            unsafe PKCS7_free(safe)
            throw Self.failure
        }
    }

    /// Lends the password as OpenSSL takes it: UTF-8 with its length.
    private func withPassword<Result>(
        _ body: (UnsafePointer<CChar>?, Int32) -> Result
    ) -> Result {
        unsafe password.withUnsafeBytes { bytes in
            unsafe body(bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
        }
    }
}
