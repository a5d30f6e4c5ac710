import Glibc

/// One measured time, as a line of JSON.
struct Measurement {
    let workload: String
    let engine: String
    let items: Int
    let round: Int
    let nanoseconds: Double

    init(_ workload: String, _ engine: String = "diffable", items: Int, round: Int, nanoseconds: Double) {
        (self.workload, self.engine, self.items) = (workload, engine, items)
        (self.round, self.nanoseconds) = (round, nanoseconds)
    }

    func print() {
        Self.write(
            #"{"workload":"\#(workload)","engine":"\#(engine)","items":\#(items),"round":\#(round),"#
                + #""nanoseconds":\#((nanoseconds * 10).rounded() / 10)}"#)
    }

    static func printMoves(_ workload: String, items: Int, _ moves: (made: Int, fewest: Int)) {
        write(#"{"workload":"\#(workload)","items":\#(items),"moves":\#(moves.made),"fewestMoves":\#(moves.fewest)}"#)
    }

    static func printBytes(_ what: String, items: Int, _ bytes: Double) {
        write(#"{"workload":"memory of \#(what)","items":\#(items),"bytes":\#((bytes * 10).rounded() / 10)}"#)
    }

    /// Flushes each line, so that the reader sees the progress.
    private static func write(_ line: String) {
        Swift.print(line)
        fflush(nil)
    }
}

/// Returns this thread's CPU time in nanoseconds, which depends less on the machine's load than elapsed time.
func processorTime(of body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
}
