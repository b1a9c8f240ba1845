import CFuzzer
import Glibc

// fuzz TARGET [libFuzzer's arguments]: calls one parser with millions of inputs.

/// Which parser; set once, before the driver starts.
nonisolated(unsafe) private var target = FuzzTarget.foreign

/// By this name, because the library's own main, which is linked too and never runs, asks for it.
@_cdecl("LLVMFuzzerTestOneInput")
func one(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    target.run(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

guard CommandLine.argc >= 2, let chosen = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
    print(FuzzTarget.allCases.map(\.rawValue).joined(separator: "\n"))
    exit(CommandLine.argc >= 2 ? 64 : 0)
}
target = chosen
// The driver sees its own arguments only.
var arguments: [UnsafeMutablePointer<CChar>?] =
    ([CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)).map { strdup($0) } + [nil]
var count = Int32(arguments.count - 1)
let status = arguments.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return withUnsafeMutablePointer(to: &start) { pointer in
        pointer.withMemoryRebound(
            to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self, capacity: 1
        ) { LLVMFuzzerRunDriver(&count, $0, one) }
    }
}
exit(status)
