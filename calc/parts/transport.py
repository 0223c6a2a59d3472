"""Transport: what a connection carries when acknowledgements take a round trip and packets get lost."""

from math import comb

from calc.quantity import apply, ceil, floor, positive, q, sqrt


# ---------------------------------------------------------------- windows
def bandwidth_delay(bandwidth, round_trip):
    """Bytes that a link and its echo hold, β·RTT: what must be in flight to keep it full."""
    return bandwidth * round_trip


def window_rate(in_flight, round_trip, message=None, bandwidth=None):
    """B/s of `in_flight` bytes per round trip; with `message` and `bandwidth` a round also takes the message's own time.

    Q·m/(RTT + m/β), exact when requests are sent again as soon as they return.
    """
    return in_flight / (round_trip if message is None else round_trip + message / bandwidth)


def outstanding_to_fill(message, bandwidth, round_trip):
    """Requests of `message` bytes that must be outstanding to fill the link: ⌈β·(RTT + m/β)/m⌉."""
    return ceil(bandwidth * (round_trip + message / bandwidth) / message)


def loss_rate(segment, round_trip, loss):
    """B/s that a loss-driven sender reaches at a random loss p per segment: √(3/2)·MSS/(RTT·√p).

    M. Mathis, J. Semke, J. Mahdavi, T. Ott, ACM CCR 27(3) (1997) 67, equation 3, one acknowledgement per segment: the average
    of a window that grows by one segment a round and halves at each loss. For Reno, and about right for CUBIC at small
    windows; senders that model the path (BBR) do not halve.
    """
    return sqrt(1.5 / q(loss)) * segment / round_trip


def loss_to_fill(segment, round_trip, bandwidth):
    """Loss per segment above which a loss-driven sender cannot fill the link: 3/2·(MSS/(RTT·β))²."""
    return 1.5 * (segment / (round_trip * bandwidth)) ** 2


def _ramp(message, window, segment, initial):
    sent, trips, width = 0.0, 0, initial * segment
    while width < window:
        if sent + width >= message:
            return trips, message
        sent, trips, width = sent + width, trips + 1, 2 * width
    return trips, min(sent, message)


def ramp_trips(message, window, segment, initial):
    """Round trips of slow start: the window doubles from `initial` segments until it reaches `window` bytes or the message ends."""
    return apply("slow start", lambda *x: _ramp(*x)[0], message, window, segment, initial)


def ramp_bytes(message, window, segment, initial):
    """Bytes that slow start has sent by then (RFC 5681, section 3.1; initial window of 10: RFC 6928)."""
    return apply("sent by slow start", lambda *x: _ramp(*x)[1], message, window, segment, initial, unit_name="B")


# ---------------------------------------------------------------- loss on reliable links
def go_back_n_share(loss, window_packets):
    """Share of a link that is left when each loss also throws away a window of W packets: (1 − p)/(1 − p + p·W)."""
    kept = 1 - q(loss)
    return kept / (kept + loss * window_packets)


def loss_for_share(share, window_packets):
    """Loss per packet at which `share` of the link is left: (1 − s)/(1 − s + s·W), the inverse of `go_back_n_share`."""
    lost = 1 - q(share)
    return lost / (lost + share * window_packets)


def retransmit_timeout(exponent):
    """Seconds after which an unacknowledged last packet is sent again: 4.096 µs·2^t (InfiniBand Architecture, local ACK timeout)."""
    return q(4.096, "us") * q(2) ** q(exponent)


def goodput(message, bandwidth, share, loss, timeout):
    """B/s of messages of m bytes: m/(m/(β·s) + p·RTO); only a lost last packet waits for the timeout."""
    return message / (message / (bandwidth * share) + loss * timeout)


# ---------------------------------------------------------------- buffers
FIBRE_DELAY = q(5, "ns/m")


def headroom(bandwidth, cable, mtu, response):
    """Bytes that still arrive at a lossless port after it asked for a pause: 2·MTU + β·(2·L·5 ns/m + t_resp)."""
    return 2 * mtu + bandwidth * (2 * cable * FIBRE_DELAY + response)


def incast_queue(senders, burst):
    """Bytes that pile up when S senders send one burst each to one port of their own speed: (S − 1)·b."""
    return (senders - 1) * burst


def dynamic_room(free, alpha):
    """Bytes that one queue may take of a shared buffer with dynamic threshold α: B·α/(1 + α) (A. K. Choudhury, E. L. Hahne, 1998)."""
    return free * alpha / (1 + alpha)


def largest_fan_in(room, burst):
    """Senders that may answer at once: ⌊room/b⌋ + 1, none where there is no room."""
    return q(0) if room.value is not None and room.value <= 0 else floor(room / burst) + 1


# ---------------------------------------------------------------- repair of live media
def propagation(distance, speed=None):
    """Seconds one way through fibre: L/v, v = 2·10⁸ m/s (refractive index 1.5)."""
    return distance / (q(2e8, "m/s") if speed is None else speed)


def slack(budget, round_trip):
    """Seconds left after one way across: max(0, budget − RTT/2)."""
    return positive(budget - round_trip / 2)


def parity_loss(loss, data, repair):
    """Share of packets lost for good in blocks of k data and r repair packets: p·P(r or more of the other k + r − 1 are lost).

    Independent losses, any k packets of the block restore it (a maximum-distance-separable code).
    """
    def left(p, k, r):
        n, r = int(k) + int(r) - 1, int(r)
        return p * sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(r, n + 1))

    return apply("unrepaired", left, loss, data, repair)


def resend_loss(loss, slack_time, round_trip, interval):
    """Share lost for good when each loss is sent again as often as the slack allows: p^(1 + ⌊slack/(RTT + i)⌋)."""
    return q(loss) ** (1 + floor(slack_time / (round_trip + interval)))

