import GRDB
import Logging
enum DiffableStoreStub {}
