"""A double of Qdrant's REST interface over the embedded engine, for tests of the served store.

Requests are validated by qdrant-client's own models and run by the same engine code as a server,
so scores and filters are real. What we do not support is refused with 400, never ignored. It is
still our reading of the wire format: it cannot show what only a server does.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import qdrant_edge as engine
import uvicorn
from qdrant_client import models
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from starlette.requests import Request

_PAYLOAD_TYPES = {
    "integer": engine.PayloadSchemaType.Integer,
    "keyword": engine.PayloadSchemaType.Keyword,
}
_MODES = {
    None: engine.UpdateMode.Upsert,
    models.UpdateMode.UPSERT: engine.UpdateMode.Upsert,
    models.UpdateMode.INSERT_ONLY: engine.UpdateMode.InsertOnly,
}


OTHERS = {"tenant": "b" * 16 + "/repo", "version": 99}
"""What another installation's point says of itself."""


class QdrantDouble:
    """The app and its state. `refusals` holds (status, reason) for the next requests, in order.

    `requests` lists what arrived, `sizes` how many bytes each had. `lost_replies` requests are
    carried out and answered with 503. `on_request` is called with method and path before a request
    is carried out.
    """

    def __init__(
        self, directory: Path, *, api_key: str | None = None, read_key: str | None = None
    ) -> None:
        self._directory = directory
        self._api_key = api_key
        self._read_key = read_key
        self._aliases: dict[str, str] = {}
        self._shards: dict[str, Any] = {}
        self._configs: dict[str, dict[str, Any]] = {}
        self.refusals: list[tuple[int, str]] = []
        self.lost_replies = 0
        self.requests: list[tuple[str, str]] = []
        self.sizes: list[tuple[str, int]] = []
        self.on_request: Callable[[str, str], None] = lambda method, path: None
        self.url = ""
        name = "/collections/{name}"
        self.app = Starlette(
            routes=[
                self._route("/collections", self._list, "GET"),
                self._route(name, self._info, "GET"),
                self._route(name, self._create, "PUT"),
                self._route(name, self._drop, "DELETE"),
                self._route("/aliases", self._list_aliases, "GET"),
                self._route("/collections/aliases", self._change_aliases, "POST"),
                self._route(f"{name}/index", self._index, "PUT"),
                self._route(f"{name}/points", self._upsert, "PUT"),
                self._route(f"{name}/points", self._retrieve, "POST"),
                self._route(f"{name}/points/delete", self._delete, "POST"),
                self._route(f"{name}/points/query/batch", self._query, "POST"),
                self._route(f"{name}/points/count", self._count, "POST"),
                self._route(f"{name}/points/scroll", self._scroll, "POST"),
            ]
        )

    def _route(
        self, path: str, endpoint: Callable[[Request], Awaitable[Any]], method: str
    ) -> Route:
        async def answer(request: Request) -> Response:
            self.requests.append((method, request.url.path))
            self.sizes.append((request.url.path, int(request.headers.get("content-length", 0))))
            refused = self._refusal(request)
            if refused is not None:
                return refused
            self.on_request(method, request.url.path)
            if self.refusals:
                status, reason = self.refusals.pop(0)
                return _failure(status, reason)
            try:
                result = await endpoint(request)
            except FileExistsError as error:
                return _failure(409, f"Wrong input: Collection `{error}` already exists!")
            except LookupError as error:
                return _failure(404, f"Not found: Collection `{error.args[0]}` doesn't exist!")
            except ValueError as error:
                return _failure(400, f"Wrong input: {error}")
            if self.lost_replies:
                self.lost_replies -= 1
                return _failure(503, "the reply got lost")
            return JSONResponse({"result": result, "status": "ok", "time": 0.0})

        return Route(path, answer, methods=[method])

    def _refusal(self, request: Request) -> Response | None:
        """Check the key; one that may only read is refused at whatever changes something."""
        given = request.headers.get("api-key")
        if self._api_key is None or given == self._api_key:
            return None
        if given is None or given != self._read_key:
            return Response("Must provide an API key or an Authorization bearer token", 401)
        reads = ("/points", "/query/batch", "/count", "/scroll")
        asks = request.method == "POST" and request.url.path.endswith(reads)
        if request.method == "GET" or asks:
            return None
        return _failure(403, "Forbidden: Global access is required, this key may only read")

    def names(self) -> list[str]:
        """Return the collections, by name."""
        return sorted(self._shards)

    def layout(self, name: str) -> dict[str, Any]:
        """Return what a collection was asked to be like."""
        return self._configs[name]

    def copy(self, name: str, number: int, ident: str) -> None:
        """Write a point of a collection once more under another id, as another client would."""
        shard = self._shards[name]
        records, _ = shard.scroll(
            engine.ScrollRequest(limit=number, with_payload=True, with_vector=True)
        )
        points = [engine.Point(ident, one.vector, {**one.payload, **OTHERS}) for one in records]
        shard.update(engine.UpdateOperation.upsert_points(points))

    async def _list_aliases(self, _: Request) -> Any:
        return {
            "aliases": [
                {"alias_name": alias, "collection_name": name}
                for alias, name in self._aliases.items()
            ]
        }

    async def _change_aliases(self, request: Request) -> Any:
        body = models.ChangeAliasesOperation.model_validate(await request.json())
        for action in body.actions:
            if isinstance(action, models.DeleteAliasOperation):
                self._aliases.pop(action.delete_alias.alias_name, None)
            elif isinstance(action, models.CreateAliasOperation):
                made = action.create_alias
                if made.collection_name not in self._shards:
                    raise LookupError(made.collection_name)
                self._aliases[made.alias_name] = made.collection_name
            else:
                raise ValueError("aliases are made and deleted, not renamed")  # noqa: TRY004
        return True

    def _shard(self, request: Request) -> Any:
        name = request.path_params["name"]
        name = self._aliases.get(name, name)
        if name not in self._shards:
            raise LookupError(name)
        return self._shards[name]

    def forget(self) -> None:
        """Lose every collection, as after a restore of nothing."""
        for shard in self._shards.values():
            shard.close()
        self._shards.clear()
        self._configs.clear()
        self._aliases.clear()
        shutil.rmtree(self._directory, ignore_errors=True)

    async def _list(self, _: Request) -> Any:
        return {"collections": [{"name": name} for name in self._shards]}

    async def _create(self, request: Request) -> Any:
        name = request.path_params["name"]
        body = models.CreateCollection.model_validate(await request.json())
        if name in self._shards:
            raise FileExistsError(name)
        self.make(name, body)
        return True

    def make(self, name: str, body: models.CreateCollection) -> None:
        """Create a collection; unnamed vectors count as another program's."""
        vectors = body.vectors if isinstance(body.vectors, dict) else {"": body.vectors}
        vectors = vectors or dict(_NOTHING)
        config = engine.EdgeConfig(
            vectors={
                key: engine.EdgeVectorParams(size=params.size, distance=engine.Distance.Cosine)
                for key, params in vectors.items()
                if params is not None
            },
            sparse_vectors={
                key: engine.EdgeSparseVectorParams() for key in body.sparse_vectors or {}
            },
        )
        path = self._directory / name
        path.mkdir(parents=True)
        self._shards[name] = engine.EdgeShard.create(str(path), config)
        self._configs[name] = body.model_dump(mode="json", exclude_none=True)

    async def _info(self, request: Request) -> Any:
        shard, name = self._shard(request), request.path_params["name"]
        body = self._configs[self._aliases.get(name, name)]
        params = {
            key: body[key]
            for key in ("vectors", "sparse_vectors", "shard_number", "replication_factor")
            if key in body
        }
        return {
            "status": "green",
            "optimizer_status": "ok",
            "points_count": shard.count(engine.CountRequest(exact=True)),
            "segments_count": 1,
            "config": {
                "params": params,
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                "optimizer_config": {
                    "deleted_threshold": 0.2,
                    "vacuum_min_vector_number": 1000,
                    "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
            },
            "payload_schema": {},
        }

    async def _drop(self, request: Request) -> Any:
        name = request.path_params["name"]
        if name not in self._shards:
            return False  # a server deletes collections by their own name only
        self._shards[name].close()
        self._aliases = {key: to for key, to in self._aliases.items() if to != name}
        del self._shards[name], self._configs[name]
        shutil.rmtree(self._directory / name)
        return True

    async def _index(self, request: Request) -> Any:
        body = models.CreateFieldIndex.model_validate(await request.json())
        schema = body.field_schema
        kind = schema.type if isinstance(schema, models.KeywordIndexParams) else schema
        operation = engine.UpdateOperation.create_field_index(
            body.field_name, _PAYLOAD_TYPES[str(getattr(kind, "value", kind))]
        )
        self._shard(request).update(operation)
        return _COMPLETED

    async def _upsert(self, request: Request) -> Any:
        body = models.PointsList.model_validate(await request.json())
        points = [
            engine.Point(
                str(point.id),
                {key: _vector(value) for key, value in _named(point.vector).items()},
                point.payload,
            )
            for point in body.points
        ]
        self._shard(request).update(
            engine.UpdateOperation.upsert_points(points, update_mode=_MODES[body.update_mode])
        )
        return _COMPLETED

    async def _delete(self, request: Request) -> Any:
        given = await request.json()
        if "points" in given:
            ids: list[Any] = [str(one) for one in models.PointIdsList.model_validate(given).points]
            operation = engine.UpdateOperation.delete_points(ids)
        else:
            body = models.FilterSelector.model_validate(given)
            operation = engine.UpdateOperation.delete_points_by_filter(_filter(body.filter))
        self._shard(request).update(operation)
        return _COMPLETED

    async def _query(self, request: Request) -> Any:
        body = models.QueryRequestBatch.model_validate(await request.json())
        return [{"points": self._search(request, query)} for query in body.searches]

    def _search(self, request: Request, query: models.QueryRequest) -> list[dict[str, Any]]:
        if query.prefetch or query.score_threshold or query.offset or query.query is None:
            raise ValueError("only plain nearest queries are supported")
        found = self._shard(request).query(
            engine.QueryRequest(
                limit=query.limit or 10,
                query=engine.Query.Nearest(_vector(query.query), using=query.using),
                filter=_filter(query.filter),
                with_payload=bool(query.with_payload),
            )
        )
        return [
            {"id": str(hit.id), "version": hit.version, "score": hit.score, "payload": hit.payload}
            for hit in found
        ]

    async def _count(self, request: Request) -> Any:
        body = models.CountRequest.model_validate(await request.json())
        condition = _filter(body.filter)
        counted = self._shard(request).count(engine.CountRequest(exact=True, filter=condition))
        return {"count": counted}

    async def _retrieve(self, request: Request) -> Any:
        body = models.PointRequest.model_validate(await request.json())
        ids: list[Any] = [str(one) for one in body.ids]
        records = self._shard(request).retrieve(ids, True, bool(body.with_vector))
        return [
            {"id": str(one.id), "payload": one.payload, "vector": _vectors_out(one.vector)}
            for one in records
        ]

    async def _scroll(self, request: Request) -> Any:
        body = models.ScrollRequest.model_validate(await request.json())
        records, following = self._shard(request).scroll(
            engine.ScrollRequest(
                limit=body.limit or 10,
                offset=None if body.offset is None else str(body.offset),
                filter=_filter(body.filter),
                with_payload=bool(body.with_payload),
                with_vector=bool(body.with_vector),
            )
        )
        return {
            "points": [
                {
                    "id": str(record.id),
                    "payload": record.payload,
                    "vector": _vectors_out(record.vector),
                }
                for record in records
            ],
            "next_page_offset": None if following is None else str(following),
        }


_COMPLETED = {"operation_id": 0, "status": "completed"}


_NOTHING = {"": models.VectorParams(size=1, distance=models.Distance.COSINE)}
"""The engine has no collection without vectors; nobody writes or asks this one."""


def _vectors_out(vector: Any) -> Any:
    if not isinstance(vector, dict):
        return vector
    return {
        name: {"indices": one.indices, "values": one.values}
        if isinstance(one, engine.SparseVector)
        else list(one)
        for name, one in vector.items()
    }


def _failure(status: int, reason: str) -> Response:
    return JSONResponse({"status": {"error": reason}, "time": 0.0}, status_code=status)


def _named(vector: Any) -> dict[str, Any]:
    if not isinstance(vector, dict):
        raise ValueError("only named vectors are supported")  # noqa: TRY004 - becomes a 400
    return vector


def _vector(value: Any) -> Any:
    if isinstance(value, models.NearestQuery):
        return _vector(value.nearest)
    if isinstance(value, models.SparseVector):
        return engine.SparseVector(indices=value.indices, values=value.values)
    if isinstance(value, list):
        return value
    raise ValueError(f"unsupported vector {type(value).__name__}")


def _filter(value: models.Filter | None) -> Any:
    if value is None:
        return None
    if value.should or value.min_should:
        raise ValueError("only must and must_not are supported")

    def conditions(part: Any) -> list[Any]:
        return [_condition(one) for one in (part if isinstance(part, list) else [part])]

    return engine.Filter(
        must=conditions(value.must) if value.must else [],
        must_not=conditions(value.must_not) if value.must_not else [],
    )


def _condition(value: Any) -> Any:
    if isinstance(value, models.FieldCondition):
        if isinstance(value.match, models.MatchValue):
            match: Any = engine.MatchValue(value.match.value)
            return engine.FieldCondition(key=value.key, match=match)
        if isinstance(value.match, models.MatchAny):
            return engine.FieldCondition(key=value.key, match=engine.MatchAny(value.match.any))
    raise ValueError(f"unsupported condition {type(value).__name__}")


@contextlib.contextmanager
def running_double(
    directory: Path, *, api_key: str | None = None, read_key: str | None = None
) -> Iterator[QdrantDouble]:
    """Serve a double on a free port of the loopback for the length of the block."""
    double = QdrantDouble(directory, api_key=api_key, read_key=read_key)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(
            uvicorn.Config(double.app, log_level="critical", lifespan="off", ws="none")
        )
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        deadline = time.monotonic() + 10
        while not server.started and time.monotonic() < deadline:
            thread.join(0.01)
        double.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        try:
            yield double
        finally:
            server.should_exit = True
            thread.join(10)
            double.forget()
