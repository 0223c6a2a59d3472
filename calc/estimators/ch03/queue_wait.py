"""How long requests wait although the average load fits."""

from calc.estimator import Choice, Slider, estimator
from calc.parts import queueing
from calc.quantity import let, limit, term


@estimator(
    "queue-wait", chapter=3, title="The wait behind an average",
    question="How long do requests wait when the average fits?",
    excludes="any order but first come, first served, batching (there the service time depends on the load), requests that give up, a rate that "
             "drifts; bursts wait longer than this says: with a squared variation of 9 between arrivals, the simulated mean of one queue (ten "
             "servers, 80 % busy) was 1.6 times as long",
    sweep="arrival_rate", draws=("wait_p", "mean_wait"),
    rising=("arrival_rate", "service_time", "arrival_cv2", "service_cv2", "percentile"), falling=("servers",),
)
def queue_wait(
    arrival_rate=Slider(8, 0.01, 1000, unit="1/s", log=True, symbol="λ", whole=False, help="requests that arrive per second"),
    service_time=Slider(1, 0.01, 600, unit="s", log=True, symbol="s", whole=False, help="time for which one request holds one server"),
    servers=Slider(10, 1, 512, log=True, symbol="c", help="slots or replicas that take from one queue"),
    arrival_cv2=Slider(1, 0, 100, symbol="c_a²", name="arrival variation", whole=False, ladder="125", help="squared coefficient of variation of the times between arrivals; 1 is Poisson"),
    service_cv2=Slider(1, 0, 10, symbol="c_s²", name="service variation", whole=False, help="squared coefficient of variation of the service times; 0 is constant"),
    percentile=Choice(95, (50, 90, 95, 99), symbol="p", help="per cent of the requests that wait no longer"),
):
    load = term("offered_load", queueing.present(arrival_rate, service_time), "a", "", "Offered load", "Servers that would be busy for ever.", label="servers")
    use = term("utilization", queueing.utilization(arrival_rate, service_time, servers), "ρ", "", "Utilization", "Share of the servers' time that is used.")
    limit("Servers keep up", load, servers, "arrivals exceed the service rate", strict=True)
    chance = term("probability_of_waiting", queueing.erlang_c(servers, load), "C", "", "Chance of having to wait", "All servers are busy on arrival (Erlang C).")
    spread = term("variability", queueing.variability(arrival_cv2, service_cv2), "v", "", "Variability", "What clumping and uneven lengths multiply the wait by.")
    theta = term("mean_wait_if_waiting", queueing.wait_if_waiting(service_time, servers, use, spread), "θ", "s", "Wait of those who wait",
                 "Explodes as the last spare capacity goes.")
    mean = term("mean_wait", queueing.mean_wait(chance, theta), "W", "s", "Mean wait", "Over all requests, with those who do not wait.")
    wait = term("wait_p", queueing.wait_at(let("p", percentile / 100, "share that waits no longer"), chance, theta), "W_p", "s", "Wait at the percentile",
                "What a promise has to name; 0 when fewer than that have to wait.")
    term("queue_length", queueing.present(arrival_rate, mean), "L_q", "", "Requests in the queue", "Little's law once more.", label="requests")
    term("response_mean", mean + service_time, "T", "s", "Mean time in the system", "The wait and the service.")
    return wait
