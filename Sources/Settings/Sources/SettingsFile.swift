/// The contents of `purser.json5`: values by dotted key.
struct SettingsFile {
    let path: String
    let values: [String: JSONValue]

    /// Reads the file's bytes; keys that mean nothing become faults.
    ///
    /// - Throws: ``SettingsError/malformed(path:line:)``.
    init(
        contents: [UInt8]?, path: String, faults: inout [SettingFault]
    ) throws(SettingsError) {
        self.path = path
        guard let contents else {
            values = [:]
            return
        }
        let outermost: JSONValue
        do {
            outermost = try JSONValue(json5: contents)
        } catch {
            throw .malformed(path: path, line: error.line)
        }
        guard case .object(let fields) = outermost else { throw .malformed(path: path, line: nil) }
        var values: [String: JSONValue] = [:]
        // Sorted, because a dictionary has no order and the faults should have one.
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard SettingsTable.sections.contains(name) else {
                values[name] = value
                continue
            }
            guard case .object(let section) = value else {
                faults.append(
                    .wrongValue(name, expected: "an object, not \(value.sort)", source: .file(path))
                )
                continue
            }
            for (inner, value) in section { values["\(name).\(inner)"] = value }
        }
        let known = SettingsTable.all.map(\.key)
        for key in values.keys.sorted() where !known.contains(key) {
            faults.append(.unknownKey(key, nearest: NearestName.of(key, among: known)))
        }
        self.values = values
    }
}
