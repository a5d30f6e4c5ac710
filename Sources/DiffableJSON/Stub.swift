enum DiffableJSONStub {}
