// swift-tools-version: 6.2

import PackageDescription

// The Makefile and scripts/test set DIFFABLED_STRICT, so our own builds treat warnings as errors. Without it, a newer compiler's
// warning does not break a program that depends on this package by a path.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (Context.environment["DIFFABLED_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])

// What `make test` and `make soak` build of the modules that do the work: with the optimizer and every check of a debug build,
// so that thousands of random cases take a third of the time. Of programs and what is around them the optimizer would take four
// fifths of the build, and nothing takes long there. No setting of the package, because SwiftPM lets nobody depend on one with
// such flags.
let optimized: [SwiftSetting] =
    settings
    + (Context.environment["DIFFABLED_OPTIMIZED"] == nil
        ? [] : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))])

// The arrows of ARCHITECTURE.md: the compiler keeps them one-way, and Tests/ProjectTests checks the imports.
let package = Package(
    name: "diffabled",
    // For the libraries alone, and untried: the programs need Linux.
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Diffable", targets: ["Diffable"]),
        .library(name: "DiffableClient", targets: ["DiffableClient"]),
        .executable(name: "diffabled", targets: ["diffabled"]),
        .executable(name: "diffablectl", targets: ["diffablectl"]),
        .executable(name: "diffable-feed", targets: ["diffable-feed"]),
        .executable(name: "diffable-web", targets: ["diffable-web"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "Diffable", swiftSettings: optimized),
        .target(
            name: "Files", dependencies: [.product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: optimized),
        .target(name: "DiffableJSON", dependencies: ["Diffable"], swiftSettings: optimized),
        .target(name: "DiffableView", dependencies: ["DiffableJSON"], swiftSettings: optimized),
        .target(name: "CTerminalRestore"),
        .target(
            name: "DiffableTerminal", dependencies: ["CTerminalRestore", "DiffableView"], swiftSettings: optimized),
        .target(name: "DiffableProtocol", dependencies: ["DiffableJSON"], swiftSettings: optimized),
        .target(
            name: "DiffableStore",
            dependencies: [
                "DiffableJSON", "Files",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: optimized),
        .target(
            name: "DiffableServer",
            dependencies: [
                "DiffableStore", "DiffableProtocol", "Files",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: optimized),
        .target(
            name: "DiffableClient",
            dependencies: [
                "Diffable", "DiffableProtocol",
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: optimized),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "CResidentMemory"),
        .target(name: "CNoLocaleData"),
        .target(name: "CProcessArguments"),
        .target(name: "ProcessArguments", dependencies: ["CProcessArguments"], swiftSettings: settings),
        .target(name: "CBootTimer"),
        .target(name: "CSQLiteGuard"),
        .target(
            name: "TaskThreads",
            dependencies: [
                "CBootTimer",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: optimized),
        .target(
            name: "Systemd",
            dependencies: ["CSystemd", .product(name: "Logging", package: "swift-log")],
            swiftSettings: settings),
        // Rows and programs as `apply` reads them.
        .target(name: "DiffableInput", dependencies: ["DiffableJSON", "DiffableView"], swiftSettings: optimized),
        .target(
            name: "DiffableFeed",
            dependencies: [
                "CSQLiteGuard", "DiffableClient", "DiffableInput", "Files", "Systemd",
                .product(name: "GRDBSQLite", package: "GRDB.swift"), .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "diffable-feed",
            dependencies: [
                "CNoLocaleData", "CResidentMemory", "DiffableFeed", "DiffableView", "Files", "ProcessArguments",
                "Systemd", "TaskThreads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        // The only module with HTTP: who serves no browser links none of it.
        .target(
            name: "DiffableWeb",
            dependencies: [
                "Diffable", "DiffableClient", "DiffableJSON", "DiffableProtocol", "Files",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "diffable-web",
            dependencies: [
                "CNoLocaleData", "CResidentMemory", "Diffable", "DiffableProtocol", "DiffableWeb", "Files",
                "ProcessArguments", "Systemd", "TaskThreads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "diffabled",
            dependencies: [
                "CNoLocaleData", "CResidentMemory", "DiffableJSON", "DiffableProtocol", "DiffableServer",
                "DiffableStore", "Files", "ProcessArguments", "Systemd", "TaskThreads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
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
                "CResidentMemory", "Diffable", "DiffableClient", "DiffableInput", "DiffableJSON", "DiffableProtocol",
                "DiffableTerminal", "DiffableView", "Files", "ProcessArguments", "TaskThreads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        // Examples, which ship as their source.
        .executableTarget(
            name: "scores", dependencies: ["DiffableClient", .product(name: "GRDB", package: "GRDB.swift")],
            path: "examples/scores", swiftSettings: settings),
        .executableTarget(
            name: "outline", dependencies: ["DiffableClient"], path: "examples/outline", swiftSettings: settings),
        // Nothing that ships: what `make bench` measures of the Swift client.
        .executableTarget(
            name: "FollowingBenchmark", dependencies: ["DiffableClient"], path: "Benchmarks/Following",
            swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["Diffable"], path: "Tests/TestSupport", swiftSettings: optimized),
        .testTarget(name: "DiffableTests", dependencies: ["Diffable", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "DiffableJSONTests", dependencies: ["Diffable", "DiffableJSON", "TestSupport"],
            exclude: ["Schema/schemas.py"], swiftSettings: settings),
        .testTarget(
            name: "DiffableViewTests",
            dependencies: ["Diffable", "DiffableJSON", "DiffableTerminal", "DiffableView", "TestSupport"],
            exclude: ["Looks/looks.json", "Layout/Snapshots", "Text/wcwidth.txt"], swiftSettings: settings),
        .systemLibrary(
            name: "CVterm", path: "Tests/CVterm", pkgConfig: "vterm", providers: [.apt(["libvterm-dev"])]),
        // Nothing that ships: what tests stop, kill and crash.
        .executableTarget(
            name: "TerminalTrial", dependencies: ["DiffableTerminal", "DiffableView"], path: "Tests/TerminalTrial",
            swiftSettings: settings),
        .testTarget(
            name: "DiffableTerminalTests",
            dependencies: ["CVterm", "DiffableTerminal", "DiffableView", "TerminalTrial", "TestSupport"],
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
            dependencies: [
                "Diffable", "DiffableJSON", "DiffableProtocol", "DiffableServer", "DiffableStore", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DiffableClientTests",
            dependencies: ["Diffable", "DiffableClient", "DiffableJSON", "DiffableProtocol", "TestSupport"],
            swiftSettings: settings),
        .testTarget(name: "TaskThreadsTests", dependencies: ["TaskThreads"], swiftSettings: settings),
        .testTarget(
            name: "SystemdTests",
            dependencies: ["Systemd", "TestSupport", "diffabled", .product(name: "Logging", package: "swift-log")],
            swiftSettings: settings),
        .testTarget(
            name: "DiffabledTests",
            dependencies: [
                "Diffable", "DiffableProtocol", "DiffableServer", "DiffableStore", "diffabled", "Systemd",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DiffableCtlTests",
            dependencies: [
                "Diffable", "DiffableClient", "DiffableInput", "DiffableJSON", "Files", "TestSupport", "diffablectl",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        // Its folder FuzzTargets is a symbolic link: the package Fuzzing feeds the same code from libFuzzer.
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "Diffable", "DiffableInput", "DiffableJSON", "DiffableProtocol", "DiffableStore", "DiffableView",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DiffableFeedTests",
            dependencies: ["Diffable", "DiffableFeed", "DiffableInput", "Systemd", "TestSupport"],
            exclude: ["SQLite/writer.py"], swiftSettings: settings),
        .testTarget(
            name: "DiffableWebTests",
            dependencies: [
                "Diffable", "DiffableProtocol", "DiffableWeb", "TestSupport", "diffable-web",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .testTarget(name: "ProjectTests", swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Diffable", "DiffableClient", "DiffableJSON", "DiffableProtocol", "DiffableServer", "DiffableStore",
                "TestSupport", "diffable-feed", "diffable-web", "diffabled", "diffablectl",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: [
                "Access/connect_often.py", "Access/swap_links.py", "Conformance/follow.py",
                "Conformance/follow_by_package.py", "Conformance/patches.py", "Limits/stalled_readers.py",
                "Storage/state-0.1.0.tar.gz",
            ],
            swiftSettings: settings),
    ]
)
