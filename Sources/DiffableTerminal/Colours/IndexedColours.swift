/// The 240 fixed colours of a 256-colour terminal: a cube and a row of greys. The first 16 are left out, because users can
/// change them.
enum IndexedColours {
    private static let all: [(index: UInt8, colour: RGB, luminance: Double)] = (16...255).map {
        ($0, colour($0), colour($0).luminance)
    }

    static func colour(_ index: UInt8) -> RGB {
        let index = Int(index)
        if index >= 232 {
            let grey = UInt8(8 + (index - 232) * 10)
            return RGB(grey, grey, grey)
        }
        func part(_ step: Int) -> UInt8 { step == 0 ? 0 : UInt8(55 + step * 40) }
        let place = index - 16
        return RGB(part(place / 36), part(place / 6 % 6), part(place % 6))
    }

    static func nearest(to colour: RGB) -> UInt8 {
        all.min { $0.colour.distance(to: colour) < $1.colour.distance(to: colour) }!.index
    }

    private static let greys = all.filter { $0.colour.red == $0.colour.green && $0.colour.green == $0.colour.blue }

    /// Returns the grey for lines on a background: lighter than a dark background, darker than a light one, and with the nearest
    /// contrast.
    static func line(on ground: RGB, contrast: Double) -> UInt8 {
        let luminance = ground.luminance
        let isLighter = ground.opposite == .white
        func distance(_ grey: Double) -> Double { abs(RGB.contrast(grey, luminance) - contrast) }
        return greys.filter { isLighter ? $0.luminance > luminance : $0.luminance < luminance }
            .min { distance($0.luminance) < distance($1.luminance) }?.index ?? (isLighter ? 231 : 16)
    }

    /// Returns the nearest of these colours that is readable on a background; black or white always is.
    ///
    /// - Parameter isGrey: limits the search to greys. The colour nearest to an unreadable grey is a purple or a green.
    static func nearest(to colour: RGB, readableOn ground: RGB, contrast: Double, isGrey: Bool) -> UInt8 {
        let luminance = ground.luminance
        return (isGrey ? greys : all).filter { RGB.contrast($0.luminance, luminance) >= contrast }
            .min { $0.colour.distance(to: colour) < $1.colour.distance(to: colour) }?.index
            ?? (ground.opposite == .white ? 231 : 16)
    }
}
