import TestSupport
import Testing

@testable import Metrics

/// The text format, judged by Prometheus's own tool.
@Suite struct MetricFamilyTests {
    private func text(_ family: MetricFamily) -> String {
        String(decoding: family.text, as: UTF8.self)
    }

    @Test func `a family stands together under its HELP and TYPE`() {
        var family = MetricFamily(Measure(.counter, "a_total", ["x", "y"], "Things"))
        family.add(["1", ""], 3)
        family.add(["2", "z"], .max)
        #expect(
            text(family)
                == """
                # HELP a_total Things
                # TYPE a_total counter
                a_total{x="1",y=""} 3
                a_total{x="2",y="z"} 9223372036854775807

                """)
        #expect(
            text(MetricFamily(Measure(.gauge, "b", "Temperature"), -3))
                == "# HELP b Temperature\n# TYPE b gauge\nb -3\n")
    }

    @Test func `labels and help cannot break out of their places`() {
        var family = MetricFamily(Measure(.gauge, "a", ["x"], "a \"quote\", a \\ and a\nline"))
        family.add(["\"} 1\na{x=\"\\"], 1)
        family.add(["ünïcode 🍎"], 2)
        #expect(
            text(family)
                == #"""
                # HELP a a "quote", a \\ and a\nline
                # TYPE a gauge
                a{x="\"} 1\na{x=\"\\"} 1
                a{x="ünïcode 🍎"} 2

                """#)
    }

    @Test func `a histogram's buckets are cumulative, and its bounds belong to them`() {
        var histogram = Histogram()
        for milliseconds in [-3, 0, 5, 6, 1_000, 1_001, 60_000] {
            histogram.observe(.milliseconds(milliseconds))
        }
        histogram.observe(.microseconds(5_001))
        var other = Histogram()
        other.observe(.nanoseconds(1_999))
        histogram.add(other)
        #expect(histogram.count == 9)
        var family = MetricFamily(Measure(.histogram, "t_seconds", ["o"], "Times"))
        family.add(["ok"], histogram)
        let lines = text(family).split(separator: "\n").dropFirst(2).map(String.init)
        #expect(
            lines == [
                "t_seconds_bucket{o=\"ok\",le=\"0.005\"} 4",
                "t_seconds_bucket{o=\"ok\",le=\"0.01\"} 6",
                "t_seconds_bucket{o=\"ok\",le=\"0.025\"} 6",
                "t_seconds_bucket{o=\"ok\",le=\"0.05\"} 6",
                "t_seconds_bucket{o=\"ok\",le=\"0.1\"} 6",
                "t_seconds_bucket{o=\"ok\",le=\"0.25\"} 6",
                "t_seconds_bucket{o=\"ok\",le=\"0.5\"} 6",
                "t_seconds_bucket{o=\"ok\",le=\"1\"} 7",
                "t_seconds_bucket{o=\"ok\",le=\"2.5\"} 8",
                "t_seconds_bucket{o=\"ok\",le=\"5\"} 8",
                "t_seconds_bucket{o=\"ok\",le=\"10\"} 8",
                "t_seconds_bucket{o=\"ok\",le=\"+Inf\"} 9",
                "t_seconds_sum{o=\"ok\"} 62.017002", "t_seconds_count{o=\"ok\"} 9",
            ])
    }

    @Test(
        arguments: [
            (0, "0"), (1, "0.000001"), (25_000, "0.025"), (1_000_000, "1"), (1_500_000, "1.5"),
            (12_000_030, "12.00003"),
        ] as [(UInt64, String)])
    func `seconds are written exactly`(microseconds: UInt64, text: String) {
        #expect(MetricFamily.seconds(microseconds: microseconds) == text)
    }

    @Test func `promtool takes strange labels and every sort`() async throws {
        var strange = MetricFamily(Measure(.gauge, "purser_a_info", ["x"], "a \\ and a \n line"))
        strange.add(["\"\\\n} 1 #"], 1)
        strange.add([""], 1)
        var histogram = MetricFamily(Measure(.histogram, "purser_t_seconds", "Times"))
        histogram.add([], Histogram())
        let counter = MetricFamily(Measure(.counter, "purser_c_total", "Counts"), 1)
        let result = try await ForeignProcess.runBeside(
            "promtool", ["check", "metrics"], input: strange.text + histogram.text + counter.text)
        #expect(result.status == 0, "\(result.text)\(result.errorText)")
    }
}
