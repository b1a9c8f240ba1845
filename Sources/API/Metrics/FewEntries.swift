/// A table of so few keys that to compare them one by one costs less than to hash one.
///
/// What a request counts is looked up here: strings that share their storage, or are short, compare in
/// a few instructions, while hashing three of them took a thousand.
struct FewEntries<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    private(set) var all: [(key: Key, value: Value)] = []

    /// The value of `key`, which begins as `initial`.
    subscript(_ key: Key, beginningAs initial: @autoclosure () -> Value) -> Value {
        get { all.first { $0.key == key }?.value ?? initial() }
        _modify {
            let index = all.firstIndex { $0.key == key } ?? all.endIndex
            if index == all.endIndex { all.append((key, initial())) }
            yield &all[index].value
        }
    }
}
