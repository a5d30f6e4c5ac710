// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The arrows of ARCHITECTURE.md: the compiler keeps them one-way, and Tests/ProjectTests checks the imports.
let package = Package(
    name: "diffabled",
    products: [
        .library(name: "Diffable", targets: ["Diffable"]),
        .library(name: "DiffableClient", targets: ["DiffableClient"]),
        .executable(name: "diffabled", targets: ["diffabled"]),
        .executable(name: "diffablectl", targets: ["diffablectl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "Diffable", swiftSettings: settings),
        .target(name: "DiffableJSON", dependencies: ["Diffable"], swiftSettings: settings),
        .target(name: "DiffableProtocol", dependencies: ["DiffableJSON"], swiftSettings: settings),
        .target(
            name: "DiffableStore",
            dependencies: [
                "DiffableJSON",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .target(
            name: "DiffableServer",
            dependencies: [
                "DiffableStore", "DiffableProtocol",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .target(
            name: "DiffableClient",
            dependencies: [
                "Diffable", "DiffableProtocol",
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "CResidentMemory"),
        .target(
            name: "Systemd",
            dependencies: ["CSystemd", .product(name: "Logging", package: "swift-log")],
            swiftSettings: settings),
        .executableTarget(
            name: "diffabled",
            dependencies: [
                "CResidentMemory", "DiffableJSON", "DiffableProtocol", "DiffableServer", "DiffableStore", "Systemd",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "diffablectl",
            dependencies: [
                "Diffable", "DiffableClient", "DiffableJSON", "DiffableProtocol",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["Diffable"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "DiffableTests", dependencies: ["Diffable", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "DiffableJSONTests", dependencies: ["Diffable", "DiffableJSON", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DiffableProtocolTests", dependencies: ["Diffable", "DiffableJSON", "DiffableProtocol"],
            swiftSettings: settings),
        .testTarget(
            name: "DiffableStoreTests",
            dependencies: [
                "Diffable", "DiffableJSON", "DiffableStore", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DiffableServerTests",
            dependencies: ["Diffable", "DiffableJSON", "DiffableProtocol", "DiffableServer", "DiffableStore"],
            swiftSettings: settings),
        .testTarget(
            name: "DiffableClientTests",
            dependencies: ["Diffable", "DiffableClient", "DiffableJSON", "DiffableProtocol", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SystemdTests",
            dependencies: ["Systemd", "TestSupport", "diffabled", .product(name: "Logging", package: "swift-log")],
            swiftSettings: settings),
        .testTarget(
            name: "DiffabledTests",
            dependencies: [
                "Diffable", "DiffableServer", "DiffableStore", "diffabled", "Systemd",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DiffableCtlTests", dependencies: ["Diffable", "DiffableClient", "DiffableJSON", "diffablectl"],
            swiftSettings: settings),
        // Its folder FuzzTargets is a symbolic link: the package Fuzzing feeds the same code from libFuzzer.
        .testTarget(
            name: "FuzzingTests",
            dependencies: ["Diffable", "DiffableJSON", "DiffableProtocol", "DiffableStore", "diffablectl"],
            swiftSettings: settings),
        .testTarget(name: "ProjectTests", swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Diffable", "DiffableClient", "DiffableJSON", "DiffableProtocol", "TestSupport", "diffabled",
                "diffablectl",
            ],
            exclude: ["Conformance/follow.py", "Conformance/patches.py"],
            swiftSettings: settings),
    ]
)
