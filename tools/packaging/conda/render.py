"""Renders meta.yaml for Linux as conda-build would, checks what needs no conda, and prints its test commands.

Needs jinja2 and pyyaml.
"""

import os
import sys

import jinja2
import yaml

folder = os.path.dirname(os.path.abspath(__file__))
fields = {
    "package": {"name", "version"},
    "source": {"path"},
    "build": {"number", "skip", "run_exports"},
    "requirements": {"build", "host", "run"},
    "test": {"requires", "source_files", "commands"},
    "about": {"summary", "license", "license_file", "description"},
}
selectors = {"[linux]": True, "[not linux]": False}


def is_selected(line):
    """Whether a line, which may end in a selector, is one for Linux."""
    for selector, value in selectors.items():
        if line.rstrip().endswith("# " + selector):
            return value
    return True


with open(os.path.join(folder, "meta.yaml"), encoding="utf-8") as file:
    lines = [line for line in file if is_selected(line)]
environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
text = environment.from_string("".join(lines)).render(
    compiler=lambda language: f"{language}_linux-64",
    stdlib=lambda language: f"{language}_stdlib_linux-64",
    pin_subpackage=lambda name, max_pin: f"{name} {max_pin}",
)
recipe = yaml.safe_load(text)
for section, content in recipe.items():
    unknown = set(content) - fields[section]
    assert not unknown, f"{section} has {unknown}"
checkout = os.path.join(folder, recipe["source"]["path"])
for path in [recipe["about"]["license_file"], *recipe["test"]["source_files"]]:
    assert os.path.exists(os.path.join(checkout, path)), f"there is no {path}"
print(text, file=sys.stderr)
print("\n".join(recipe["test"]["commands"]))
