import Foundation

/// What is tried at each of many places: at a part of them, from a random one on, and at all of them in `make soak`.
enum Sweep {
    private static let environment = ProcessInfo.processInfo.environment
    static let isSoak = environment["DIFFABLED_SOAK"] != nil
    /// Whether nothing at all is left out, for hours. `DIFFABLED_SWEEP=whole swift test --filter StorageFaultTests`
    private static let isWhole = environment["DIFFABLED_SWEEP"] == "whole"

    /// - Parameters:
    ///   - step: one of so many is tried.
    ///   - stepInSoak: the same in `make soak`.
    ///   - what: for the line that says where it began.
    static func places(
        _ all: ClosedRange<Int>, every step: Int = 3, inSoak stepInSoak: Int = 1, of what: String
    ) -> [Int] {
        let step = isWhole ? 1 : isSoak ? stepInSoak : step
        let first = all.lowerBound + Int.random(in: 0..<step)
        let places = Array(stride(from: first, through: all.upperBound, by: step))
        print("sweep: \(what): \(places.count) of \(all.count), every \(step) from \(first)")
        return places
    }

    /// How often something random is tried, or how much of something is made: a third of what it is in `make soak`.
    static func count(_ countInSoak: Int) -> Int { isSoak || isWhole ? countInSoak : countInSoak / 3 }
}
