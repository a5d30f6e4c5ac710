"""The pause before the next attempt. It doubles each time and has a random part.

The random part keeps the clients of a restarted daemon from reconnecting at the same moment ("equal jitter", Marc Brooker,
"Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
"""

from __future__ import annotations

import random

FIRST = 0.05
LONGEST = 2.0


def pause(failures: int) -> float:
    """Seconds. None before the first attempt; otherwise between half and all of 50 ms, 100 ms and so on up to 2 s."""
    if failures <= 0:
        return 0.0
    whole: float = min(FIRST * 2 ** min(failures - 1, 16), LONGEST)
    return whole * random.uniform(0.5, 1)
