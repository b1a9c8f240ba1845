internal import COpenSSL

extension DistinguishedName {
    /// Reads OpenSSL's form; `name` is borrowed and may be nil for an empty one.
    init(of name: OpaquePointer?) {
        var attributes: [Attribute] = []
        var previousSet: Int32?
        for index in 0..<max(0, unsafe X509_NAME_entry_count(name)) {
            guard let entry = unsafe X509_NAME_get_entry(name, index) else { continue }
            let set = unsafe X509_NAME_ENTRY_set(entry)
            let oid = unsafe objectText(X509_NAME_ENTRY_get_object(entry)) ?? "0.0"
            let text = unsafe Self.text(of: X509_NAME_ENTRY_get_data(entry))
            attributes.append(Attribute(oid, text, joinsPrevious: set == previousSet))
            previousSet = set
        }
        self.init(attributes)
    }

    /// Makes OpenSSL's form, which the caller frees; throws ``PKIError/malformedName(_:)``.
    ///
    /// Text is encoded as UTF8String, and as PrintableString where the attribute demands it (C).
    /// Lengths are not bounded: Apple's common names exceed RFC 5280's 64 characters.
    func makeHandle() throws(PKIError) -> OpaquePointer {
        OpenSSLReasons.forget()
        guard let name = unsafe X509_NAME_new() else { throw .library("make a name", .drain()) }
        do {
            for attribute in attributes {
                try unsafe Self.add(attribute, to: name)
            }
        } catch {
            unsafe X509_NAME_free(name)
            throw error
        }
        return unsafe name
    }

    private static func add(
        _ attribute: Attribute, to name: OpaquePointer
    ) throws(PKIError) {
        let bytes = Array(attribute.text.utf8)
        guard !bytes.isEmpty, bytes.count <= 1024 else {
            throw .malformedName("an attribute is empty or longer than 1024 bytes")
        }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .malformedName("an attribute has a control character")
        }
        guard let object = unsafe OBJ_txt2obj(attribute.oid, 1) else {
            OpenSSLReasons.forget()
            throw .malformedName("an attribute's object identifier is none")
        }
        defer { unsafe ASN1_OBJECT_free(object) }
        // X.520 allows PrintableString alone for the country (two letters).
        let type = attribute.oid == OID.country ? V_ASN1_PRINTABLESTRING : V_ASN1_UTF8STRING
        let entry = unsafe X509_NAME_ENTRY_create_by_OBJ(
            nil, object, type, bytes, Int32(bytes.count))
        defer { unsafe X509_NAME_ENTRY_free(entry) }
        guard let entry = unsafe entry,
            unsafe X509_NAME_add_entry(name, entry, -1, attribute.joinsPrevious ? -1 : 0) == 1
        else { throw .library("make a name", .drain()) }
    }

    private static func text(of string: UnsafeMutablePointer<ASN1_STRING>?) -> String {
        guard let string = unsafe string else { return "" }
        var output: UnsafeMutablePointer<UInt8>?
        let length = unsafe ASN1_STRING_to_UTF8(&output, string)
        defer { unsafe purser_free(output) }
        if length >= 0, let output = unsafe output {
            return unsafe String(
                decoding: UnsafeBufferPointer(start: output, count: Int(length)), as: UTF8.self)
        }
        OpenSSLReasons.forget()
        let raw = unsafe UnsafeBufferPointer(
            start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
        return unsafe "#" + Hexadecimal.lowercase(raw)
    }
}
