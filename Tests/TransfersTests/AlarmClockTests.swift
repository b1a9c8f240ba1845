import Testing

@testable import Transfers

@Suite struct AlarmClockTests {
    @Test func `alarms ring in the order of their moments, however they were set and moved`() {
        var generator = SystemRandomNumberGenerator()
        var clock = AlarmClock()
        var wanted: [ObjectIdentifier: Int64] = [:]
        let alarms = (0..<200).map { _ in Alarm {} }
        for _ in 0..<5_000 {
            let alarm = alarms[Int.random(in: 0..<200, using: &generator)]
            if Bool.random(using: &generator) {
                let moment = Int64.random(in: 0..<1_000, using: &generator)
                clock.set(alarm, at: Moment(nanoseconds: moment))
                wanted[ObjectIdentifier(alarm)] = moment
            } else {
                clock.cancel(alarm)
                wanted[ObjectIdentifier(alarm)] = nil
            }
            #expect(clock.next?.nanoseconds == wanted.values.min())
        }
        #expect(clock.takeDue(at: Moment(nanoseconds: -1)) == nil)
        var last: Int64 = -1
        var rung = 0
        while let alarm = clock.takeDue(at: Moment(nanoseconds: 1_000)) {
            #expect(alarm.due.nanoseconds >= last)
            #expect(wanted[ObjectIdentifier(alarm)] == alarm.due.nanoseconds)
            #expect(!alarm.isSet)
            last = alarm.due.nanoseconds
            rung += 1
        }
        #expect(rung == wanted.count)
    }

    @Test func `durations are rounded up, so that nothing ends early`() {
        #expect(Duration.microseconds(1).milliseconds == 1)
        #expect(Duration.milliseconds(1).milliseconds == 1)
        #expect(Duration.milliseconds(1001).wholeSeconds == 2)
        #expect(Duration.seconds(-5.5).milliseconds == 0)
        #expect(Duration.seconds(Int64.max / 2).milliseconds > 0)
    }
}
