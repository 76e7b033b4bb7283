#!/usr/bin/env python3
"""Compares the allowed edges between modules with the CMake graph and with the #include lines.

module_edges.txt is written when CMake configures: one line "module directory: depends ..." a module.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = pathlib.Path(__file__).with_name("allowed_edges.txt")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]leadline/([a-z_]+)/', re.MULTILINE)

OPTIONS = argparse.Namespace(edges="", compiler="c++")


def read_allowed():
    allowed = {}
    for line in ALLOWED.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            user, used = line.split(":")
            allowed[user.strip()] = set(used.split())
    return allowed


def read_graph():
    """Module name -> (directory, names it depends on), as CMake has them."""
    graph = {}
    for line in pathlib.Path(OPTIONS.edges).read_text().splitlines():
        head, used = line.split(":")
        name, directory = head.split()
        graph[name] = (ROOT / directory, set(used.split()))
    return graph


def closure(graph, name):
    seen, todo = set(), [name]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo.extend(graph[current][1])
    return seen


class ArchitectureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.allowed = read_allowed()
        cls.graph = read_graph()

    def test_cmake_graph_is_what_is_allowed(self):
        actual = {name: used for name, (_, used) in self.graph.items()}
        self.assertEqual(self.allowed, actual)

    def test_no_circle(self):
        for name in self.graph:
            for used in self.graph[name][1]:
                self.assertNotIn(name, closure(self.graph, used), f"{name} -> {used} -> {name}")

    def test_includes_are_declared(self):
        for name, (directory, used) in self.graph.items():
            # Programs (cmd/) assemble modules and belong to none.
            sources = [p for part in ("include", "src") for p in (directory / part).rglob("*")
                       if p.suffix in (".h", ".cc")]
            for source in sources:
                for included in INCLUDE.findall(source.read_text()):
                    self.assertIn(included, used | {name}, f"{source} includes leadline/{included}/")

    def test_every_header_lies_in_its_own_module(self):
        for name, (directory, _) in self.graph.items():
            roots = list((directory / "include").glob("leadline/*"))
            self.assertEqual([r.name for r in roots], [name])

    def test_a_bottom_module_cannot_include_a_top_one(self):
        top = next((self.graph["core"][0] / "include/leadline/core").glob("*.h"))
        own = next((self.graph["nn"][0] / "include/leadline/nn").glob("*.h"))
        self.assertTrue(self.compiles("nn", f"leadline/nn/{own.name}"))
        self.assertFalse(self.compiles("nn", f"leadline/core/{top.name}"))

    def compiles(self, module, header):
        roots = [self.graph[m][0] / "include" for m in closure(self.graph, module)]
        with tempfile.NamedTemporaryFile("w", suffix=".cc") as source:
            source.write(f'#include "{header}"\n')
            source.flush()
            command = [OPTIONS.compiler, "-std=c++20", "-fsyntax-only", "-I/usr/include/eigen3",
                       *[f"-I{root}" for root in roots], source.name]
            return subprocess.run(command, capture_output=True).returncode == 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--edges", required=True)
    parser.add_argument("--compiler", default="c++")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
