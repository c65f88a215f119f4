"""Can threads compute results at the same time, including the first of their kind?"""

from __future__ import annotations

import subprocess
import sys

# Each case needs a fresh process, because only the first conversion to a type can fail.
PROGRAM = """
import sys, threading
from linecard import _core
from linecard.chip import result
sys.setswitchinterval(1e-6)
report = _core.run({"chip": "ixp1200", "packets": 50, "warmup_packets": 0}, verdict=True, progress=None)
request = result.RunRequest(overrides=(), packets=50, warmup_packets=0, map_addresses=False, input_hash=None)
together = threading.Barrier(8)
def make():
    together.wait()
    result.RunResult.from_report(report, request, wall_seconds=0.1)
threads = [threading.Thread(target=make) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_first_results_of_several_threads_do_not_end_the_process():
    for _ in range(6):
        ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
