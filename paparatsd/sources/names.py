"""What a file's name alone says: lock file, minified, generated, binary, or agent guidance."""

from __future__ import annotations

import re

from paparatsd.model import Skip

_LOCK_NAMES = frozenset(
    {
        ".package-lock.json",
        ".terraform.lock.hcl",
        "bun.lock",
        "bun.lockb",
        "cabal.project.freeze",
        "cargo.lock",
        "cartfile.resolved",
        "chart.lock",
        "composer.lock",
        "conan.lock",
        "conda-lock.yml",
        "cpanfile.snapshot",
        "deno.lock",
        "flake.lock",
        "gemfile.lock",
        "gems.locked",
        "glide.lock",
        "go.sum",
        "go.work.sum",
        "gopkg.lock",
        "gradle.lockfile",
        "manifest.lock",
        "mix.lock",
        "module.bazel.lock",
        "npm-shrinkwrap.json",
        "nuget.lock.json",
        "package-lock.json",
        "package.resolved",
        "packages.lock.json",
        "paket.lock",
        "pdm.lock",
        "pipfile.lock",
        "pixi.lock",
        "pnpm-lock.yaml",
        "pnpm-lock.yml",
        "podfile.lock",
        "poetry.lock",
        "project.assets.json",
        "pubspec.lock",
        "pylock.toml",
        "rebar.lock",
        "renv.lock",
        "shard.lock",
        "stack.yaml.lock",
        "uv.lock",
        "yarn.lock",
    }
)

_MINIFIED = re.compile(
    r"(?:[.-]min\.(?:js|mjs|cjs|css|html|svg)|\.bundle\.(?:js|mjs|css)|\.chunk\.(?:js|css)|\.map)\Z"
)
_GENERATED = re.compile(
    r"(?:_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h|swift|dart)|_pb\.(?:js|ts|d\.ts|rb)|\.pb\.gw\.go"
    r"|_grpc_pb\.(?:js|d\.ts)|[._]generated\.[a-z0-9]+|\.gen\.(?:go|ts|tsx|js|rs|dart)|_gen\.go"
    r"|_string\.go|\.g\.(?:i\.)?cs|\.(?:g|gr|freezed|mocks)\.dart|\.designer\.(?:cs|vb)"
    r"|\.tsbuildinfo|\.snap)\Z|\Azz_generated\."
)

# Only what is never text; where a suffix names both, the content decides.
_BINARY = (
    # pictures, sound and film, fonts
    "png jpg jpeg gif bmp ico icns tif tiff webp avif heic heif psd xcf cr2 nef dng "
    "mp3 mp4 m4a m4v wav ogg oga ogv opus flac aac aiff wma wmv avi mov mkv webm flv mpg mpeg "
    "ttf otf woff woff2 eot "
    # archives and packages
    "zip gz tgz bz2 tbz2 xz txz zst lz4 lzma 7z rar tar jar war ear whl egg apk aab ipa deb rpm "
    "dmg iso cab msi gem nupkg crx vsix asar "
    # compiled
    "o a so dylib dll exe pdb class pyc pyo pyd elc beam wasm rlib rmeta dex mo gmo dwo ilk "
    # documents
    "pdf doc docx xls xlsx xlsb ppt pptx odt ods odp odg epub mobi djvu "
    # data, models, graphics
    "db sqlite sqlite3 db3 mdb accdb ibd parquet feather avro npy npz pkl pickle joblib h5 hdf5 "
    "rda rds bin pth ckpt onnx safetensors gguf ggml tflite der p7b p7s "
    "blend fbx glb 3ds dds ktx pvr exr hdr unitypackage uasset umap"
)
_BINARY_SUFFIXES = frozenset(_BINARY.split())

_GUIDANCE_NAMES = frozenset(
    {
        ".clinerules",
        ".cursorrules",
        ".goosehints",
        ".roorules",
        ".windsurfrules",
        "agent.md",
        "agents.md",
        "agents.override.md",
        "claude.local.md",
        "claude.md",
        "codex.md",
        "conventions.md",
        "gemini.md",
        "qwen.md",
    }
)
GUIDANCE_PLACES = {
    ".amazonq": ("rules",),
    ".augment": ("rules",),
    ".claude": ("agents", "commands", "rules", "skills", "CLAUDE.md"),
    ".clinerules": ("",),
    ".continue": ("rules",),
    ".cursor": ("rules", "commands"),
    ".gemini": ("GEMINI.md",),
    ".github": ("copilot-instructions.md", "instructions", "prompts", "chatmodes"),
    ".junie": ("guidelines.md",),
    ".kiro": ("steering",),
    ".roo": ("rules",),
    ".trae": ("rules",),
    ".windsurf": ("rules", "workflows"),
}
"""Directories in which tools keep guidance, with what below them is guidance ("" is all)."""
_GUIDANCE_SUFFIXES = (".md", ".mdc", ".txt")
_PLACE = re.compile(
    "(?:^|/)(?:"
    + "|".join(
        re.escape(place) + (f"/{re.escape(below)}" if below else "") + "(?:/|$)"
        for place, belows in GUIDANCE_PLACES.items()
        for below in belows
    )
    + ")"
)


def reason_by_name(name: str) -> Skip | None:
    """Return why a file of this name (without directories) is never opened, or None."""
    lower = name.lower()
    if lower in _LOCK_NAMES:
        return Skip.LOCK
    suffix = lower.rpartition(".")[2] if "." in lower else ""
    if suffix in _BINARY_SUFFIXES:
        return Skip.BINARY
    if _MINIFIED.search(lower):
        return Skip.MINIFIED
    if _GENERATED.search(lower):
        return Skip.GENERATED
    return None


def is_guidance(path: str) -> bool:
    """Say whether a file tells agents how to work here; such files count even when ignored."""
    name = path.rpartition("/")[2].lower()
    if name in _GUIDANCE_NAMES:
        return True
    return path.lower().endswith(_GUIDANCE_SUFFIXES) and _PLACE.search(path) is not None
