"""The feed carries the newest to everybody who listens, and holds up nobody."""

from __future__ import annotations

import asyncio
import threading

from station.web.feed import TICK_S, Feed

from .client import run


def listen(feed, bundles, between=lambda _: None):
    """The bundles one client gets; `between(n)` runs after the n-th."""

    async def go():
        got = []
        changes = feed.changes()
        async for bundle in changes:
            got.append([(change.topic, change.board, dict(change.data)) for change in bundle.changes])
            if len(got) == bundles:
                break
            between(len(got))
        await changes.aclose()
        return got

    return run(go())


def test_a_client_gets_all_there_is_and_then_what_changes():
    feed = Feed()
    feed.publish("a", {"n": 1})
    feed.publish("b", {"n": 1})
    got = listen(feed, 2, lambda _: feed.publish("b", {"n": 2}))
    assert got == [[("board", "a", {"n": 1}), ("board", "b", {"n": 1})], [("board", "b", {"n": 2})]]


def test_a_slow_client_gets_only_the_newest():
    feed = Feed()
    feed.publish("a", {"n": 0})

    def rush(_):
        for n in range(1, 1001):
            feed.publish("a", {"n": n})

    assert listen(feed, 2, rush)[1] == [("board", "a", {"n": 1000})]


def test_the_same_is_not_said_twice():
    feed = Feed()
    feed.publish("a", {"n": 1})

    def again(_):
        feed.publish("a", {"n": 1})
        feed.publish("b", {"n": 1})

    assert listen(feed, 2, again)[1] == [("board", "b", {"n": 1})]


def test_silence_gives_empty_bundles():
    feed = Feed(heartbeat_s=0.01)
    feed.publish("a", {"n": 1})
    assert listen(feed, 3)[1:] == [[], []]


def test_topics_are_kept_apart():
    feed = Feed()
    feed.publish("a", {"n": 1})
    feed.publish("a", {"n": 2}, "world")
    assert feed.latest() == {"a": {"n": 1}}
    assert feed.latest("world") == {"a": {"n": 2}}


def test_a_feed_that_hangs_up_ends_those_who_listen_and_takes_new_ones():
    feed = Feed()
    feed.publish("a", {"n": 1})

    async def until_the_end():
        return [bundle async for bundle in feed.changes() if feed.hang_up() is None]

    assert len(run(until_the_end())) == 1
    assert feed.listeners == 0
    assert len(listen(feed, 1)) == 1


def test_publishing_from_many_threads_reaches_every_client():
    feed = Feed()
    feed.publish("x", {"n": -1})
    seen = []

    async def client():
        async for bundle in feed.changes():
            seen.extend(change.board for change in bundle.changes)
            if len({board for board in seen if board != "x"}) == 8:
                return

    async def go():
        clients = [asyncio.create_task(client())]
        threads = [threading.Thread(target=feed.publish, args=(f"b{n}", {"n": n})) for n in range(8)]
        for thread in threads:
            thread.start()
        await asyncio.wait_for(asyncio.gather(*clients), 10)
        for thread in threads:
            thread.join()

    run(go())
    assert {board for board in seen if board != "x"} == {f"b{n}" for n in range(8)}


def test_those_who_listen_are_told_together_and_one_who_comes_later_is_told_nothing_twice():
    feed = Feed()
    feed.publish("a", {"n": 1})

    async def go():
        first, second = feed.changes(), feed.changes()
        told = [await anext(first), await anext(second)]
        feed.publish("a", {"n": 2})
        late = feed.changes()
        told.append(await anext(late))
        feed.publish("b", {"n": 3})
        feed.publish("b", {"n": 4})
        return told, await asyncio.gather(anext(first), anext(second)), await anext(late)

    told, together, late = run(go())
    assert [bundle.changes[0].data for bundle in told] == [{"n": 1}, {"n": 1}, {"n": 2}]
    assert together[0] is together[1]
    assert [change.data for change in together[0].changes] == [{"n": 2}, {"n": 4}]
    assert [change.data for change in late.changes] == [{"n": 4}]


def test_what_follows_within_a_tick_goes_out_in_one_bundle():
    feed = Feed()
    feed.publish("a", {"n": 1})

    async def go():
        changes = feed.changes()
        await anext(changes)
        feed.publish("a", {"n": 2})
        await anext(changes)
        following = asyncio.create_task(anext(changes))
        for board in "abc":
            feed.publish(board, {"n": 3})
            await asyncio.sleep(TICK_S / 10)
        return await following

    assert [change.board for change in run(go()).changes] == ["a", "b", "c"]


def test_a_listener_whose_loop_has_ended_harms_nobody():
    feed = Feed()
    feed.publish("a", {"n": 1})

    async def listen_for_a_while():
        changes = feed.changes()
        await anext(changes)
        assert feed.listeners == 1
        feed.publish("a", {"n": 2})
        await changes.aclose()

    run(listen_for_a_while())
    feed.publish("a", {"n": 3})
    assert feed.listeners == 0
