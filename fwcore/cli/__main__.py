"""``python -m fwcore.cli``."""

from fwcore.cli import main

main()
