// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that nobody who builds the daemon builds this.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "diffabled", path: "..")],
    targets: [
        .executableTarget(
            name: "CoreBenchmark",
            dependencies: [.product(name: "Diffable", package: "diffabled")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
    ]
)
