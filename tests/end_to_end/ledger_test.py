"""Tests the kill test's ledger on invented histories: no violations in good ones, the right violation in bad ones."""
import unittest

from ledger import Ledger, violations


class LedgerTest(unittest.TestCase):
    def setUp(self):
        self.ledger = Ledger()

    def rules(self):
        return sorted({violation.rule for violation in violations(self.ledger.entries)})

    def expect_good(self):
        self.assertEqual([], violations(self.ledger.entries))

    def expect_bad(self, *rules):
        self.assertEqual(sorted(rules), self.rules(), violations(self.ledger.entries))


class Messages(LedgerTest):
    def accept(self, priority, name="m-1", sequence=1, **more):
        self.ledger.accepted("notice", name, sequence, priority, **more)

    def deliver(self, priority, attempt=1, name="m-1", **more):
        self.ledger.delivered("notice", name, attempt, priority, **more)

    def test_an_acknowledged_message_that_was_delivered_is_kept(self):
        for priority in ("critical", "high", "normal", "low"):
            self.accept(priority, name=priority)
            self.deliver(priority, name=priority)
        self.expect_good()

    def test_an_acknowledged_critical_or_high_message_that_nobody_got_is_lost(self):
        for priority in ("critical", "high"):
            self.accept(priority, name=priority)
        self.expect_bad("D1")
        self.assertEqual(2, len(violations(self.ledger.entries)))

    def test_a_normal_or_low_message_may_be_lost(self):
        for priority in ("normal", "low"):
            self.accept(priority, name=priority)
        self.expect_good()

    def test_a_dead_letter_with_a_reason_is_not_lost(self):
        self.accept("high")
        self.ledger.dead_lettered("notice", "m-1", "RETRIES_EXHAUSTED")
        self.expect_good()

    def test_a_dead_letter_without_a_reason_is(self):
        self.accept("high")
        self.ledger.dead_lettered("notice", "m-1", "")
        self.expect_bad("D1")

    def test_what_was_never_acknowledged_may_be_lost(self):
        self.ledger.dead_lettered("notice", "m-1", "EXPIRED")
        self.expect_good()

    def test_a_high_message_may_come_twice(self):
        self.accept("high")
        self.deliver("high", 1)
        self.deliver("high", 2)
        self.expect_good()

    def test_a_normal_message_may_not_even_if_it_was_not_acknowledged(self):
        self.deliver("normal", 1)
        self.deliver("normal", 2)
        self.expect_bad("D2")

    def test_a_repeat_has_the_first_outcome(self):
        self.accept("low")
        self.accept("low")
        self.expect_good()

    def test_a_repeat_that_is_accepted_afresh_is_a_second_message(self):
        self.accept("low", sequence=7)
        self.accept("low", sequence=9)
        self.expect_bad("D4")

    def test_other_content_under_the_same_id_must_be_refused(self):
        self.accept("low")
        self.ledger.conflict_accepted("notice", "m-1", "202")
        self.expect_bad("D4")

    def test_what_is_settled_does_not_come_again(self):
        self.accept("high")
        self.deliver("high", 1)
        self.ledger.settled("notice", "m-1", 1)
        self.expect_good()
        self.deliver("high", 2)
        self.expect_bad("D5")

    def test_what_came_again_may_be_settled_then(self):
        self.accept("high")
        self.deliver("high", 1)
        self.deliver("high", 2)
        self.ledger.settled("notice", "m-1", 2)
        self.expect_good()

    def test_nobody_is_handed_what_was_not_sent_to_it(self):
        self.accept("high")
        self.deliver("high")
        self.ledger.misdelivered("notice", "m-1", "bob was handed what was for ann")
        self.expect_bad("D9")

    def test_an_entry_names_its_thing(self):
        with self.assertRaises(ValueError):
            self.accept("high", name=None)


class Order(LedgerTest):
    def deliver(self, number, attempt=1, task="t"):
        self.ledger.delivered("notice", f"{task}-{number}", attempt, "high", task, number)

    def test_gaps_and_repeats_are_no_inversions(self):
        for number, attempt in ((1, 1), (3, 1), (3, 2), (7, 1)):
            self.deliver(number, attempt)
        self.expect_good()

    def test_an_earlier_message_behind_a_later_one_is(self):
        for number in (1, 3, 2):
            self.deliver(number)
        self.expect_bad("D3")

    def test_so_is_a_redelivery_behind_a_later_one(self):
        for number, attempt in ((1, 1), (2, 1), (1, 2)):
            self.deliver(number, attempt)
        self.expect_bad("D3")

    def test_an_old_attempt_that_is_read_late_is_none(self):
        for number, attempt in ((1, 2), (2, 1), (1, 1)):
            self.deliver(number, attempt)
        self.expect_good()

    def test_two_tasks_have_nothing_to_do_with_each_other(self):
        self.deliver(2, task="a")
        self.deliver(1, task="b")
        self.expect_good()


class Requests(LedgerTest):
    def accept(self, priority="low"):
        self.ledger.accepted("request", "q", 1, priority, awaits_answer=True)

    def test_one_answer_however_often_it_is_shown(self):
        self.accept()
        self.ledger.reply_acknowledged("request", "q", "a", "bob")
        self.ledger.answered("request", "q", "a", "inbox", 1)
        self.ledger.answered("request", "q", "a", "wait")
        self.expect_good()

    def test_an_error_of_the_hub_is_an_answer(self):
        self.accept("critical")
        self.ledger.answered("request", "q", "hub:REQUEST_TIMED_OUT", "inbox", 1)
        self.expect_good()

    def test_no_answer_is_a_broken_promise_in_every_priority(self):
        for priority in ("normal", "low"):
            self.ledger.accepted("request", priority, 1, priority, awaits_answer=True)
        self.expect_bad("W1")
        self.assertEqual(2, len(violations(self.ledger.entries)))

    def test_a_request_that_was_never_acknowledged_may_stay_without_an_answer(self):
        self.ledger.delivered("request", "q", 1, "low")
        self.expect_good()

    def test_but_not_once_its_reply_was_acknowledged(self):
        self.ledger.reply_acknowledged("request", "q", "a", "bob")
        self.expect_bad("W1")

    def test_two_different_answers_are_one_too_many(self):
        self.accept()
        self.ledger.answered("request", "q", "a", "inbox", 1)
        self.ledger.answered("request", "q", "b", "inbox", 2)
        self.expect_bad("W2")

    def test_so_are_two_replies_that_were_taken(self):
        self.accept()
        for mark in ("a", "b"):
            self.ledger.reply_acknowledged("request", "q", mark, "bob")
        self.ledger.answered("request", "q", "a", "inbox", 1)
        self.expect_bad("W2")

    def test_the_answer_is_the_reply_that_was_taken(self):
        self.accept()
        self.ledger.reply_acknowledged("request", "q", "a", "bob")
        self.ledger.answered("request", "q", "hub:REQUEST_TIMED_OUT", "inbox", 1)
        self.expect_bad("W2")

    def test_an_answer_that_is_settled_does_not_come_again(self):
        self.accept()
        self.ledger.answered("request", "q", "a", "inbox", 1)
        self.ledger.answer_settled("request", "q", 1)
        self.ledger.answered("request", "q", "a", "wait")  # A repeated request under the same id is another case.
        self.expect_good()
        self.ledger.answered("request", "q", "a", "inbox", 2)
        self.expect_bad("D5")


class Streams(LedgerTest):
    def story(self, acknowledged, shown):
        for part in acknowledged:
            self.ledger.part_acknowledged("stream", "s", part)
        for number, part in shown:
            self.ledger.part_shown("stream", "s", number, part)

    def test_every_part_in_order_and_then_the_answer(self):
        self.story([0, 1], [(1, 0), (2, 1), (2, 1), (3, None)])
        self.expect_good()

    def test_a_part_whose_acknowledgement_was_lost_may_be_there_twice(self):
        self.story([0], [(1, 0), (2, 0), (3, None)])
        self.expect_good()

    def test_bad_streams(self):
        for acknowledged, shown in (([0, 1], [(1, 0), (2, None)]), ([0], [(2, 0)]), ([0, 1], [(1, 1), (2, 0)]),
                                    ([0], [(1, 0), (1, 9)]), ([0], [(1, None), (2, 0)])):
            with self.subTest(shown=shown):
                self.setUp()
                self.story(acknowledged, shown)
                self.expect_bad("X18")


class People(LedgerTest):
    def story(self, sent, taken, shown):
        for verb, marks in (("sent", sent), ("acknowledged", taken), ("shown", shown)):
            for mark in marks:
                self.ledger.write(f"decision_{verb}", "human", "h", outcome=mark)

    def test_one_decision_counts(self):
        for sent, taken, shown in (("a", "a", "aa"), ("ab", "", "b"), ("ab", "b", "b"), ("a", "", "")):
            with self.subTest(sent=sent, taken=taken, shown=shown):
                self.setUp()
                self.story(sent, taken, shown)
                self.expect_good()

    def test_two_another_or_none_do_not(self):
        for sent, taken, shown in (("ab", "ab", "a"), ("ab", "a", "b"), ("ab", "a", ""), ("a", "", "c"), ("ab", "", "ab")):
            with self.subTest(sent=sent, taken=taken, shown=shown):
                self.setUp()
                self.story(sent, taken, shown)
                self.expect_bad("W9")


class Workflows(LedgerTest):
    def start(self):
        self.ledger.workflow_started("workflow", "w", ["a", "b"])

    def end(self, status, **outputs):
        self.ledger.workflow_ended("workflow", "w", status, outputs)

    def test_an_end_with_all_results_and_the_same_when_it_is_read_again(self):
        self.start()
        self.end("COMPLETED", a="x", b="y")
        self.end("COMPLETED", a="x", b="y")
        self.ledger.step_ran("workflow", "w", "b", True)
        self.expect_good()

    def test_one_that_failed_need_not_have_them(self):
        self.start()
        self.end("FAILED", a="x")
        self.expect_good()

    def test_one_that_never_ends_is_lost(self):
        self.start()
        self.expect_bad("W8")

    def test_one_that_ends_twice(self):
        self.start()
        self.end("COMPLETED", a="x", b="y")
        self.end("COMPLETED", a="x", b="z")
        self.expect_bad("W8")

    def test_one_that_completed_without_a_result(self):
        self.start()
        self.end("COMPLETED", a="x")
        self.expect_bad("W8")

    def test_a_step_before_its_approval(self):
        self.start()
        self.ledger.step_ran("workflow", "w", "b", False)
        self.end("COMPLETED", a="x", b="y")
        self.expect_bad("W9")


class Holders(LedgerTest):
    def story(self, moves, holders):
        for to in moves:
            self.ledger.transfer_acknowledged("handoff", "t", to)
        for holder in holders:
            self.ledger.held("handoff", "t", holder, "in the end")

    def test_one_has_it(self):
        for moves, holders in (([], ["ann"]), (["bob"], ["bob"]), (["bob"], ["bob", "bob"]), ([], ["bob"]), ([], [])):
            with self.subTest(moves=moves, holders=holders):
                self.setUp()
                self.story(moves, holders)
                self.expect_good()

    def test_two_the_wrong_one_or_nobody(self):
        for moves, holders in (([], ["ann", "bob"]), (["bob"], ["ann"]), (["bob"], [])):
            with self.subTest(moves=moves, holders=holders):
                self.setUp()
                self.story(moves, holders)
                self.expect_bad("W7")


class Values(LedgerTest):
    def test_the_last_acknowledged_write_is_there(self):
        self.ledger.value_written("state", "s", "k", 1)
        self.ledger.value_written("state", "s", "k", 2)
        self.ledger.value_read("state", "s", {"k": 2, "other": 0})
        self.expect_good()

    def test_an_older_one_or_none_is_not_enough(self):
        self.ledger.value_written("state", "s", "k", 1)
        self.ledger.value_written("state", "s", "k", 2)
        self.expect_bad("S6")
        self.ledger.value_read("state", "s", {"k": 1})
        self.expect_bad("S6")


class Journal(LedgerTest):
    def test_one_record_of_each(self):
        self.ledger.accepted("notice", "m", 1, "low")
        self.ledger.recorded("notice", "m", "acceptance")
        self.expect_good()

    def test_two_records_of_one_fact(self):
        self.ledger.accepted("notice", "m", 1, "low")
        self.ledger.recorded("notice", "m", "acceptance")
        self.ledger.recorded("notice", "m", "acceptance")
        self.expect_bad("A1")

    def test_no_record_of_one_that_a_client_was_told(self):
        self.ledger.accepted("notice", "m", 1, "low")
        self.ledger.accepted("notice", "n", 2, "low")
        self.ledger.recorded("notice", "m", "acceptance")
        self.expect_bad("A1")


if __name__ == "__main__":
    unittest.main()
