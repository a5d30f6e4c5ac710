import NIOCore
import NIOPosix
enum DiffableClientStub {}
