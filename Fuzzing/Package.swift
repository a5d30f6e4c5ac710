// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A separate package, for the same reasons as Benchmarks: the modules under test are symbolic links to the daemon's sources.
// From DiffableStore and DiffableInput, it has only the files that decode.
let package = Package(
    name: "Fuzzing",
    targets: [
        .target(name: "Diffable", swiftSettings: settings),
        .target(name: "DiffableJSON", dependencies: ["Diffable"], swiftSettings: settings),
        .target(name: "DiffableView", dependencies: ["DiffableJSON"], swiftSettings: settings),
        .target(name: "DiffableProtocol", dependencies: ["DiffableJSON"], swiftSettings: settings),
        .target(name: "DiffableStore", dependencies: ["DiffableJSON"], swiftSettings: settings),
        .target(name: "DiffableInput", dependencies: ["Diffable"], swiftSettings: settings),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Diffable", "DiffableJSON", "DiffableView", "DiffableProtocol", "DiffableStore", "DiffableInput",
            ],
            swiftSettings: settings),
        .executableTarget(name: "Fuzz", dependencies: ["FuzzTargets"], swiftSettings: settings),
        .executableTarget(name: "SlowLines", dependencies: ["FuzzTargets"], swiftSettings: settings),
    ]
)
