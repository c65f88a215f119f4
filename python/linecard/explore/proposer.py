"""Proposes points for a search: corners of the space, neighbours of the front, random points, and Optuna's points."""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from linecard.errors import MissingExtraError
from linecard.explore.designs import Judged, Space, minimised
from linecard.explore.front import crowding, front_of

if TYPE_CHECKING:
    from linecard.explore.objectives import Task


BATCH = 8
# The share of neighbours of the front in a batch.
_NEAR = 0.5
# Proposals of the sampler for a batch, including known points; random points fill the rest of the batch.
_MOST_ASKED = 16
# The random start takes the budget divided by this number.
_START = 3


class Proposer:
    """Proposes the next points to run."""

    def __init__(self, space: Space, task: Task) -> None:
        try:
            import optuna
        except ImportError as error:
            raise MissingExtraError("a search in a space that is larger than the budget", "explore") from error
        self._space, self._task = space, task
        self._draw = random.Random(task.seed)
        self._optuna: Any = optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._told: set[int] = set()
        self._trials: dict[int, Any] = {}
        self._start = max(BATCH, task.budget // _START)
        self._distributions = {
            str(axis): optuna.distributions.IntDistribution(0, size - 1)
            if space.ordered[axis]
            else optuna.distributions.CategoricalDistribution(list(range(size)))
            for axis, size in enumerate(space.sizes)
        }
        with warnings.catch_warnings():
            # Optuna warns that the options for limits and for several parameters are experimental.
            warnings.simplefilter("ignore")
            sampler = optuna.samplers.TPESampler(
                seed=task.seed, n_startup_trials=BATCH, multivariate=True, constraints_func=_broken
            )
            self._study: Any = optuna.create_study(directions=["minimize"] * len(task.objectives), sampler=sampler)

    def propose(self, size: int, judged: Mapping[int, Judged], known: AbstractSet[int]) -> list[int]:
        """Propose the next batch of points, which contains no point that has already been simulated."""
        batch: dict[int, None] = {}
        if not judged:
            batch = dict.fromkeys(self._corners()[:size])
        if len(judged) >= self._start:
            for number in self._near(judged, known)[: round(size * _NEAR)]:
                batch[number] = None
            self._ask(batch, size, known)
        rest = [number for number in range(len(self._space.points)) if number not in known and number not in batch]
        while len(batch) < size and rest:
            batch[rest.pop(self._draw.randrange(len(rest)))] = None
        return list(batch)

    def _corners(self) -> list[int]:
        """Points at the ends of the axes, where fronts of monotonic objectives end."""
        ends = [(0, size - 1) if size > 1 else (0,) for size in self._space.sizes]
        found = [self._space.number_of[each] for each in itertools.product(*ends) if each in self._space.number_of]
        middle = found[1:-1]
        self._draw.shuffle(middle)
        return [*found[:1], *found[-1:], *middle][: BATCH // 2]

    def _near(self, judged: Mapping[int, Judged], known: AbstractSet[int]) -> list[int]:
        """Neighbours of the front that have not run, in random order."""
        good = [each for each in judged.values() if each.keeps]
        small = [minimised(self._task, each) for each in good]
        places = front_of(small)
        gaps = crowding([small[place] for place in places])
        # Points with distant neighbours on the front come first, with one neighbour of each in turn.
        order = sorted(range(len(places)), key=lambda n: (-gaps[n], n))
        several = []
        for n in order:
            near = [each for each in self._space.neighbours(good[places[n]].number) if each not in known]
            self._draw.shuffle(near)
            several.append(near)
        turns = itertools.chain.from_iterable(itertools.zip_longest(*several))
        return list(dict.fromkeys(each for each in turns if each is not None))

    def _ask(self, batch: dict[int, None], size: int, known: AbstractSet[int]) -> None:
        for _ in range(_MOST_ASKED):
            if len(batch) >= size:
                return
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                trial = self._study.ask(self._distributions)
            at = tuple(int(trial.params[str(axis)]) for axis in range(len(self._space.sizes)))
            number = self._space.number_of.get(at)
            if number is None or number in known or number in batch:
                self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
                continue
            batch[number] = None
            self._trials[number] = trial

    def tell(self, judged: Mapping[int, Judged]) -> None:
        """Pass the results of a batch to the sampler, in the order in which the points were proposed."""
        states = self._optuna.trial.TrialState
        for number, each in judged.items():
            if number in self._told:
                continue
            self._told.add(number)
            trial = self._trials.pop(number, None)
            values = list(minimised(self._task, each)) if each.values else None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if trial is not None:
                    trial.set_user_attr("keeps", each.keeps)
                    self._study.tell(trial, values, state=states.FAIL if values is None else states.COMPLETE)
                elif values is not None:
                    at = self._space.coordinates[number]
                    self._study.add_trial(
                        self._optuna.trial.create_trial(
                            params={str(axis): step for axis, step in enumerate(at)},
                            distributions=self._distributions,
                            values=values,
                            user_attrs={"keeps": each.keeps},
                            system_attrs={"constraints": [0.0 if each.keeps else 1.0]},
                        )
                    )


def _broken(trial: Any) -> tuple[float]:
    """Above 0 if a limit is broken, as Optuna expects."""
    return (0.0 if trial.user_attrs.get("keeps", False) else 1.0,)
