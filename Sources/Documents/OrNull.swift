/// An optional that is encoded as null instead of being left out, so that keys are stable.
@propertyWrapper
package struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    package func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        if let wrappedValue {
            try single.encode(wrappedValue)
        } else {
            try single.encodeNil()
        }
    }
}
