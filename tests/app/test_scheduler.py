import threading

import pytest
from fakes import AGAIN, scheduler, wait_for


class Counting:
    """A job of so many turns; two threads in it at once are noted."""

    urgent = False
    owner = None

    def __init__(self, turns, delay=0.0, order=None):
        self.turns, self.delay, self.order = turns, delay, order
        self.done, self.inside, self.clashed = 0, threading.Lock(), False

    def due(self):
        return self.delay if self.done < self.turns else None

    def turn(self):
        if not self.inside.acquire(blocking=False):
            self.clashed = True
            return
        self.done += 1
        if self.order is not None:
            self.order.append(self)
        self.inside.release()


@pytest.mark.parametrize("again", range(AGAIN))
def test_every_job_gets_its_turns_by_one_worker_at_a_time(again):
    pool, jobs = scheduler(), [Counting(200) for _ in range(5)]
    for job in jobs:
        pool.submit(job)
        pool.submit(job)
    wait_for(lambda: all(job.done == job.turns for job in jobs), "the jobs")
    assert not any(job.clashed for job in jobs)


@pytest.mark.parametrize("again", range(AGAIN))
def test_turns_are_fair(again):
    order = []
    jobs = [Counting(50, order=order) for _ in range(3)]
    begin_together(jobs)
    wait_for(lambda: len(order) == 150, "the jobs")
    assert [order[k : k + 3] for k in range(0, 150, 3)] == [jobs] * 50


def begin_together(jobs):
    """Queue jobs for one worker before it may take the first."""
    pool, gate = scheduler(workers=1), Gate()
    for job in (gate, *jobs):
        pool.submit(job)
    gate.open.set()


class Gate:
    """A job of one turn that lasts until it is opened."""

    urgent = False
    owner = None

    def __init__(self):
        self.open, self.done = threading.Event(), False

    def due(self):
        return None if self.done else 0.0

    def turn(self):
        self.open.wait(60)
        self.done = True


@pytest.mark.parametrize("again", range(AGAIN))
def test_workers_end_when_there_is_nothing_to_do_and_start_again(again):
    pool = scheduler()
    for _ in range(2):
        jobs = [Counting(3), Counting(3)]
        for job in jobs:
            pool.submit(job)
        wait_for(lambda jobs=jobs: all(job.done == 3 for job in jobs), "the jobs")
        assert pool.workers <= 2
        wait_for(lambda: pool.workers == 0, "the workers to end")


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_job_that_waits_does_not_keep_others_and_can_be_called_early(again):
    pool = scheduler(workers=1)
    patient, busy = Counting(2, delay=3600.0), Counting(100)
    pool.submit(patient)
    wait_for(lambda: patient.done == 1, "the first turn")
    pool.submit(busy)
    wait_for(lambda: busy.done == 100, "the other job")
    assert patient.done == 1
    pool.submit(patient)
    wait_for(lambda: patient.done == 2, "the second turn")


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_job_submitted_during_its_turn_is_not_forgotten(again):
    pool = scheduler()

    class Paused(Counting):
        awake = True

        def due(self):
            return 0.0 if self.awake and self.done < self.turns else None

        def turn(self):
            super().turn()
            if self.done == 1:
                self.awake = False
                assert self.due() is None
                self.awake = True
                pool.submit(self)

    job = Paused(5)
    pool.submit(job)
    wait_for(lambda: job.done == 5, "the turns after waking")


@pytest.mark.parametrize("again", range(AGAIN))
def test_first_turns_go_before_all_others(again):
    order = []
    usual = [Counting(20, order=order) for _ in range(3)]
    urgent = Urgent(5, order=order)
    begin_together([*usual, urgent])
    wait_for(lambda: len(order) == 65, "the jobs")
    # Two of its turns are urgent, and after them it waits as the others do.
    assert order[:6] == [urgent, urgent, *usual, urgent]


class Urgent(Counting):
    """A job whose first two turns somebody waits for."""

    @property
    def urgent(self):
        return self.done < 2


def test_owners_take_turns_however_many_jobs_they_have():
    order = []
    many = [Counting(3, order=order) for _ in range(6)]
    for job in many:
        job.owner = "many"
    one = Counting(3, order=order)
    one.owner = "one"
    begin_together([*many, one])
    wait_for(lambda: one.done == 3, "the one")
    # Every second turn is the one's until it is done.
    assert [job is one for job in order[:6]] == [False, True] * 3
