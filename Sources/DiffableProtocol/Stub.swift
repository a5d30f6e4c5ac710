enum DiffableProtocolStub {}
