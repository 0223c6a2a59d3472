"""How the tests drive a widget."""

import re

LIVE = 25_000  # milliseconds that a start of Python may take on a busy machine


def widget(page, name="decode-step"):
    """The widget's section."""
    return page.locator(f'section[id="{name}"]')


def box(page, input, name="decode-step"):
    """The text box or list of an input."""
    return page.locator(f'[id="{name}.{input}"]')


def track(page, input, name="decode-step"):
    """The slider of an input."""
    return page.locator(f'[id="{name}.{input}-r"]')


def answer(page, name="decode-step"):
    """The big number, spaces plain."""
    return page.locator(f'[id="{name}.answer"]').text_content().replace("\u00a0", " ")


def live(page, name="decode-step"):
    """Wait until the widget is live and at rest."""
    page.wait_for_function(
        """name => { const s = document.getElementById(name); return s && s.classList.contains('est-live')
                     && !s.classList.contains('est-pending'); }""", arg=name, timeout=LIVE)


def status(page, name="decode-step"):
    """The status line's words."""
    return widget(page, name).locator(".est-says").text_content()


def answered(page, text, name="decode-step"):
    """Wait until the answer reads `text`."""
    page.wait_for_function("([id, text]) => document.getElementById(id).textContent.replaceAll('\\u00a0', ' ') === text",
                           arg=[f"{name}.answer", text], timeout=LIVE)


def expected(id="decode-step", **inputs):
    """The answer's text as the package computes it here."""
    from calc import estimator, explain

    return explain.answer_text(estimator.call(id, **inputs)).replace("\u00a0", " ")


def fetched(server, pattern):
    """Paths in the server's log that match, with bytes or a 304."""
    return [r.path for r in server.log if re.search(pattern, r.path)]
