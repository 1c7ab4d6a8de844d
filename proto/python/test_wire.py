"""Holds nim_wire.py to the golden bytes in proto/vectors. Run it with `python3 test_wire.py`."""

import os
import unittest

from fake_server import load
from nim_wire import TO_CLIENT, TO_SERVER, Malformed, Unknown, cut, decode, encode

TYPES = {"client": TO_SERVER, "server": TO_CLIENT}


def read(type, frame):
    """What a peer makes of these bytes."""
    buffer = bytearray(frame)
    message = decode(type, cut(buffer))
    assert not buffer, "something stands behind the frame"
    return message


class Vectors(unittest.TestCase):
    def check(self, type, name, vector):
        with self.subTest(name):
            frame = bytes.fromhex(vector["hex"])
            self.assertEqual(read(type, frame), vector["value"])
            self.assertEqual(encode(type, vector["value"]), frame)

    def test_what_a_client_says(self):
        for vector in load("to_server.json"):
            self.check(TO_SERVER, vector["name"], vector)

    def test_what_the_server_says(self):
        for vector in load("to_client.json"):
            self.check(TO_CLIENT, vector["name"], vector)

    def test_the_session(self):
        for frame in load("session.json"):
            self.check(TYPES[frame["from"]], frame["what"], frame)

    def test_bad_frames_are_refused(self):
        for bad in load("bad.json"):
            with self.subTest(bad["name"], why=bad["why"]):
                with self.assertRaises(Malformed):
                    read(TYPES[bad["from"]], bytes.fromhex(bad["hex"]))

    def test_frames_with_an_unknown_index_are_told_from_bad_ones(self):
        for bad in load("bad.json"):
            if bad["from"] == "server":
                with self.subTest(bad["name"]):
                    with self.assertRaises(Malformed) as refused:
                        read(TO_CLIENT, bytes.fromhex(bad["hex"]))
                    self.assertEqual(isinstance(refused.exception, Unknown), bad.get("skip", False))

    def test_a_frame_that_is_not_whole_is_waited_for(self):
        frame = encode(TO_SERVER, {"Ping": 7})
        for end in range(len(frame)):
            self.assertIsNone(cut(bytearray(frame[:end])))

    def test_no_beginning_of_a_message_is_a_message(self):
        for vector in load("to_client.json"):
            body = bytes.fromhex(vector["hex"])[4:]
            step = 1 if "NIM_CAMPAIGN" in os.environ else 1 + len(body) // 30
            for end in range(0, len(body), step):
                with self.assertRaises(Malformed):
                    decode(TO_CLIENT, body[:end])


if __name__ == "__main__":
    unittest.main()
