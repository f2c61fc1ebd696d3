"""Names of types and members that stand for, or give, what is inside them."""

from __future__ import annotations

WRAPPERS = frozenset({
    "Optional", "Option", "Promise", "PromiseLike", "Awaitable", "Future", "Task", "ValueTask",
    "CompletableFuture", "Mono", "Single", "Deferred", "Result", "Box", "Rc", "Arc", "Ref",
    "RefMut", "RefCell", "Cell", "Mutex", "RwLock", "MutexGuard", "Pin", "Cow", "Weak", "Lazy",
    "Readonly", "Partial", "Required", "NonNullable", "DeepPartial", "Final", "ClassVar",
    "Annotated", "NotRequired", "ReadOnly", "shared_ptr", "unique_ptr", "weak_ptr",
    "optional", "reference_wrapper", "Atomic", "AtomicReference", "Awaited", "ContextManager",
    "AbstractContextManager", "AsyncContextManager", "AbstractAsyncContextManager", "Nullable",
    "ThreadLocal", "Supplier", "Provider", "WeakReference", "RefPtr", "Either", "Try", "IO",
})  # fmt: skip
"""Types that are used like what is inside them: their first argument."""
CONTAINERS = frozenset({
    "list", "List", "Sequence", "MutableSequence", "Iterable", "Iterator", "AsyncIterable",
    "AsyncIterator", "Collection", "set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple",
    "deque", "Deque", "dict", "Dict", "Mapping", "MutableMapping", "DefaultDict", "defaultdict",
    "OrderedDict", "Array", "ReadonlyArray", "Map", "ReadonlyMap", "WeakMap", "Record", "Vec",
    "VecDeque", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "IndexMap", "Slice", "vector",
    "array", "map", "unordered_map", "span", "ArrayList", "LinkedList", "Queue", "Stream",
    "MutableList", "MutableMap", "MutableSet", "Flow", "Flux", "Observable", "IEnumerable",
    "IList", "ICollection", "IReadOnlyList", "IReadOnlyCollection", "IDictionary", "Dictionary",
    "Seq", "Vector", "ListBuffer", "IndexedSeq", "Generator", "AsyncGenerator", "Iter",
})  # fmt: skip
"""Types that hold what their last argument names (generators: their first)."""
GENERATORS = frozenset({"Generator", "AsyncGenerator"})
CLASSES = frozenset({"Type", "type", "Class", "KClass", "ClassTag"})
SAME = frozenset({
    "unwrap", "expect", "unwrap_or", "unwrap_or_default", "as_ref", "as_mut", "clone", "borrow",
    "borrow_mut", "lock", "to_owned", "get", "await", "also", "apply", "get_mut", "into",
    "__enter__", "__aenter__", "orElseThrow", "orElse", "join", "Value", "value", "Result",
})  # fmt: skip
"""Members of wrappers, and of anything that has no such member itself, that give it unchanged."""
ELEMENT = frozenset({
    "pop", "get", "next", "first", "last", "find", "shift", "at", "popleft", "setdefault",
    "remove", "head", "peek", "front", "back", "firstOrNull", "lastOrNull", "First",
    "FirstOrDefault", "Single", "SingleOrDefault", "Last", "min", "max",
})  # fmt: skip
"""Members of containers that give one of what they hold; others give the container."""
