import Files
import Foundation
import SystemPackage
import Testing

struct WholeWriteTests {
    @Test func `a pipe that somebody made non-blocking is waited for`() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        try #require(fcntl(writing.rawValue, F_SETFL, O_NONBLOCK) == 0)
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let writer = Thread {
            try? writing.writeWhole(bytes)
            try? writing.close()
        }
        writer.start()
        var read: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 10_000)
        while case let count = try buffer.withUnsafeMutableBytes({ try reading.read(into: $0) }), count > 0 {
            read += buffer[..<count]
        }
        try reading.close()
        // The pipe holds 64 KiB, so most of the write had to wait.
        #expect(read == bytes)
    }

    @Test func `what cannot be written says why`() throws {
        let file = try FileDescriptor.opened("/dev/full", .writeOnly)
        defer { try? file.close() }
        #expect(throws: Errno.noSpace) { try file.writeWhole([1]) }
        try file.writeWhole([])
    }
}
