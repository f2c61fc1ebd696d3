"""Download the packages of sources.tsv with each registry's own client.

    collect.py DOWNLOADS [REGISTRY...]

Packages that are there already are not fetched again. Repositories come as bare clones, `source`
is Debian's source packages (APT needs a deb-src line).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REGISTRIES = ("github", "pypi", "npm", "debian", "source")


def sources(path: Path) -> list[tuple[str, str, str]]:
    """Return (registry, name, version) of each line of sources.tsv."""
    lines = [line.split("\t") for line in path.read_text().splitlines() if line[:1] != "#"]
    return [(line[0], line[1], line[2] if len(line) > 2 else "") for line in lines]


def command(registry: str, name: str, version: str, target: Path) -> list[str]:
    """Return the command that downloads one package into `target`."""
    if registry == "github":
        place = target / name.replace("/", "+") / "repo"
        return ["git", "clone", "--quiet", "--bare", f"https://github.com/{name}", str(place)]
    if registry == "npm":
        return ["npm", "pack", "--silent", "--pack-destination", str(target), f"{name}@{version}"]
    if registry == "debian":
        return ["apt-get", "download", "--quiet", name]
    if registry == "source":
        return ["apt-get", "source", "--download-only", "--quiet", name]
    return [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary",
            ":all:", "--dest", str(target), f"{name}=={version}"]  # fmt: skip


def main(downloads: Path, registries: list[str]) -> None:
    for registry, name, version in sources(Path(__file__).parent / "sources.tsv"):
        target = downloads / registry
        target.mkdir(parents=True, exist_ok=True)
        place = target / name.replace("/", "+")
        if registry not in registries or (registry == "github" and place.exists()):
            continue
        done = subprocess.run(command(registry, name, version, target), cwd=target, check=False)
        if done.returncode:
            print("not downloaded:", registry, name, version, file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(REGISTRIES))
