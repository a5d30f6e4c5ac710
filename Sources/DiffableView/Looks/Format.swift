import DiffableJSON

/// The time at which texts are drawn, and the viewer's time zone.
package struct WallClock: Sendable {
    /// Milliseconds since 1970.
    package var now: Int
    /// The seconds that local time is ahead of UTC, at a time in seconds since 1970.
    package var offset: @Sendable (Int) -> Int

    package init(now: Int = 0, offset: @escaping @Sendable (Int) -> Int = { _ in 0 }) {
        (self.now, self.offset) = (now, offset)
    }
}

/// A text that is drawn for a value.
package struct FormattedText: Equatable, Sendable {
    package var text: String
    /// When the text will be another one, in milliseconds since 1970; nil: never.
    package var changesAt: Int?
}

/// How a value is written: a time (an ISO date, or seconds or milliseconds since 1970) or a number.
package enum Format: String, CaseIterable, Sendable {
    case age, date, time, duration, bytes, number, percent

    /// Nil for a value of a wrong type, which is drawn without a format.
    package func text(_ value: ContentValue, _ clock: WallClock) -> FormattedText? {
        switch self {
        case .age: Self.milliseconds(value, clock).map { Self.age($0, clock.now) }
        case .date: Self.milliseconds(value, clock).map { FormattedText(text: Self.local($0, clock).date) }
        case .time: Self.milliseconds(value, clock).map { Self.time($0, clock) }
        case .duration: Self.number(value).map { FormattedText(text: Self.signed($0, Self.duration)) }
        case .bytes: Self.number(value).map { FormattedText(text: Self.signed($0, Self.bytes)) }
        case .number: Self.number(value).map { FormattedText(text: Self.signed($0, Self.grouped)) }
        case .percent: Self.number(value).map { FormattedText(text: Self.signed($0 * 100, Self.whole) + "%") }
        }
    }
}

// MARK: - Numbers

extension Format {
    /// Larger numbers are not exact in every viewer.
    private static let numberMax = 1e15

    static func number(_ value: ContentValue) -> Double? {
        let number: Double? =
            switch value {
            case .number(let text): Double(text)
            // Programs that read tables may publish numbers as text.
            case .text(let text) where text.utf8.allSatisfy { isDigit($0) || "-.".utf8.contains($0) }: Double(text)
            default: nil
            }
        return number.flatMap { abs($0) < numberMax ? $0 : nil }
    }

    private static func signed(_ number: Double, _ text: (Double) -> String) -> String {
        let text = text(abs(number))
        return number < 0 && text.contains { "123456789".contains($0) } ? "-" + text : text
    }

    private static func whole(_ number: Double) -> String { "\(Int(number.rounded()))" }

    /// `1,234.5`: at most two decimals.
    private static func grouped(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        var digits = Array("\(hundredths / 100)")
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        let (tenth, hundredth) = (hundredths / 10 % 10, hundredths % 10)
        let decimals = hundredth > 0 ? ".\(tenth)\(hundredth)" : tenth > 0 ? ".\(tenth)" : ""
        return String(digits) + decimals
    }

    /// `812 B`, `4.2 MB`, `42 MB`.
    private static func bytes(_ number: Double) -> String {
        var number = number.rounded()
        if number < 1_000 { return whole(number) + " B" }
        for unit in ["kB", "MB", "GB", "TB", "PB"] {
            number /= 1_000
            let tenths = Int((number * 10).rounded())
            if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
            if number.rounded() < 1_000 || unit == "PB" { return "\(whole(number)) \(unit)" }
        }
        return ""
    }

    private static let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")]

    /// `350 ms`, `42 s`, `3 min 5 s`, `2 d 3 h`: a number of seconds in its two largest units.
    private static func duration(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1_000).rounded())
        guard let first = units.firstIndex(where: { milliseconds >= $0.0 }) else { return "0 s" }
        let (unit, name) = units[first]
        let text = "\(milliseconds / unit) \(name)"
        guard first < 3 else { return text }
        let (next, nextName) = units[first + 1]
        let rest = milliseconds % unit / next
        return rest == 0 ? text : "\(text) \(rest) \(nextName)"
    }
}

// MARK: - Times

extension Format {
    /// `42 s`, `5 min`, `9 h`, `12 d`, `3 y`; `in 5 min` for a time that has not come yet.
    private static func age(_ time: Int, _ now: Int) -> FormattedText {
        let units = [(31_536_000_000, "y")] + units
        let distance = abs(now - time)
        let (unit, name) = units.first { distance >= $0.0 && $0.0 >= 1_000 } ?? (1_000, "s")
        let count = distance / unit
        let isComing = now < time && count > 0
        return FormattedText(
            text: "\(isComing ? "in " : "")\(count) \(name)",
            changesAt: isComing ? time - count * unit + 1 : time + (now < time ? 1 : count + 1) * unit)
    }

    /// `18:40`; on another day `2026-11-23 18:40`.
    private static func time(_ time: Int, _ clock: WallClock) -> FormattedText {
        let (date, text) = local(time, clock)
        if date != local(clock.now, clock).date { return FormattedText(text: "\(date) \(text)") }
        let offset = clock.offset(floorDivided(clock.now, 1_000)) * 1_000
        let day = 86_400_000
        return FormattedText(text: text, changesAt: (floorDivided(clock.now + offset, day) + 1) * day - offset)
    }

    private static func local(_ time: Int, _ clock: WallClock) -> (date: String, time: String) {
        let seconds = floorDivided(time, 1_000)
        let local = seconds + clock.offset(seconds)
        let days = floorDivided(local, 86_400)
        let minutes = (local - days * 86_400) / 60
        let (year, month, day) = date(days)
        return ("\(year)-\(two(month))-\(two(day))", "\(two(minutes / 60)):\(two(minutes % 60))")
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func floorDivided(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
    }

    /// The times of a number below this are seconds, the others milliseconds: years 5138 and 1973.
    private static let secondsMax = 1e11
    /// The times of JavaScript.
    private static let timeMax = 8.64e15

    private static func milliseconds(_ value: ContentValue, _ clock: WallClock) -> Int? {
        if case .number(let text) = value, let number = Double(text), abs(number) <= timeMax {
            return Int((abs(number) < secondsMax ? number * 1_000 : number).rounded(.down))
        }
        if let number = number(value) { return milliseconds(.number("\(number)"), clock) }
        return value.text.flatMap { milliseconds(ofISODate: $0, clock) }
    }

    /// Reads `2026-11-23`, `2026-11-23T18:40:07.5Z`, `2026-11-23 18:40+01:00`. Without a zone, it is a local time.
    private static func milliseconds(ofISODate text: String, _ clock: WallClock) -> Int? {
        var text = text.utf8[...]
        func take(_ marks: String) -> Bool {
            guard let first = text.first, marks.utf8.contains(first) else { return false }
            text = text.dropFirst()
            return true
        }
        func number(_ count: Int, _ range: ClosedRange<Int>) -> Int? {
            let digits = text.prefix(count)
            guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
            text = text.dropFirst(count)
            return Int(String(digits)!).flatMap { range.contains($0) ? $0 : nil }
        }
        guard let year = number(4, 0...9_999), take("-"), let month = number(2, 1...12), take("-"),
            let day = number(2, 1...31)
        else { return nil }
        var wall = days(year, month, day) * 86_400_000
        var offset: Int?
        if !text.isEmpty {
            guard take("T "), let hour = number(2, 0...24), take(":"), let minute = number(2, 0...59) else {
                return nil
            }
            wall += (hour * 60 + minute) * 60_000
            if take(":") {
                guard let second = number(2, 0...60) else { return nil }
                wall += second * 1_000
                if take(".,") {
                    let digits = text.prefix(while: isDigit)
                    text = text.dropFirst(digits.count)
                    wall +=
                        Int(String(digits.prefix(3))! + String(repeating: "0", count: max(3 - digits.count, 0))) ?? 0
                }
            }
            _ = take(" ")
            let isWest = text.first == UInt8(ascii: "-")
            if take("Z") {
                offset = 0
            } else if take("+-") {
                guard let hours = number(2, 0...23) else { return nil }
                _ = take(":")
                guard let minutes = text.isEmpty ? 0 : number(2, 0...59) else { return nil }
                offset = (hours * 60 + minutes) * (isWest ? -60 : 60)
            }
            guard text.isEmpty else { return nil }
        }
        // The offset at the time itself, which is not known before the offset is.
        let seconds = floorDivided(wall, 1_000)
        return wall - (offset ?? clock.offset(seconds - clock.offset(seconds))) * 1_000
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// Days from 1970 to a date of the Gregorian calendar. The calculation begins years in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = floorDivided(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let era = floorDivided(days, 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day)
    }
}

// MARK: - Members

extension ContentValue {
    /// The text of `{"value":…,"format":"age"}`, or of a text itself; nil for anything else.
    func shownText(_ clock: WallClock?) -> FormattedText? {
        if let text { return FormattedText(text: harmlessText(text)) }
        guard let clock, let format = self["format"]?.text.flatMap(Format.init), let value = self["value"] else {
            return nil
        }
        if let text = format.text(value, clock) { return text }
        switch value {
        case .text(let text): return FormattedText(text: harmlessText(text))
        case .number(let text): return FormattedText(text: text)
        default: return nil
        }
    }
}

/// The earlier of two times, where nil is never.
func earlier(_ a: Int?, _ b: Int?) -> Int? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
}
