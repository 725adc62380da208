"""Compares the checker with the vectors that `accrete generate --emit vectors` writes beside this package."""

import json
import pathlib
import unittest

from PACKAGE import StreamChecker

VECTORS = pathlib.Path(__file__).parents[2] / "stream-vectors.jsonl"


@unittest.skipUnless(VECTORS.exists(), f"{VECTORS.name} is absent: generate it with --emit vectors")
class StreamVectors(unittest.TestCase):
    """Every vector has the findings of both profiles."""

    def test_vectors(self) -> None:
        _, *lines = VECTORS.read_text("utf-8").splitlines()
        for vector in map(json.loads, lines):
            for profile in ("reader", "writer"):
                with self.subTest(id=vector["id"], profile=profile):
                    checker = StreamChecker(profile)
                    findings = [each for event in vector["events"] for each in checker.check(event)]
                    found = [vars(each).copy() for each in [*findings, *checker.end()]]
                    # Vectors do not repeat the hints.
                    self.assertTrue(all(each.pop("hint") for each in found))
                    self.assertEqual(found, vector[profile])


if __name__ == "__main__":
    unittest.main()
