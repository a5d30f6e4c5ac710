import Glibc

/// Returns this thread's CPU time for the body, in seconds, without waiting.
package func secondsToRun(_ body: () -> Void) -> Double {
    let start = processorTime()
    body()
    return processorTime() - start
}

private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
