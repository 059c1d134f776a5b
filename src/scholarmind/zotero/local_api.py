"""A running Zotero, asked at its local address. It has to be allowed there: Settings, Advanced, "Allow other applications ...".

Nothing is asked of any other machine: an address elsewhere is refused, since the files that are named would not be here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from urllib.request import url2pathname

from scholarmind.errors import QueryError, ReadError
from scholarmind.zotero.items import ZoteroContents
from scholarmind.zotero.zotero_database import named_collection

if TYPE_CHECKING:
    import httpx2

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
_AT_ONCE = 1_000  # objects a page
_SECONDS = 60.0
_HEADERS = {"Zotero-API-Version": "3"}
_FILES = frozenset({"imported_file", "imported_url", "linked_file"})
_ADVICE = "start Zotero 7 or newer, and allow other applications to communicate with it (Settings, Advanced)"


@dataclass(frozen=True, slots=True)
class ZoteroLocalApi:
    """The address of a Zotero on this machine, such as http://localhost:23119/api."""

    address: str

    def read(self, collection: str = "", group: str = "") -> ZoteroContents:
        """Return what a collection holds, with those below it; without a name the whole library, the user's own or a group's."""
        import httpx2  # noqa: PLC0415

        if urlsplit(self.address).hostname not in _HERE:
            raise QueryError(f"{self.address!r} is not on this machine; give such as http://localhost:23119/api")
        try:
            with httpx2.Client(headers=_HEADERS, timeout=_SECONDS, trust_env=False) as client:
                return self._read(client, collection, group)
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            raise ReadError(f"Zotero does not answer at {self.address!r}: {error}", _ADVICE) from error

    def _read(self, client: "httpx2.Client", collection: str, group: str) -> ZoteroContents:
        home = self._home(client, group) if group else "library"
        place = home if group else "users/0"
        name, key, wanted = "My Library", "", set[str]()
        if collection:
            found = {str(one["key"]): one for one in self._data(client, f"{place}/collections")}
            parents = {key: str(one.get("parentCollection") or "") or None for key, one in found.items()}
            key = named_collection(collection, {key: (str(found[key]["name"]), parents[key], key) for key in found})
            name, wanted = str(found[key]["name"]), {key}
            while more := {one for one, parent in parents.items() if parent in wanted} - wanted:
                wanted |= more
        objects = _belonging(self._data(client, f"{place}/items"), wanted)
        if not any(
            one.get("itemType") == "annotation" for one in objects
        ):  # which this Zotero tells of below their files only
            files = [one for one in objects if one.get("contentType") == "application/pdf"]
            objects += [one for file in files for one in self._data(client, f"{place}/items/{file['key']}/children")]
        with_files = [self._with_file(client, place, one) for one in objects]
        items = [
            str(one["key"]) for one in with_files if one.get("itemType") not in {"attachment", "note", "annotation"}
        ]
        return ZoteroContents(
            name=name, collection=key, home=home, objects=tuple(with_files), keys=self._better_bibtex(client, items)
        )

    def _home(self, client: "httpx2.Client", group: str) -> str:
        groups = self._data(client, "users/0/groups")
        for one in groups:
            if group in {str(one.get("name")), str(one.get("id"))}:
                return f"groups/{one['id']}"
        known = ", ".join(repr(one.get("name")) for one in groups) or "none"
        raise QueryError(f"Zotero has no group {group!r}; it has {known}")

    def _data(self, client: "httpx2.Client", path: str) -> list[dict[str, Any]]:
        """Return all objects of a kind, however many pages they fill; an attachment with the address of its file."""
        found: list[dict[str, Any]] = []
        while True:
            parameters = {"start": str(len(found)), "limit": str(_AT_ONCE), "sort": "dateAdded", "direction": "asc"}
            answer = client.get(f"{self.address.rstrip('/')}/{path}", params=parameters)
            page = self._checked(answer)
            for one in page:
                data = dict(cast("Mapping[str, Any]", one.get("data") or one))
                links = cast("dict[str, Any]", one.get("links") or {})
                data["address"] = str(cast("dict[str, Any]", links.get("enclosure") or {}).get("href") or "")
                data.setdefault("key", str(one.get("key") or ""))
                found.append(data)
            total = answer.headers.get("Total-Results", "")
            if not page or not total.isdigit() or len(found) >= int(total):
                return found

    def _checked(self, answer: "httpx2.Response") -> list[dict[str, Any]]:
        if answer.status_code != 200:
            raise ReadError(
                f"Zotero answers {answer.status_code} at {str(answer.url)!r}: {answer.text[:200]!r}", _ADVICE
            )
        try:
            page: Any = answer.json()
        except ValueError as error:
            raise ReadError(f"what answers at {str(answer.url)!r} is not Zotero: {error}", _ADVICE) from error
        if not isinstance(page, list):
            raise ReadError(f"what answers at {str(answer.url)!r} is not Zotero: no list of objects", _ADVICE)
        return [cast("dict[str, Any]", one) for one in cast("list[Any]", page) if isinstance(one, dict)]

    def _with_file(self, client: "httpx2.Client", place: str, data: dict[str, Any]) -> dict[str, Any]:
        if data.get("itemType") != "attachment" or data.get("linkMode") not in _FILES:
            return data
        address = str(data["address"])
        if not address.startswith("file:"):
            answer = client.get(f"{self.address.rstrip('/')}/{place}/items/{data['key']}/file/view/url")
            address = answer.text.strip() if answer.status_code == 200 else ""
        path = url2pathname(urlsplit(address).path) if address.startswith("file:") else ""
        return data | {"file": path}

    def _better_bibtex(self, client: "httpx2.Client", items: Sequence[str]) -> Mapping[str, str]:
        """Return the keys that Better BibTeX has for items, where it is installed."""
        parts = urlsplit(self.address)
        asked = {"jsonrpc": "2.0", "id": 1, "method": "item.citationkey", "params": [list(items)]}
        answer = client.post(f"{parts.scheme}://{parts.netloc}/better-bibtex/json-rpc", json=asked)
        try:
            body: Any = answer.json() if answer.status_code == 200 else {}
        except ValueError:
            return {}
        keys: Any = cast("dict[str, Any]", body).get("result") if isinstance(body, dict) else None
        found = cast("dict[str, Any]", keys) if isinstance(keys, dict) else {}
        return {item: key for item, key in found.items() if isinstance(key, str) and key}


def _belonging(objects: Sequence[dict[str, Any]], collections: set[str]) -> list[dict[str, Any]]:
    """Return the objects that stand in one of these collections, with what hangs on them; without collections, all."""
    by_key = {str(one["key"]): one for one in objects}
    kept: list[dict[str, Any]] = []
    for one in objects:
        top = one
        for _ in range(4):
            top = by_key.get(str(top.get("parentItem") or ""), top)
        orphan = bool(top.get("parentItem")) or top.get("deleted")
        if not orphan and (not collections or collections & set(map(str, top.get("collections") or ()))):
            kept.append(one)
    return kept
