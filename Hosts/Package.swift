// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// What the simulation runs a thousand times: with the optimizer, and every check of a debug build.
let simulated: [SwiftSetting] =
    settings + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

// What shares lists between hosts. A package of its own, so that whoever builds the daemon neither fetches nor builds gRPC
// and TLS. It does not depend on the daemon's package: the modules it needs are symbolic links to the daemon's sources.
let package = Package(
    name: "Hosts",
    products: [.executable(name: "diffabled-etcd", targets: ["diffabled-etcd"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        // Of the daemon's store, for the simulation. diffabled-etcd is built without it.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
    ],
    targets: [
        .target(name: "Diffable", swiftSettings: simulated),
        .target(name: "DiffableJSON", dependencies: ["Diffable"], swiftSettings: simulated),
        .target(name: "DiffableProtocol", dependencies: ["DiffableJSON"], swiftSettings: settings),
        .target(
            name: "DiffableClient",
            dependencies: [
                "Diffable", "DiffableProtocol",
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),
        // What scripts/etcd-api wrote: nothing is changed there by hand, so no setting of ours holds.
        .target(
            name: "EtcdAPI",
            dependencies: [
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            exclude: ["etcd.proto"]),
        .target(
            name: "EtcdClient",
            dependencies: [
                "EtcdAPI", "SharedLog",
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings),
        .target(name: "SharedLog", swiftSettings: simulated),
        .executableTarget(
            name: "diffabled-etcd",
            dependencies: [
                "DiffableClient", "DiffableProtocol", "EtcdClient", "SharedLog",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .target(
            name: "Files", dependencies: [.product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: simulated),
        .target(
            name: "DiffableStore",
            dependencies: [
                "DiffableJSON", "Files",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            // The simulation has a journal of its own, so it sees what the store's own tests see.
            swiftSettings: simulated + [.unsafeFlags(["-enable-testing"])]),
        .target(
            name: "TestSupport", dependencies: ["Diffable"], path: "Tests/TestSupport", swiftSettings: simulated),
        // Hosts in a time of their own: stores, connectors, and a model of etcd.
        .target(
            name: "HostsSimulation",
            dependencies: [
                "Diffable", "DiffableJSON", "DiffableStore", "SharedLog", "TestSupport",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/HostsSimulation", swiftSettings: simulated),
        .executableTarget(
            name: "simulate-hosts",
            dependencies: ["HostsSimulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/simulate-hosts", swiftSettings: settings),
        .testTarget(
            name: "HostsTests",
            dependencies: [
                "EtcdClient", "HostsSimulation", "SharedLog", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: settings),
    ]
)
