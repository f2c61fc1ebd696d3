from __future__ import annotations

import os
from pathlib import Path

import pytest

from paparatsd.errors import BadQuery
from paparatsd.project_paths import check_project_path, system_reason
from paparatsd.sources.watch_place import mount_type


@pytest.mark.parametrize(
    "path",
    [
        "/proc", "/proc/self", "/sys", "/sys/kernel", "/dev", "/dev/pts", "/dev/shm", "/etc",
        "/etc/ssh", "/boot", "/boot/grub", "/run", "/run/systemd", "/run/user", "/run/user/1000",
        "/run/media", "/run/media/ada", "/usr", "/var", "/opt", "/srv", "/tmp", "/bin", "/sbin",
        "/lib", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib64", "/root", "/home", "/home/ada",
        "/Users", "/Users/ada", "/private", "/private/etc", "/private/etc/ssh", "/private/tmp",
        "/mnt", "/media",
    ],
)  # fmt: skip
def test_directories_of_the_system_are_no_projects(path: str) -> None:
    assert system_reason(Path(path))


@pytest.mark.parametrize(
    "path",
    [
        "/home/ada/src", "/root/src", "/usr/src/app", "/usr/local/shop", "/var/www", "/opt/shop",
        "/srv/git", "/tmp/shop", "/dev/shm/shop", "/run/user/1000/shop", "/run/media/ada/disk",
        "/workspace", "/etcetera", "/devel/shop", "/running", "/private/tmp/shop", "/Volumes/disk",
        "/home/ada/etc", "/mnt/disk", "/usr/lib/python3",
    ],
)  # fmt: skip
def test_what_users_keep_elsewhere_may_be_a_project(path: str) -> None:
    assert system_reason(Path(path)) == ""


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/proc", "it belongs to the system (/proc)"),
        ("/etc/", "it belongs to the system (/etc)"),
        ("/usr/../etc/ssh", "it belongs to the system (/etc)"),
        ("/usr", "things of many owners"),
    ],
)
def test_the_refusal_says_why_and_what_to_do(tmp_path: Path, path: str, reason: str) -> None:
    with pytest.raises(BadQuery) as caught:
        check_project_path(path, tmp_path)
    assert reason in str(caught.value)
    assert str(caught.value).endswith("add single repositories")


def test_a_link_to_a_system_directory_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    with pytest.raises(BadQuery, match="belongs to the system"):
        check_project_path(str(tmp_path / "link"), tmp_path / "home")


def test_a_pseudo_file_system_is_refused_wherever_it_is_mounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"1 1 0:5 / / rw - ext4 x rw\n2 1 0:6 / {tmp_path}/jail rw - sysfs x rw\n")
    monkeypatch.setattr("paparatsd.project_paths.mount_type", lambda path: mount_type(path, table))
    inside = tmp_path / "jail" / "class"
    with pytest.raises(BadQuery, match="lies on a sysfs file system"):
        check_project_path(str(inside), tmp_path / "home")
    beside = tmp_path / "jailed"
    assert check_project_path(str(beside), tmp_path / "home") == Path(os.path.realpath(beside))
