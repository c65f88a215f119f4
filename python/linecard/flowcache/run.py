"""`flowcache`: simulate flow caches of all requested sizes, numbers of ways and policies with the same traffic."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.errors import ConfigError, ConfigProblem
from linecard.flowcache.result import FlowCacheResult
from linecard.request import TIME_OUT_MAX_SECONDS, U64_MAX, ProgressCallback

if TYPE_CHECKING:
    from typing_extensions import Buffer


_U32_MAX = 2**32 - 1
_CACHE_ENTRIES_MAX = 2**24
_RESULT_BITS_MAX = 2**16
_THREADS_MAX = 2**10
# Defaults of `flowcache`: the sizes of Girish 2008, chapter 5, and its policy between the usual and the best possible
# one.
CACHE_ENTRIES = (512, 1024, 2048)
CACHE_WAYS = (4,)
CACHE_POLICIES = ("LRU", "SP", "OPT")
CACHE_KEY = "5-tuple"
CACHE_HASH = "md5"
FORESIGHT_PACKETS = 10_000
_DIGESTS, _CAPTURE = "u32le", "capture"
_DIGEST_ENDINGS = (".u32le", ".u32le.gz")


@plain
def flowcache(
    trace: str | PathLike[str] | Buffer,
    entries: int | Iterable[int] = CACHE_ENTRIES,
    ways: int | str | Iterable[int | str] = CACHE_WAYS,
    policy: str | Iterable[str] = CACHE_POLICIES,
    *,
    format: str | None = None,  # the same word as --format
    key: str | None = None,
    hash: str | None = None,  # the same word as --hash
    width: int = 32,
    result_bits: int = 8,
    cold_window_packets: int = 10_000,
    foresight_packets: int = FORESIGHT_PACKETS,
    seed: int = 1,
    jobs: int | None = None,
    false_hits: bool = False,
    curves: bool = False,
    time_out_seconds: float | None = None,
    packets: int = 0,
    strict: bool = False,
    progress: ProgressCallback | None = None,
) -> FlowCacheResult:
    """Simulate flow caches with the same traffic, for all requested sizes, numbers of ways and policies.

    Compiled code simulates the caches on all cores, and releases Python's global interpreter lock. Ctrl-C stops the
    simulation. The result rows have the order of the requested caches, regardless of `jobs`.

    Args:
        trace: A capture; a link profile (``"edge"``, ``"core"``, a TOML file); or a file of digests, each a
            little-endian u32. A digest file is uncompressed, or compressed with gzip (``.gz``). The input may also be
            an array of digests, such as a NumPy array of ``uint32``. An array is read without a copy, so no other
            thread may write to the array during the call.
        entries: Cache sizes, in entries.
        ways: Number of entries per set; ``"full"`` for a fully associative cache.
        policy: Names of policies in upper or lower case, such as ``"lru"``, ``"BIP32"`` or ``"SECOND16+SP"``.
        format: ``"u32le"`` for a file of digests, ``"capture"`` for a capture; by default, only files
            that end in ``.u32le`` or ``.u32le.gz`` are read as digests.
        key: Fields that define a flow: ``"5-tuple"`` (default), ``"2-tuple"``, or a list of fields such as
            ``"dst/24,protocol"``. The parameter ``key`` applies only to captures.
        hash: Hash function of the digest: ``"md5"`` (default), ``"crc32c"``, ``"xxhash"`` or ``"h3"``. The parameter
            ``hash`` applies only to captures.
        width: Number of low-order hash bits that form a digest, 1 to 32.
        result_bits: Size of a result in bits; an entry contains one result.
        cold_window_packets: Number of preceding packets in which to search for a digest; a miss is cold if none of
            these packets has the digest.
        foresight_packets: Number of packets that the policy ``PRED`` looks ahead.
        seed: Seed of random policies and of the hash function ``h3``.
        jobs: Number of caches simulated in parallel; by default, one per CPU core.
        false_hits: Count the packets that receive the result of another flow with the same digest. False hits can be
            counted only for captures.
        curves: Add results for LRU caches of all sizes and numbers of ways, the miss-ratio curve, and the reuse
            distances.
        time_out_seconds: Add statistics of the flows. A flow ends when it has had no packet for this time (1 second in
            Girish 2008). The statistics of flows are available only for captures.
        packets: Maximum number of packets; 0 means all packets of a capture, or the number of packets that a link
            profile specifies. For an input of digests, ``packets`` must be 0.
        strict: Stop at the first damaged record of the capture.
        progress: Function that is called repeatedly with the completed and the total work. The unit of both
            numbers is bytes while the input is read, and packets (summed over all caches) during the simulation.

    Returns:
        One row for each cache, and the best policy for each size.

    Raises:
        ConfigError: The request is invalid; the error lists every problem.
        TrafficError: The input cannot be read, or contains no packet that belongs to a flow.

    Example:
        >>> import array, linecard
        >>> result = linecard.flowcache(array.array("I", [7, 8, 7, 9, 7, 8]), entries=2, ways=2, policy="sp")
        >>> result.rows[0].hits
        2
    """
    sizes, policies = _listed(entries), _listed(policy)
    shapes: list[Any] = ["full" if str(each).lower() == "full" else each for each in _listed(ways)]
    problems = [
        ConfigProblem(name, "", f"found none, expected at least one, such as {example}")
        for name, values, example in (("entries", sizes, 1024), ("ways", shapes, 4), ("policy", policies, "lru"))
        if not values
    ]
    ranges = [("entries", each, 1, _CACHE_ENTRIES_MAX) for each in sizes]
    ranges += [("ways", each, 1, _CACHE_ENTRIES_MAX) for each in shapes if each != "full"]
    ranges += [
        ("digest width", width, 1, 32),
        ("result bits", result_bits, 0, _RESULT_BITS_MAX),
        ("cold window", cold_window_packets, 0, _U32_MAX),
        ("foresight", foresight_packets, 0, _U32_MAX),
        ("packets", packets, 0, U64_MAX),
        ("seed", seed, 0, U64_MAX),
        ("jobs", 1 if jobs is None else jobs, 1, _THREADS_MAX),
    ]
    if time_out_seconds is not None and not 0 < time_out_seconds <= TIME_OUT_MAX_SECONDS:
        expected = f"expected more than 0, at most {TIME_OUT_MAX_SECONDS}"
        problems.append(ConfigProblem("time-out", "", f"found {time_out_seconds!r} seconds, {expected}"))
    for name, value, least, most in ranges:
        # The core checks each value that it can hold, so that all problems are reported at once.
        if name in {"entries", "ways", "digest width"}:
            accepted = isinstance(value, int) and 0 <= value <= _U32_MAX
        else:
            accepted = isinstance(value, int) and least <= value <= most
        if not accepted:
            other = ', or "full"' if name == "ways" else ""
            problems.append(ConfigProblem(name, "", f"found {value!r}, expected {least} to {most}{other}"))
    if foresight_packets != FORESIGHT_PACKETS and not any("PRED" in str(each).upper() for each in policies):
        problems.append(ConfigProblem("foresight", "", "has no effect without the policy PRED; add PRED, or omit it"))
    path = fspath(trace) if isinstance(trace, (str, PathLike)) else None
    digests = path is None or _holds_digests(path, format, problems)
    if digests:
        asked = {"key": key is not None, "hash": hash is not None, "false hits": false_hits}
        asked |= {"flow statistics (--traffic)": time_out_seconds is not None, "packets": packets != 0}
        problems += [
            ConfigProblem(name, "", "has no effect on an input of digests; omit it, or pass a capture")
            for name, is_asked in asked.items()
            if is_asked
        ]
    ConfigError.check(problems)
    if path is not None:
        path.encode()  # The core would take a name that is not UTF-8 for an array.
    options = {
        "cold_window_packets": cold_window_packets,
        "foresight_packets": foresight_packets,
        "seed": seed,
    }
    request = {
        "entries": sizes,
        "ways": [None if each == "full" else each for each in shapes],
        "policies": policies,
        "key": None if digests else key or CACHE_KEY,
        "hash": None if digests else hash or CACHE_HASH,
        "width_bits": width,
        "result_bits": result_bits,
        "options": options,
        "threads": jobs or 0,
        "packets": packets,
        "strict": strict,
        "false_hits": false_hits,
        "curves": curves,
        "time_out_ns": None if time_out_seconds is None else round(time_out_seconds * 1e9),
    }
    try:
        plain = _core.flowcache(trace if path is None else path, request, progress=progress)
    except (BufferError, TypeError) as error:
        if path is not None:
            raise
        found = f"{type(trace).__name__} of {getattr(trace, 'dtype', getattr(trace, 'format', 'unknown type'))}"
        example = "numpy.ascontiguousarray(digests, numpy.uint32)"
        expected = f"a contiguous one-dimensional array of uint32, such as {example}"
        raise ConfigError.at("trace", "", f"found {found} ({error}), expected {expected}") from error
    return convert(plain, FlowCacheResult)


def _listed(values: Any) -> list[Any]:
    """One value or several as a list; whole numbers of any type become integers."""
    several = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    return [operator.index(each) if hasattr(each, "__index__") else each for each in several]


def _holds_digests(path: str, format_name: str | None, problems: list[ConfigProblem]) -> bool:
    """Whether a file holds digests instead of packets."""
    if format_name is None:
        return path.lower().endswith(_DIGEST_ENDINGS)
    known = (_DIGESTS, _CAPTURE)
    name = format_name.lower()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
        expected = f"expected {_DIGESTS} or {_CAPTURE}; did you mean {near}?"
        problems.append(ConfigProblem("format", "", f"found {format_name!r}, {expected}"))
    return name == _DIGESTS
