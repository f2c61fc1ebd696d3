"""What manifests say of packages, and that broken or hostile ones say nothing."""

from __future__ import annotations

import pytest

from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.manifests.table import manifest_facts
from paparatsd.chunks.parse import parse_file


def said(path: str, text: str, kind: str) -> list[str] | list[tuple[str, str]]:
    facts = [fact for fact in manifest_facts(path, text) if fact.kind == kind]
    if kind == "maps":
        return [(fact.name, fact.value) for fact in facts]
    return [fact.name for fact in facts]


PACKAGE_JSON = """{
  "name": "@org/kit",
  "main": "./dist/index.js",
  "exports": {
    ".": {"types": "./dist/index.d.ts", "import": "./dist/index.mjs"},
    "./parts/*": "./src/parts/*.js"
  },
  "imports": {"#db": "./src/db.js"},
  "dependencies": {"lodash": "^4"},
  "devDependencies": {"vitest": "1"}
}"""


def test_package_json_tells_name_needs_exports_and_its_own_aliases() -> None:
    assert said("a/package.json", PACKAGE_JSON, "provides") == ["@org/kit"]
    assert said("a/package.json", PACKAGE_JSON, "depends") == ["lodash", "vitest"]
    maps = said("a/package.json", PACKAGE_JSON, "maps")
    assert ("./parts/*", "src/parts/*.js") in maps
    assert ("#db", "src/db.js") in maps
    places = [one[1] for one in maps if one[0] == "."]
    assert {"dist/index.mjs", "dist/index.d.ts", "dist/index.js"} == set(places)


def test_facts_of_a_manifest_have_the_lines_they_stand_in() -> None:
    lines = {fact.name: fact.line for fact in manifest_facts("package.json", PACKAGE_JSON)}
    assert lines["@org/kit"] == 2
    assert lines["lodash"] == 9


def test_tsconfig_with_comments_tells_aliases_counted_from_its_base() -> None:
    text = """{
      // where everything is
      "extends": "../base.json",
      "compilerOptions": {
        "baseUrl": "./src", /* "paths": {} */
        "paths": {"@/*": ["*"], "http://x": ["web/x.ts"],},
      },
    }"""
    assert said("web/tsconfig.json", text, "maps") == [
        ("*", "src/*"),
        ("@/*", "src/*"),
        ("http://x", "src/web/x.ts"),
    ]
    assert said("web/tsconfig.json", text, "extends") == ["../base.json"]


def test_aliases_without_a_base_are_counted_from_the_folder() -> None:
    text = '{"compilerOptions": {"paths": {"~/*": ["./app/*"]}}}'
    assert said("tsconfig.app.json", text, "maps") == [("~/*", "app/*")]


def test_pyproject_tells_distribution_import_names_and_roots() -> None:
    text = """
[project]
name = "My.Dist"
dependencies = ["Requests>=2", "typing_extensions; python_version < '3.9'"]
[project.optional-dependencies]
fast = ["orjson"]
[tool.hatch.build.targets.wheel]
packages = ["python/mypkg"]
[tool.setuptools.packages.find]
where = ["libs"]
"""
    assert set(said("pyproject.toml", text, "provides")) == {"my-dist", "my_dist", "mypkg"}
    assert set(said("pyproject.toml", text, "depends")) == {
        "requests", "typing-extensions", "orjson",
    }  # fmt: skip
    assert set(said("pyproject.toml", text, "maps")) == {("*", "python/*"), ("*", "libs/*")}


def test_poetry_tells_what_it_includes_and_from_where() -> None:
    text = """
[tool.poetry]
name = "thing"
packages = [{include = "thinglib", from = "src"}]
[tool.poetry.dependencies]
python = "^3.11"
httpx = "*"
"""
    assert set(said("pyproject.toml", text, "provides")) == {"thing", "thinglib"}
    assert said("pyproject.toml", text, "depends") == ["httpx"]
    assert said("pyproject.toml", text, "maps") == [("*", "src/*")]


def test_setup_cfg_and_setup_py_tell_what_is_written_out() -> None:
    config = """[metadata]
name = Old-Thing
[options]
packages = oldthing
package_dir =
    =lib
install_requires =
    six>=1
"""
    assert set(said("setup.cfg", config, "provides")) == {"old-thing", "old_thing", "oldthing"}
    assert said("setup.cfg", config, "depends") == ["six"]
    assert said("setup.cfg", config, "maps") == [("*", "lib/*")]
    script = """
NAME = "Scripted"
setup(
    name=NAME,
    packages=["scripted", "scripted.inner"],
    package_dir={"": "source"},
    install_requires=["attrs"],
)
"""
    assert set(said("setup.py", script, "provides")) == {"scripted"}
    assert said("setup.py", script, "depends") == ["attrs"]
    assert said("setup.py", script, "maps") == [("*", "source/*")]


def test_go_mod_tells_its_path_and_what_it_requires() -> None:
    text = """module example.com/app/v2 // the app

require github.com/one/two v1.0.0
require (
\tgopkg.in/yaml.v3 v3.0.1 // indirect
)
"""
    assert said("go.mod", text, "provides") == ["example.com/app/v2"]
    assert said("go.mod", text, "depends") == ["github.com/one/two", "gopkg.in/yaml.v3"]


def test_cargo_is_called_as_code_calls_it() -> None:
    text = """
[package]
name = "my-core"
[lib]
name = "core_of_mine"
path = "./code/root.rs"
[dependencies]
serde-json = { version = "1" }
short = { package = "a-long-name", version = "1" }
[target.'cfg(unix)'.dev-dependencies]
nix = "0.2"
"""
    assert said("Cargo.toml", text, "provides") == ["my_core", "core_of_mine"]
    assert set(said("Cargo.toml", text, "depends")) == {"serde_json", "a_long_name", "nix"}
    assert said("Cargo.toml", text, "maps") == [("lib", "code/root.rs")]


def test_jvm_builds_tell_artifacts_with_their_groups() -> None:
    pom = """<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.up</groupId></parent>
  <artifactId>core</artifactId>
  <dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId></dependency>
  </dependencies>
</project>"""
    assert said("core/pom.xml", pom, "provides") == ["org.up:core"]
    assert said("core/pom.xml", pom, "depends") == ["junit:junit"]
    gradle = 'implementation("com.squareup.okio:okio:3.0")\ntestImplementation "junit:junit:4"\n'
    assert said("build.gradle.kts", gradle, "depends") == ["com.squareup.okio:okio", "junit:junit"]
    assert said("settings.gradle", 'rootProject.name = "tool"', "provides") == ["tool"]


def test_composer_tells_which_folders_hold_which_namespaces() -> None:
    text = r"""{"name": "acme/box", "require": {"php": ">=8", "psr/log": "3"},
      "autoload": {"psr-4": {"Acme\\Box\\": "src/"}}}"""
    assert said("composer.json", text, "provides") == ["acme/box"]
    assert said("composer.json", text, "depends") == ["psr/log"]
    assert said("composer.json", text, "maps") == [("Acme\\Box", "src")]


def test_gems_and_their_needs() -> None:
    spec = 'Gem::Specification.new do |s|\n  s.name = "acme"\n  s.add_dependency "rack", "2"\nend\n'
    assert said("acme.gemspec", spec, "provides") == ["acme"]
    assert said("acme.gemspec", spec, "depends") == ["rack"]
    assert said("Gemfile", 'gem "rails", "~> 7"\n', "depends") == ["rails"]


def test_swift_packages_provide_their_targets() -> None:
    text = """let package = Package(
  name: "kit",
  dependencies: [.package(url: "https://github.com/apple/swift-log.git", from: "1.0.0")],
  targets: [.target(name: "KitCore", dependencies: []), .testTarget(name: "KitTests")]
)"""
    assert said("Package.swift", text, "provides") == ["KitCore"]
    assert said("Package.swift", text, "depends") == ["swift-log"]


def test_csharp_projects_open_namespaces_and_need_packages() -> None:
    text = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><PackageId>Acme.Box.Core</PackageId></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Serilog" Version="3" />
    <Using Include="Acme.Shared" /><Using Include="Acme.Consts" Static="true" />
  </ItemGroup>
</Project>"""
    assert said("src/Acme.Box.csproj", text, "provides") == ["Acme.Box", "Acme.Box.Core"]
    assert said("src/Acme.Box.csproj", text, "depends") == ["Serilog"]
    assert said("src/Acme.Box.csproj", text, "opens") == ["Acme.Shared"]
    assert said("Directory.Build.props", text, "provides") == []
    assert said("Directory.Build.props", text, "opens") == ["Acme.Shared"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "[" * 100_000),
        ("package.json", '{"name": 1, "exports": [[["a"]]], "dependencies": []}'),
        ("tsconfig.json", '{"compilerOptions": {"paths": {"a": 1}, "baseUrl": "/etc"}}'),
        ("pyproject.toml", "x = " + "[" * 50_000),
        ("pyproject.toml", "[project]\nname = 3\n[tool]\npoetry = 'no table'\n"),
        ("setup.cfg", "no section"),
        ("setup.py", "setup(" * 5_000),
        ("Cargo.toml", "[package]\nname = ['a']\n[dependencies]\nserde = 1\n[lib]\npath = 2\n"),
        ("pom.xml", '<!DOCTYPE x [<!ENTITY a "b">]><project><name>&a;</name></project>'),
        ("pom.xml", "<project><artifactId>"),
        ("composer.json", '{"autoload": {"psr-4": ["x"]}, "require": "y"}'),
        ("go.mod", "module"),
    ],
)  # fmt: skip
def test_broken_and_hostile_manifests_say_no_more_than_is_there(path: str, text: str) -> None:
    assert {fact.name for fact in manifest_facts(path, text)} <= {"serde"}


def test_facts_come_with_whatever_else_is_known_of_the_file() -> None:
    parsed = parse_file("pkg/package.json", PACKAGE_JSON, ChunkLimits())
    assert any(fact.kind == "provides" for fact in parsed.facts)
    assert parsed.chunks
    plain = parse_file("pkg/package.json", PACKAGE_JSON, ChunkLimits(), structure=False)
    assert plain.facts == parsed.facts
