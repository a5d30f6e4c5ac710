import FuzzTargets
import Glibc

// libFuzzer has the program's main function, and calls this one for every input. The environment names the target.

/// Most CPU time for reading a line, in seconds. Everything is several times slower here than in the daemon: the code counts its
/// branches and checks the shadow of every address.
private let decodeTimeMax = 0.05

private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fail("FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(name)\"")
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    // Three times, because the first may have waited for memory.
    for attempt in 1...3 {
        let seconds = secondsToRun { target.decode(bytes) }
        if seconds <= decodeTimeMax { break }
        if attempt == 3 { fail("reading \(count) bytes takes \(seconds) seconds of processor time") }
    }
    do {
        try target.check(bytes)
    } catch {
        fail("\(error)")
    }
    return 0
}

/// Stops the program, so that libFuzzer keeps the input.
private func fail(_ sentence: String) -> Never {
    let line = Array("\(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    abort()
}
