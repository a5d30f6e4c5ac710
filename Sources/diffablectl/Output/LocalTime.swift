import Glibc

/// The seconds that the user's time zone is ahead of UTC, at a time in seconds since 1970.
@Sendable func zoneOffset(_ seconds: Int) -> Int {
    var seconds = time_t(seconds)
    var parts = tm()
    return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
}

/// Milliseconds since 1970.
func wallTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
}

/// `2026-11-21 19:51:02` in the user's time zone.
func localTime(milliseconds: Int) -> String {
    var seconds = time_t(milliseconds / 1_000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let length = strftime(&text, text.count, "%Y-%m-%d %H:%M:%S", &parts)
    return String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
