"""When the network, the server or the browser fails: the built answer stays, the page says why, Retry works."""

import time

import pytest

from scripts.serve import Faults
from tests.browser.driving import answer, answered, expected, status, track, widget

FILES = ["runtime/manifest.json", "assets/est-worker.mjs", "runtime/*/pyodide.mjs", "runtime/*/pyodide.asm.js",
         "runtime/*/pyodide.asm.wasm", "runtime/*/python_stdlib.zip", "runtime/*/*.whl"]
UNAVAILABLE = "document.querySelector('.est-says').textContent.includes('unavailable')"


def touch(page):
    track(page, "batch").press("ArrowRight")


@pytest.mark.parametrize("pattern", FILES)
def test_a_missing_file_is_named_and_retry_recovers(open_page, trial, pattern):
    """Each file of the runtime answered 404 is named within seconds beside the command that gives the answer; Retry works."""
    trial.faults = Faults(missing=[pattern])
    page = open_page()
    touch(page)
    page.wait_for_function(UNAVAILABLE)
    said = status(page)
    assert "404" in said and pattern.rsplit("/", 1)[1].replace("*", "").strip(".") in said and "python -m calc show decode-step" in said
    assert answer(page) == expected(batch=64)
    trial.faults = Faults()
    widget(page).locator(".est-buttons button").click()
    answered(page, expected(batch=128))


def test_wasm_of_any_type_works(open_page, trial):
    """A server that sends .wasm as text/plain serves a page that works."""
    trial.faults = Faults(types={"*.wasm": "text/plain"})
    page = open_page()
    touch(page)
    answered(page, expected(batch=128))


@pytest.mark.parametrize("pattern", ["*/pyodide.mjs", "assets/est-worker.mjs", "*/pyodide.asm.js"])
def test_a_module_of_the_wrong_type_is_named_at_once(open_page, trial, pattern):
    """A module sent as text/plain is refused by browsers; the page names file and type, quickly."""
    trial.faults = Faults(types={pattern: "text/plain"})
    page = open_page()
    start = time.monotonic()
    touch(page)
    page.wait_for_function(UNAVAILABLE)
    assert time.monotonic() - start < (1.5 if "asm" not in pattern else 5)
    assert "text/plain" in status(page) and pattern.split("/")[1] in status(page)


@pytest.mark.parametrize("pattern", ["assets/est.mjs", "assets/est-data.mjs", "assets/est-python.mjs"])
def test_the_client_itself_of_the_wrong_type_is_named(open_page, trial, pattern):
    """Even when the page's own script is refused, the status says so; the built answer stays."""
    trial.faults = Faults(types={pattern: "text/plain"})
    page = open_page()
    page.wait_for_function(UNAVAILABLE)
    assert "est.mjs" in status(page) and answer(page) == expected(batch=64)


def test_a_policy_without_webassembly_is_named(open_page, trial):
    """A content policy that forbids WebAssembly is named instead of a wait without end."""
    trial.faults = Faults(headers={"Content-Security-Policy": "script-src 'self' 'unsafe-inline'; worker-src 'self'; connect-src 'self'"})
    page = open_page()
    touch(page)
    # The policy forbids the evaluation that waiting for a function would need.
    page.locator(".est-says", has_text="unavailable").wait_for()
    assert "policy" in status(page)


def test_a_strict_policy_is_enough(open_page, trial):
    """Nothing of ours needs eval, inline styles, or another origin: a strict policy leaves the page live."""
    policy = ("default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
              "font-src 'self'; worker-src 'self'; connect-src 'self'")
    trial.faults = Faults(headers={"Content-Security-Policy": policy})
    page = open_page()
    touch(page)
    answered(page, expected(batch=128))


def test_a_network_that_goes_away_is_said_and_comes_back(open_page, trial):
    """Offline before the first touch: the page says so and keeps the reader's values; back online Retry applies them."""
    page = open_page()
    page.context.set_offline(True)
    touch(page)
    page.wait_for_function(UNAVAILABLE)
    assert "connection" in status(page)
    page.context.set_offline(False)
    widget(page).locator(".est-buttons button").click()
    answered(page, expected(batch=128))


def change_worker(page, addition="", old="", new=""):
    """Serve the worker with a line put before it, or with a piece replaced."""
    def answer_with(route):
        reply = route.fetch()
        assert old in reply.text()
        route.fulfill(response=reply, body=addition + (reply.text().replace(old, new) if old else reply.text()))

    page.context.route("**/est-worker.mjs", answer_with)


def test_no_memory_is_said(open_page):
    """Where the browser has no memory left for Python, the page says that it did not start and keeps its answer."""
    page = open_page()
    change_worker(page, "WebAssembly.Memory = function () { throw new RangeError('could not allocate memory'); };\n")
    touch(page)
    page.wait_for_function(UNAVAILABLE)
    assert "allocate" in status(page) and answer(page) == expected(batch=64)


def test_a_silent_worker_is_given_up(open_page):
    """A worker that never says hello is given up after ten seconds, with the reason; nothing waits for ever."""
    page = open_page()
    page.clock.install()
    page.context.route("**/est-worker.mjs", lambda route: route.fulfill(content_type="text/javascript", body=""))
    touch(page)
    page.wait_for_function("document.querySelector('.est-says').textContent.includes('Starting')")
    for _ in range(20):
        page.clock.fast_forward(3_000)
        page.wait_for_timeout(100)
    page.wait_for_function(UNAVAILABLE)
    assert "10 seconds" in status(page)


def test_a_calculation_that_hangs_is_stopped(open_page):
    """A call that does not come back in five seconds is stopped, said, and Retry starts a new worker that answers."""
    page = open_page()
    touch(page)
    answered(page, expected(batch=128))
    page.clock.install()
    page.evaluate("""() => {
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (message) {
            if (!window.dropped && message.id) window.dropped = true; else post.call(this, message);
        };
    }""")
    touch(page)
    page.wait_for_timeout(200)
    page.clock.fast_forward(6_000)
    page.wait_for_function(UNAVAILABLE)
    assert "5 seconds" in status(page) and answer(page) == expected(batch=128)
    widget(page).locator(".est-buttons button").click()
    answered(page, expected(batch=256))


def test_python_can_be_started_again_and_again(open_page):
    """Five stops and restarts in one page leave a page that answers: a stopped worker gives its memory back."""
    page = open_page()
    touch(page)
    answered(page, expected(batch=128))
    address = page.locator('script[src$="est.mjs"]').evaluate("script => script.src.replace('est.mjs', 'est-python.mjs')")
    for _ in range(4):
        page.evaluate("address => import(address).then((module) => module.restart())", address)
        page.wait_for_function("document.querySelector('.est').classList.contains('est-live')", timeout=25_000)
    touch(page)
    answered(page, expected(batch=256))


def test_an_estimator_that_prints_still_answers(open_page):
    """What Python prints goes to the console, stops nothing, and is no part of the answer."""
    page = open_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    noisy = """python.runPython("import calc.web, calc.estimator\\nrun = calc.estimator.Estimator.run\\n"
        + "calc.estimator.Estimator.run = lambda self, values: (print('printed'), run(self, values))[1]"); stage("calc");"""
    change_worker(page, old='stage("calc");', new=noisy)
    touch(page)
    answered(page, expected(batch=128))
    assert "printed" in said


def test_browsers_without_promise_integration_work(open_page):
    """Nothing needs WebAssembly's promise integration, which Safari lacks."""
    page = open_page()
    change_worker(page, "delete WebAssembly.Suspending; delete WebAssembly.promising;\n")
    touch(page)
    answered(page, expected(batch=128))


def test_saving_data_asks_first(open_page, trial):
    """With Save-Data on, nothing of Python is fetched until the reader agrees to the size that is named."""
    page = open_page()
    page.evaluate("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    touch(page)
    page.wait_for_function("document.querySelector('.est-says').textContent.includes('save data')")
    assert "MB" in status(page) and not [r for r in trial.log if ".wasm" in r.path]
    widget(page).locator(".est-buttons button").click()
    answered(page, expected(batch=128))


def test_stages_are_said_in_order(open_page, trial):
    """While Python starts the status goes through its stages, the first of which names the size."""
    trial.faults = Faults(delay=0.15)
    page = open_page()
    page.evaluate("""() => {
        window.said = [];
        new MutationObserver(() => {
            const text = document.querySelector('.est-says').textContent;
            if (window.said.at(-1) !== text) window.said.push(text);
        }).observe(document.querySelector('.est-status'), { childList: true, subtree: true, characterData: true });
    }""")
    touch(page)
    answered(page, expected(batch=128))
    said = page.evaluate("window.said")
    assert any("MB" in s for s in said) and said[-1] == "Live"
    order = [next((i for i, s in enumerate(said) if word in s), -1) for word in ("loading", "unpacking", "Live")]
    assert order == sorted(order) and -1 not in order


def test_from_the_disk_the_answers_stand(browser, book):
    """Opened as a file the page shows its answers and how to serve it, and no dead form; the console has no error of ours."""
    page = browser.new_context().new_page()
    page.goto(f"file://{book.folder}/index.html")
    assert answer(page) == expected(batch=64)
    assert page.locator(".est-form").is_hidden() and "http.server" in page.locator(".file-notice").text_content()
    page.context.close()
