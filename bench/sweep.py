"""How much of a sweep's time is spent in the simulator: 1,000 runs of 5,000 packets, then the same from the store.

    python bench/sweep.py [--jobs 2] [--runs 1000] [--executor dask] [--without-verdict]

Fractions are of processor time, so that other work of the machine has little effect: the time of the simulating
threads over the time of the whole process. `busy` is the wall time inside the simulator over the time that the workers
had. The overhead is all other processor time of the process except its start, per run. With Dask, only `busy` is
reported, including the start of the workers.
"""

from __future__ import annotations

import argparse
import tempfile
import time

from linecard.explore import sweep


def main() -> None:
    """Run, and print the measurements."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--runs", type=int, default=1000)
    options.add_argument("--executor", default="threads")
    options.add_argument("--without-verdict", action="store_true", help="as of a sweep with verdict=false")
    asked = options.parse_args()
    fixed = {"verdict": False} if asked.without_verdict else {}
    vary = {"island.threads": [1, 2, 4, 8, 16], "packets.part": ["ddr4_2400", "hbm2"], "seed": f"1..{asked.runs // 10}"}
    with tempfile.TemporaryDirectory() as store:
        texts = []
        for number in range(2):
            started, worked = time.perf_counter(), time.process_time()
            result = sweep(
                "example_smartnic",
                vary=vary,
                set=fixed,
                packets=5000,
                store=store,
                jobs=asked.jobs,
                executor=asked.executor,
            )
            seconds, cpu = time.perf_counter() - started, time.process_time() - worked
            texts.append(str(result.to_dict()))
            counts = result.counts
            print(f"{counts.run} run, {counts.found} found: {seconds:.2f} s, {cpu:.2f} s of processor time")
            if number == 0:
                inside = counts.simulator_cpu_seconds
                print(f"in the simulator: {inside:.2f} s; busy {counts.simulator_seconds / asked.jobs / seconds:.3f}")
                if asked.executor == "threads":
                    each = (cpu - inside) / counts.run * 1e3
                    print(f"share of the processor time {inside / cpu:.3f}; overhead {each:.2f} ms a run")
        print(f"the same table: {texts[0] == texts[1]}")


if __name__ == "__main__":
    main()
