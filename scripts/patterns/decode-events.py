"""Prints the milliseconds that the decoding of each line of the input takes, the least of three times."""

import sys
import time

import attack_v1

for line in sys.stdin:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        try:
            attack_v1.decode_event(line)
        except ValueError:
            pass
        times.append(time.perf_counter() - start)
    print(min(times) * 1000)
