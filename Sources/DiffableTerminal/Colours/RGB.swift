import Glibc

/// An sRGB colour, 0 to 255 in each part.
package struct RGB: Hashable, Sendable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Creates a colour from `0xRRGGBB`.
    package init(_ number: UInt32) {
        self.init(
            UInt8(truncatingIfNeeded: number >> 16), UInt8(truncatingIfNeeded: number >> 8),
            UInt8(truncatingIfNeeded: number))
    }

    package static let black = RGB(0)
    package static let white = RGB(0xFFFFFF)

    /// Parses a terminal's reply: `rgb:1e1e/1e1e/2020` with one to four digits each, or `rgba:` with a fourth number.
    init?(terminalReply text: some StringProtocol) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0] == "rgb" || parts[0] == "rgba" else { return nil }
        let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false).map { digits -> UInt8? in
            guard 1...4 ~= digits.utf8.count, digits.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
                let number = Int(digits, radix: 16)
            else { return nil }
            let numberMax = 1 << (4 * digits.utf8.count) - 1
            return UInt8((number * 255 + numberMax / 2) / numberMax)
        }
        guard numbers.count >= 3, let red = numbers[0], let green = numbers[1], let blue = numbers[2] else {
            return nil
        }
        self.init(red, green, blue)
    }
}

extension RGB {
    /// The relative luminance (WCAG 2.2), from 0 to 1.
    package var luminance: Double {
        func linear(_ part: UInt8) -> Double {
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// Returns the contrast ratio (WCAG 2.2), from 1 (unreadable) to 21 (black on white). Text needs 4.5.
    package func contrast(with other: RGB) -> Double {
        Self.contrast(luminance, other.luminance)
    }

    static func contrast(_ a: Double, _ b: Double) -> Double { (max(a, b) + 0.05) / (min(a, b) + 0.05) }

    /// Black or white, whichever is more readable on this colour. The contrast is at least 4.58.
    var opposite: RGB { contrast(with: .white) >= contrast(with: .black) ? .white : .black }

    /// Returns this colour mixed with a part (0 to 1) of another one.
    func mixed(with other: RGB, _ part: Double) -> RGB {
        func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
            UInt8((Double(a) + (Double(b) - Double(a)) * part).rounded())
        }
        return RGB(mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
    }

    /// Returns this colour, moved towards black or white until it has the contrast.
    func readable(on ground: RGB, contrast: Double) -> RGB {
        let end = ground.opposite
        for step in 0..<20 {
            let colour = mixed(with: end, Double(step) / 20)
            if colour.contrast(with: ground) >= contrast { return colour }
        }
        return end
    }

    /// Returns a colour for lines on this background: a mixture with black or white that has the nearest contrast.
    func line(contrast: Double) -> RGB {
        let end = opposite
        return (0...100).lazy.map { self.mixed(with: end, Double($0) / 100) }
            .min { abs($0.contrast(with: self) - contrast) < abs($1.contrast(with: self) - contrast) }!
    }

    /// Returns the square of the "redmean" distance, times 256.
    func distance(to other: RGB) -> Int {
        let mean = (Int(red) + Int(other.red)) / 2
        let (r, g, b) = (Int(red) - Int(other.red), Int(green) - Int(other.green), Int(blue) - Int(other.blue))
        return (512 + mean) * r * r + 1024 * g * g + (767 - mean) * b * b
    }
}
