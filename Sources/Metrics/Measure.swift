/// What is measured: a family of the Prometheus text format, and a row in README.md's table.
///
/// A name is never changed once it is used: alert rules and dashboards refer to it.
package struct Measure: Sendable, Hashable {
    /// The format's types that we have a use for.
    package enum Sort: String, Sendable, Hashable {
        /// Only grows, and begins with 0 when the process does; the name ends with `_total`.
        case counter
        case gauge
        case histogram
    }

    package let sort: Sort
    package let name: String
    /// The labels' names, in the order in which ``MetricFamily/add(_:_:)`` takes their values.
    package let labels: [String]
    /// One sentence without full stop.
    package let help: String

    /// A measure whose samples are told apart by labels.
    package init(_ sort: Sort, _ name: String, _ labels: [String], _ help: String) {
        self.sort = sort
        self.name = name
        self.labels = labels
        self.help = help
    }

    /// A measure of one sample.
    package init(_ sort: Sort, _ name: String, _ help: String) {
        self.init(sort, name, [], help)
    }
}
