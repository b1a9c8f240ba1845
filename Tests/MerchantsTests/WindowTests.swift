import Clocks
import Merchants
import Testing

@Suite struct WindowTests {
    @Test func `what names both beats a merchant, and that a kind`() throws {
        let shop = try MerchantIdentifier("merchant.com.example.shop")
        let other = try MerchantIdentifier("merchant.com.example.other")
        let texts = [
            "payment-processing due=90 warning=45", "merchant.com.example.shop due=80 warning=40",
            "merchant.com.example.shop payment-processing critical=14",
        ]
        let table = WindowTable(exceptions: try texts.map { try #require(WindowException($0)) })
        #expect(table.windows(for: other, .merchantIdentity) == Windows())
        #expect(
            table.windows(for: other, .paymentProcessing)
                == Windows(dueDays: 90, warningDays: 45, criticalDays: 7))
        #expect(
            table.windows(for: shop, .paymentProcessing)
                == Windows(dueDays: 80, warningDays: 40, criticalDays: 14))
        #expect(
            table.windows(for: shop, .merchantIdentity)
                == Windows(dueDays: 80, warningDays: 40, criticalDays: 7))
        #expect(table.isOrdered)
        // In words again as they were read.
        #expect(
            table.exceptions.map(\.description)
                == texts.map { text in
                    text.hasPrefix("payment") ? text : text
                })
    }

    @Test(
        arguments: [
            "", "due=90", "payment-processing", "payment-processing due=0",
            "payment-processing due=366", "payment-processing due=1 due=2", "nonsense due=9",
            "payment-processing merchant-identity due=9", "payment-processing early=9",
            "payment-processing due=9=9", "payment-processing due=+90", "payment-processing due=",
        ])
    func `what is no exception is refused`(text: String) {
        #expect(WindowException(text) == nil)
    }

    @Test func `critical before warning before due, everywhere`() throws {
        let inverted = try #require(WindowException("payment-processing warning=5"))
        #expect(!WindowTable(exceptions: [inverted]).isOrdered)
        let mixed = try #require(WindowException("merchant.com.example.shop due=20"))
        #expect(!WindowTable(exceptions: [mixed]).isOrdered)
    }

    @Test func `the due date is when it becomes due, to the second`() {
        let end = FactSamples.now
        let windows = Windows()
        let date = windows.dueDate(of: end)
        #expect(windows.isDue(end, at: date))
        #expect(!windows.isDue(end, at: date.adding(seconds: -1)))
    }

    @Test(
        arguments: [
            // A leap day, the year from which certificates write four digits (RFC 5280 §4.1.2.5), and
            // the end of 32-bit seconds.
            ("2028-02-28T12:00:00Z", "2028-03-29T12:00:00Z", 30),
            ("2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z", 1),
            ("2049-12-25T00:00:00Z", "2050-01-01T00:00:00Z", 7),
            ("2049-12-31T23:59:59Z", "2050-01-01T00:00:00Z", 0),
            ("2050-01-01T00:00:01Z", "2050-01-01T00:00:00Z", -1),
            ("2038-01-18T03:14:07Z", "2038-01-19T03:14:08Z", 1),
        ] as [(String, String, Int64)])
    func `days are counted right across every boundary`(
        now: String, end: String, days: Int64
    ) throws {
        let now = try #require(Timestamp(rfc3339: now))
        let end = try #require(Timestamp(rfc3339: end))
        #expect(end.days(since: now) == days)
        #expect(
            Windows().urgency(of: end, at: now) == (days <= 7 ? .critical : .warning))
        // A clock that is an hour off moves a boundary by that hour and nothing else.
        for off: Int64 in [-3_600, 3_600] {
            let seen = end.days(since: now.adding(seconds: off))
            #expect(abs(seen - days) <= 1)
            #expect(end.days(since: now.adding(seconds: off).adding(seconds: -off)) == days)
        }
    }
}
