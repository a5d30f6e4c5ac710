import NIOCore
import NIOPosix
import DequeModule
enum DiffableServerStub {}
