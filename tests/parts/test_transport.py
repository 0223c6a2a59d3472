"""Transport: windows, losses and repairs played out packet by packet, and the outlines' cases."""

import random

import pytest

from calc.parts import transport
from calc.quantity import ceil, positive, q, smallest
from tests.parts.outline import agree, parametrize


def bandwidth_delay_window(link, round_trip, message, outstanding, issue_time):
    """The terms of chapter 7's window."""
    rate = link.bandwidth
    window = transport.window_rate(outstanding * message, round_trip, message, rate)
    issue = message / issue_time
    reached = smallest(rate, window, issue)
    return {"bandwidth_delay_product": transport.bandwidth_delay(rate, round_trip), "bytes_in_flight": outstanding * message,
            "one_message_time": round_trip + message / rate, "window_limit": window, "issue_limit": issue, "achieved_rate": reached,
            "share_of_link": reached / rate, "outstanding_to_fill": transport.outstanding_to_fill(message, rate, round_trip),
            "half_rate_message": transport.bandwidth_delay(rate, round_trip)}


def loss_goodput(link, round_trip, packet, message, loss, timeout_exponent):
    """The terms of chapter 7's loss."""
    rate = link.bandwidth
    window = transport.bandwidth_delay(rate, round_trip) / packet
    share = transport.go_back_n_share(loss, window)
    timeout = transport.retransmit_timeout(timeout_exponent)
    go_back = transport.goodput(message, rate, share, loss, timeout)
    return {"goodput_go_back_n": go_back, "goodput_selective": transport.goodput(message, rate, 1 - loss, loss, timeout),
            "window_packets": window, "packets_per_message": ceil(message / packet), "ideal_time": message / rate,
            "resend_time_go_back_n": message / (rate * share) - message / rate, "timeout": timeout, "mean_timeout_wait": loss * timeout,
            "share_of_link": go_back / rate, "message_where_window_waste_passes_timeout": timeout * rate / window,
            "loss_for_90_percent_of_link": transport.loss_for_share(0.9, window)}


def incast_buffer(senders, burst_size, link, buffer, cable_length, ports, dynamic_alpha, mtu, response_time):
    """The terms of chapter 7's incast."""
    peak = transport.incast_queue(senders, burst_size)
    per_port = transport.headroom(link.bandwidth, cable_length, mtu, response_time)
    left = positive(buffer - ports * per_port)
    room = transport.dynamic_room(left, dynamic_alpha)
    return {"largest_fan_in": transport.largest_fan_in(room, burst_size), "queue_peak": peak, "headroom_per_port": per_port,
            "reserved_headroom": ports * per_port, "shared_left": left, "room_for_one_queue": room, "drain_time": peak / link.bandwidth}


def tcp_window_loss(round_trip, loss, link_bandwidth, window, message, mss, setup_trips, initial_window):
    """The terms of chapter 12's connection."""
    by_loss, by_window = transport.loss_rate(mss, round_trip, loss), transport.window_rate(window, round_trip)
    rate = smallest(link_bandwidth, by_window, by_loss)
    at_rate = rate * round_trip
    trips = transport.ramp_trips(message, at_rate, mss, initial_window)
    bulk = positive(message - transport.ramp_bytes(message, at_rate, mss, initial_window)) / rate
    setup = setup_trips * round_trip
    return {"rate": rate, "link_rate": link_bandwidth, "window_rate": by_window, "loss_rate": by_loss, "setup": setup, "ramp_trips": trips,
            "bulk": bulk, "delivery": setup + trips * round_trip + bulk + round_trip / 2, "naive": message / link_bandwidth,
            "bandwidth_delay_product": transport.bandwidth_delay(link_bandwidth, round_trip),
            "loss_to_fill_link": transport.loss_to_fill(mss, round_trip, link_bandwidth)}


def loss_repair(loss, round_trip, latency_budget, repair_scheme, data_packets, repair_packets, packet_interval, second_loss):
    """The terms of chapter 12's repair."""
    left = transport.slack(latency_budget, round_trip)
    found = {"slack": left}
    if latency_budget.value < round_trip.value / 2:
        return found
    if repair_scheme == "parity":
        delay = (data_packets + repair_packets - 1) * packet_interval
        late = delay.value > left.value
        found |= {"added_delay": delay, "residual_loss": loss if late else transport.parity_loss(loss, data_packets, repair_packets)}
    elif repair_scheme == "resend":
        found["residual_loss"] = transport.resend_loss(loss, left, round_trip, packet_interval)
    elif repair_scheme == "two-path":
        found["residual_loss"] = loss * second_loss
    return found


@parametrize((7, "bandwidth-delay-window", bandwidth_delay_window), (7, "loss-goodput", loss_goodput), (7, "incast-buffer", incast_buffer),
             (12, "tcp-window-loss", tcp_window_loss), (12, "loss-repair", loss_repair))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


def lossy_sender(loss, rounds, seed):
    """Mean window in segments of a sender that adds one segment a round and halves at a loss, at a random loss per segment."""
    dice, window, sent = random.Random(seed), 10.0, 0.0
    for _ in range(rounds):
        sent += window
        window = max(1.0, window / 2) if dice.random() > (1 - loss) ** window else window + 1
    return sent / rounds


def test_the_square_root_law_simulated():
    """A sender that grows by one segment a round and halves at each loss has the formula's window, within 8 %."""
    for loss in (1e-3, 1e-4):
        formula = transport.loss_rate(q(1460, "B"), q(80, "ms"), loss) * q(80, "ms") / q(1460, "B")
        assert lossy_sender(loss, 300_000, 1) == pytest.approx(formula.value, rel=0.08)


def test_a_published_rate():
    """64 KiB per 100 ms is 5.24 Mbit/s, and filling a link at its own loss limit gives the link's rate."""
    assert transport.window_rate(q(64, "KiB"), q(100, "ms")).to("Mbit/s") == pytest.approx(5.243, rel=1e-3)
    limit = transport.loss_to_fill(q(1460, "B"), q(80, "ms"), q(100, "Mbit/s"))
    assert transport.loss_rate(q(1460, "B"), q(80, "ms"), limit).to("Mbit/s") == pytest.approx(100)


def test_go_back_n_played_out():
    """A link that throws away the rest of its window at each lost packet keeps the formula's share of its slots."""
    dice, loss, window, useful, slots = random.Random(4), 0.01, 20, 0, 0
    while useful < 200_000:
        if dice.random() < loss:
            slots += window
        else:
            slots, useful = slots + 1, useful + 1
    assert useful / slots == pytest.approx(transport.go_back_n_share(loss, window).value, rel=0.01)


def test_share_and_loss_are_inverse():
    """The loss that leaves 90 % of a link leaves 90 % of it."""
    loss = transport.loss_for_share(0.9, 122)
    assert transport.go_back_n_share(loss, 122).value == pytest.approx(0.9) and loss.value == pytest.approx(1 / (1 + 9 * 122))


def test_slow_start_played_out():
    """Ten, twenty and forty segments fill three round trips; a short message ends inside the ramp."""
    window, segment = q(60 * 1460, "B"), q(1460, "B")
    assert transport.ramp_trips(q(2, "MB"), window, segment, 10).value == 3
    assert transport.ramp_bytes(q(2, "MB"), window, segment, 10).value == 70 * 1460
    assert transport.ramp_trips(q(50, "kB"), window, segment, 10).value == 2
    assert transport.ramp_bytes(q(50, "kB"), window, segment, 10).value == 50_000
    assert transport.ramp_trips(q(2, "MB"), q(5, "kB"), segment, 10).value == 0


def test_parity_simulated():
    """Blocks of six and two lose for good what the formula says, at a loss high enough to count."""
    dice, bad, packets = random.Random(9), 0, 0
    for _ in range(60_000):
        lost = [dice.random() < 0.1 for _ in range(8)]
        packets += 6
        bad += sum(lost[:6]) if sum(lost) > 2 else 0
    assert bad / packets == pytest.approx(transport.parity_loss(0.1, 6, 2).value, rel=0.04)


def test_no_room_no_sender():
    """A buffer without room admits no sender, and one burst more than fits overflows it."""
    assert transport.largest_fan_in(q(0, "B"), q(1, "MB")).value == 0
    most = transport.largest_fan_in(q(10.5, "MB"), q(1, "MB")).value
    assert transport.incast_queue(most, q(1, "MB")).value <= 10.5e6 < transport.incast_queue(most + 1, q(1, "MB")).value


def test_light_in_fibre():
    """10,000 km of fibre take 50 ms one way."""
    assert transport.propagation(q(10_000, "km")).to("ms") == pytest.approx(50)
