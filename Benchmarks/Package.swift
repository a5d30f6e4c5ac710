// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let cSettings: [CSetting] = [
    .define("_GNU_SOURCE"),
    .enableWarning("all"),
    .enableWarning("extra"),
    .treatAllWarnings(as: .error),
]

// A separate package, so that building the daemon does not build this. It has no dependencies: the modules under test are
// symbolic links to the daemon's sources, so building it fetches nothing and can use `package` symbols.
let package = Package(
    name: "Benchmarks",
    targets: [
        .target(name: "Diffable", swiftSettings: settings),
        .target(name: "DiffableJSON", dependencies: ["Diffable"], swiftSettings: settings),
        .target(name: "DiffableProtocol", dependencies: ["DiffableJSON"], swiftSettings: settings),
        .target(name: "Instruments", cSettings: cSettings),
        .executableTarget(
            name: "CoreBenchmark", dependencies: ["Instruments", "Diffable", "DiffableJSON", "DiffableProtocol"],
            swiftSettings: settings),
        .executableTarget(name: "LoadGenerator", cSettings: cSettings),
        .executableTarget(name: "LimitServer", cSettings: cSettings),
    ],
    cLanguageStandard: .gnu17
)
