"""Are the results of ndr, why, optimize and compare on a Dask cluster equal to those on threads, byte for byte?"""

from __future__ import annotations

import json

import pytest
from conftest import ROOT, TINY
from dask_cluster import cluster

CHIP = "example_smartnic"
QUESTIONS = {
    "ndr": ("ndr", CHIP, "--size", "64,1518", "--packets", "200", "--width", "0.05"),
    "why": ("why", TINY, "--packets", "100", "--seeds", "1"),
    "compare": ("compare", CHIP, CHIP, "--set-b", "island.count=2", "--packets", "200", "--seeds", "2"),
    "optimize": ("optimize", ROOT / "examples" / "explore" / "dram_part.toml", "--budget", "12"),
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster")) as (found, _, _):
        yield found


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_on_a_cluster_as_on_threads(question, address, cli, tmp_path):
    command = (*QUESTIONS[question], "--json", "--store")
    threads = cli(*command, tmp_path / "threads")
    assert threads.status == 0, threads.err
    asked = cli(*command, tmp_path / "cluster", "--executor", f"dask:{address}")
    assert (asked.status, asked.out) == (0, threads.out), asked.err
    assert json.loads(asked.out)
    # The results of the cluster are kept, and a run with threads finds them.
    again = cli(*command, tmp_path / "cluster")
    assert again.out == threads.out
    assert " 0 executed" in again.err


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_misspelt_executor_is_refused_by_every_question(question, cli, tmp_path, wording):
    pytest.importorskip("distributed")
    ended = cli(*QUESTIONS[question], "--store", tmp_path / "s", "--executor", "dusk")
    assert ended.status == 2
    wording(ended.err)


def test_a_scheduler_of_another_version_of_dask_is_refused_before_a_client_waits_for_it(
    address, cli, monkeypatch, wording
):
    monkeypatch.setattr("distributed.__version__", "2000.1.0")
    ended = cli("sweep", CHIP, "--vary", "island.count=1", "--packets", "50", "--executor", f"dask:{address}")
    assert ended.status == 2
    wording(ended.err)
