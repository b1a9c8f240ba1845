import Networks
import TestSupport
import Testing

@Suite struct NetworkRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.8", false), ("0.0.0.0/0", "203.0.113.9", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/32", "2001:db9::", false), ("::/0", "192.0.2.7", false),
        ("192.0.2.4/31", "192.0.2.5", true), ("192.0.2.4/31", "192.0.2.6", false),
    ])
    func `an address is in a range or not`(range: String, address: String, isIn: Bool) throws {
        let address = try #require(IPAddress(address))
        #expect(try NetworkRange(range).contains(address) == isIn)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08x",
        "10.0.0/8", "::/129", "localhost/8", "fe80::1%eth0/64", "10.0.0.0/8/8", " 10.0.0.0/8",
    ])
    func `what is no range is refused`(text: String) {
        #expect(throws: NetworkRange.Malformed.self) { try NetworkRange(text) }
    }

    @Test func `bits behind the length are a slip, and what was meant is told`() {
        #expect(
            throws: NetworkRange.Malformed(
                what: "it has bits behind its length", use: "10.0.0.0/8")
        ) { try NetworkRange("10.1.2.3/8") }
    }

    /// Python's ipaddress decides thousands of random questions as ours does.
    @Test func `python agrees`() throws {
        var questions: [(range: NetworkRange, address: IPAddress)] = []
        for _ in 0..<2_000 {
            let size = Bool.random() ? 4 : 16
            let base = (0..<size).map { _ in UInt8.random(in: 0...255) }
            let length = Int.random(in: 0...size * 8)
            var masked = base
            for bit in length..<size * 8 { masked[bit / 8] &= ~(0x80 >> UInt8(bit % 8)) }
            var near = base
            if Bool.random() { near[Int.random(in: 0..<size)] ^= 1 << UInt8.random(in: 0..<8) }
            guard let first = IPAddress(bytes: masked), let address = IPAddress(bytes: near),
                first.bytes.count == size, address.bytes.count == size
            else { continue }
            questions.append((try NetworkRange("\(first)/\(length)"), address))
        }
        let script = """
            import ipaddress, sys
            for line in sys.stdin:
                range, address = line.split()
                print(ipaddress.ip_address(address) in ipaddress.ip_network(range))
            """
        let input = questions.map { "\($0.range) \($0.address)\n" }.joined()
        let result = try ForeignProcess.run("python3", ["-c", script], input: Array(input.utf8))
        let answers = result.text.split(separator: "\n").map { $0 == "True" }
        #expect(answers == questions.map { $0.range.contains($0.address) })
        #expect(answers.contains(true) && answers.contains(false))
    }
}
