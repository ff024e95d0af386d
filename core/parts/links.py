"""Which addresses lead to a figure, so that a reader can check it in years to come.

The page of a repository, or a file on a branch, shows something else after the next commit.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_COMMIT = r"[0-9a-f]{7,40}(?=[/?#]|$)"
_ROOT = re.compile(r"https?://(?:www\.)?(?:github|gitlab|bitbucket|codeberg)\.\w+/[^/?#]+(?:/[^/?#]+)?/?(?:[?#]|$)")
_BRANCH = re.compile(
    r"https?://(?:(?:www\.)?(?:github|gitlab|codeberg|bitbucket|huggingface)\.\w+/[^/?#]+/[^/?#]+(?:/-)?/"
    rf"(?:blob|tree|raw|src|resolve)/(?:commit/)?(?!{_COMMIT})"
    rf"|raw\.githubusercontent\.com/[^/?#]+/[^/?#]+/(?!{_COMMIT}))"
)
_SITE = re.compile(r"https?://[^/?#]+/?$")


def leads_to_figure(url: str) -> bool:
    """Whether an address is that of a page or of a file at a commit: no site, no repository, no branch."""
    return not (_SITE.match(url) or _ROOT.match(url) or _BRANCH.match(url))


_SHARED_HOST = "github.com"
"""A web site of many: each repository is a place of its own."""
_COPIES = {
    f"{_SHARED_HOST}/{repository}": "pcpartpicker.com"
    for repository in (
        *("docyx/pc-part-dataset", "ricathsb/CaritasRig"),
        *("JonathanVusich/pcpartpicker-scraper", "briancaffey/pcpartpicker-data"),
    )
}
"""Repositories that hold what another site says: two copies of one site are no second source."""


def place_of(url: str) -> str:
    """Whose word an address gives: its web site, at GitHub the repository, of a copy the site that was copied."""
    address = urlsplit(url)
    owner_and_name = "/".join(address.path.split("/")[:3]) if address.netloc == _SHARED_HOST else ""
    place = address.netloc + owner_and_name
    return _COPIES.get(place, place)
