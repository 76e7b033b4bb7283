"""What people start with: ./run explains all its commands, the VS Code files name what exists."""

import json
import re
import subprocess
import unittest

from leadline_testbed import paths

COMMANDS = paths.SOURCE / "tools" / "run" / "commands"


def vscode(name):
    return json.loads((paths.SOURCE / ".vscode" / name).read_text())


class RunTest(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([paths.SOURCE / "run", *arguments], capture_output=True, text=True,
                              check=False)

    def test_help_explains_each_command_in_a_line(self):
        shown = self.run_it("help").stdout
        for command in COMMANDS.glob("*.sh"):
            self.assertRegex(shown, rf"(?m)^  {command.stem} +\S.{{20,}}$" if command.stem != "help"
                             else r"(?m)^  help +\S")

    def test_an_unknown_command_is_a_usage_error(self):
        answer = self.run_it("../run/setup")
        self.assertEqual(answer.returncode, 2)
        self.assertIn("./run help", answer.stderr)


class VsCodeTest(unittest.TestCase):
    def test_launches_name_tasks_that_exist(self):
        labels = {task["label"] for task in vscode("tasks.json")["tasks"]}
        launches = vscode("launch.json")["configurations"]
        self.assertEqual(len(launches), 2)
        for launch in launches:
            self.assertIn(launch["preLaunchTask"], labels)
            self.assertEqual(launch["MIMode"], "gdb")
        for task in vscode("tasks.json")["tasks"]:
            for needed in task.get("dependsOn", []):
                self.assertIn(needed, labels)

    def test_tasks_call_commands_that_exist(self):
        for task in vscode("tasks.json")["tasks"]:
            if "command" in task:
                command = re.match(r"\./run ([\w-]+)", task["command"]).group(1)
                self.assertTrue((COMMANDS / f"{command}.sh").exists(), command)

    def test_one_launch_is_the_dry_run(self):
        dry = ["--dry-run" in launch["args"] for launch in vscode("launch.json")["configurations"]]
        self.assertEqual(sorted(dry), [False, True])


if __name__ == "__main__":
    unittest.main()
