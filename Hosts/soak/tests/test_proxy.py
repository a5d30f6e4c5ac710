"""What the proxy takes for a swap that was made."""

import unittest

from history import Path  # noqa: F401 (it finds the folder above)
from proxy import is_made_swap


class ProxyTests(unittest.TestCase):
    HEADER = bytes.fromhex("0a0a08b8979fe1d6b2d7f46a")
    # Of `ResponseOp`: a put, and a range.
    PUT, RANGE = bytes.fromhex("1a041202 0a00".replace(" ", "")), bytes.fromhex("1a040a020a00")

    def test_a_transaction_that_has_put_something(self):
        self.assertTrue(is_made_swap(self.HEADER + b"\x10\x01" + self.PUT + self.PUT))

    def test_what_is_no_such_transaction(self):
        for message in (self.HEADER + self.PUT, self.HEADER + b"\x10\x01" + self.RANGE, self.HEADER + b"\x10\x00" + self.PUT,
                        self.HEADER + b"\x18\x01", self.HEADER, b""):
            self.assertFalse(is_made_swap(message))


if __name__ == "__main__":
    unittest.main()
