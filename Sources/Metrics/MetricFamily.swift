/// The samples of one measure, written down as they come (Prometheus text format 0.0.4).
///
/// All samples of a family stand together, so one pass over the records that feeds several families
/// fills several of these and joins their ``text`` in the end.
package struct MetricFamily: Sendable {
    /// What HTTP calls the format.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The family with its HELP and TYPE lines.
    package private(set) var text: [UInt8] = []
    private let measure: Measure

    /// A family without samples yet.
    package init(_ measure: Measure) {
        self.measure = measure
        text += "# HELP \(measure.name) ".utf8
        append(measure.help, escapingQuotes: false)
        text += "\n# TYPE \(measure.name) \(measure.sort.rawValue)\n".utf8
    }

    /// A family of one sample without labels.
    package init(_ measure: Measure, _ value: Int64) {
        self.init(measure)
        add([], value)
    }

    /// Adds a sample; `values` are the labels', one for each of the measure's.
    ///
    /// An empty one is as good as none, which is how the format has it.
    package mutating func add(_ values: [String], _ value: Int64) {
        begin("", values)
        text += " \(value)\n".utf8
    }

    /// Adds a histogram: its buckets, sum and count.
    package mutating func add(_ values: [String], _ histogram: Histogram) {
        var count: UInt64 = 0
        for (index, bucket) in histogram.counts.enumerated() {
            count += bucket
            let bound =
                index < Histogram.bounds.count
                ? Self.seconds(microseconds: Histogram.bounds[index]) : "+Inf"
            begin("_bucket", values, bound: bound)
            text += " \(count)\n".utf8
        }
        begin("_sum", values)
        text += " \(Self.seconds(microseconds: histogram.sum))\n".utf8
        begin("_count", values)
        text += " \(count)\n".utf8
    }

    // MARK: - Writing

    private mutating func begin(_ suffix: String, _ values: [String], bound: String? = nil) {
        precondition(values.count == measure.labels.count, "\(measure.name) has other labels")
        text += measure.name.utf8
        text += suffix.utf8
        var sign = UInt8(ascii: "{")
        for (label, value) in zip(measure.labels, values) {
            append(label, value, after: &sign)
        }
        if let bound { append("le", bound, after: &sign) }
        if sign == UInt8(ascii: ",") { text.append(UInt8(ascii: "}")) }
    }

    private mutating func append(_ label: String, _ value: String, after sign: inout UInt8) {
        text.append(sign)
        sign = UInt8(ascii: ",")
        text += label.utf8
        text += "=\"".utf8
        append(value, escapingQuotes: true)
        text.append(UInt8(ascii: "\""))
    }

    /// Escapes what the format does: backslash and line feed, and in a label the quote.
    private mutating func append(_ value: String, escapingQuotes: Bool) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): text += "\\\\".utf8
            case UInt8(ascii: "\n"): text += "\\n".utf8
            case UInt8(ascii: "\"") where escapingQuotes: text += "\\\"".utf8
            default: text.append(byte)
            }
        }
    }

    /// Such as `0.025` or `12`: exact, as no floating-point number would be.
    static func seconds(microseconds: UInt64) -> String {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return "\(whole)" }
        var digits = "\(rest)"
        digits = String(repeating: "0", count: 6 - digits.utf8.count) + digits
        while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}
