/// The contents of `purser.json5`: values by dotted key.
struct SettingsFile {
    let path: String
    private(set) var values: [String: JSONValue] = [:]

    /// Reads the file's bytes; keys that mean nothing become faults.
    ///
    /// - Throws: ``SettingsError/malformed(path:line:what:)``.
    init(
        contents: [UInt8]?, path: String, faults: inout [SettingFault]
    ) throws(SettingsError) {
        self.path = path
        guard let contents else { return }
        let known = SettingsTable.all.map(\.key)
        for field in try Self.fields(of: contents, path) {
            for (key, value) in Self.flatten(field, path, &faults) {
                if known.contains(key) {
                    values[key] = value
                } else {
                    faults.append(.unknownKey(key, nearest: NearestName.of(key, among: known)))
                }
            }
        }
    }

    /// A file with nothing in it, in the place of one that cannot be read.
    init(emptyAt path: String) {
        self.path = path
    }

    private static func fields(
        of contents: [UInt8], _ path: String
    ) throws(SettingsError) -> [JSONValue.Field] {
        let outermost: JSONValue
        do throws(JSON5Reader.Malformed) {
            outermost = try JSON5Reader.read(contents)
        } catch {
            throw .malformed(path: path, line: error.line, what: error.what)
        }
        guard case .object(let fields) = outermost else {
            throw .malformed(path: path, line: 1, what: "the outermost value is no object")
        }
        return fields
    }

    /// The keys of a section with the section's name before them; any other field as it is.
    private static func flatten(
        _ field: JSONValue.Field, _ path: String, _ faults: inout [SettingFault]
    ) -> [(key: String, value: JSONValue)] {
        // A dot joins a section and a key here; in the file it is part of a name that we do not know.
        guard !field.key.contains(".") else {
            faults.append(.unknownKey(field.key, nearest: nil))
            return []
        }
        return flatten(field.value, named: field.key, path, &faults)
    }

    private static func flatten(
        _ value: JSONValue, named key: String, _ path: String, _ faults: inout [SettingFault]
    ) -> [(key: String, value: JSONValue)] {
        guard SettingsTable.sections.contains(key) else { return [(key, value)] }
        guard case .object(let section) = value else {
            let expected = "an object, not \(value.sort)"
            faults.append(.wrongValue(key, expected: expected, source: .file(path)))
            return []
        }
        return section.flatMap { field in
            flatten(field.value, named: "\(key).\(field.key)", path, &faults)
        }
    }
}
