import Foundation

/// A choice of the places at which something is tried: some of them, from a random one on, or more of them in `make soak`.
enum Sweep {
    private static let environment = ProcessInfo.processInfo.environment
    static let isSoak = environment["DIFFABLED_SOAK"] != nil
    /// Whether to leave nothing out, which takes hours. `DIFFABLED_SWEEP=whole swift test --filter StorageFaultTests`
    private static let isWhole = environment["DIFFABLED_SWEEP"] == "whole"

    /// - Parameters:
    ///   - step: one of `step` places is tried.
    ///   - stepInSoak: the same in `make soak`.
    ///   - what: the name of the places in the line that this prints.
    static func places(
        _ all: ClosedRange<Int>, every step: Int = 3, inSoak stepInSoak: Int = 1, of what: String
    ) -> [Int] {
        let step = isWhole ? 1 : isSoak ? stepInSoak : step
        let first = all.lowerBound + Int.random(in: 0..<step)
        let places = Array(stride(from: first, through: all.upperBound, by: step))
        print("sweep: \(what): \(places.count) of \(all.count), every \(step) from \(first)")
        return places
    }

    /// Returns the number of random attempts or the size of test data: a third of that in `make soak`.
    static func count(_ countInSoak: Int) -> Int { isSoak || isWhole ? countInSoak : countInSoak / 3 }
}
