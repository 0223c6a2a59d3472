"""Moving bytes through one link: the alpha-beta model, t = n·α + M/β (n pieces, α per piece, M bytes, β bytes per second)."""


def transfer_time(message, bandwidth, efficiency=1):
    """Seconds that the bytes take: M / (e·β)."""
    return message / (efficiency * bandwidth)


def half_speed_piece(latency, bandwidth, efficiency=1):
    """Bytes of a piece that travels at half the link's speed: α·e·β."""
    return latency * efficiency * bandwidth
