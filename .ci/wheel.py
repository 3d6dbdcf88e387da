"""Use the installed package as a stranger does; `.ci/run` runs it where the wheel alone is."""

import sys
from importlib.resources import files

from IPython.core.interactiveshell import InteractiveShell

import shape_magic

assert "site-packages" in shape_magic.__file__, shape_magic.__file__
assert shape_magic.measure("# A\n\n- b\n").shape.list_items == 1
assert "pandas" not in sys.modules
assert (files("shape_magic") / "py.typed").is_file()

shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "shape_magic")
result = shell.run_cell("%%shape Candidate_A\n# A\n")
result.raise_error()
assert result.result.shape.headings == 1
shell.run_line_magic("unload_ext", "shape_magic")
sys.stdout.write(f"shape_magic {shape_magic.__version__}: the wheel works\n")
