"""``python -m zhiji``: the command line."""

import sys

from zhiji.cli import main

sys.exit(main())
