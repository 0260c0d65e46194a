"""Gives the modules of this folder what verify.py of packages/sdk-python has, which is one file and needs no package."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "packages/sdk-python/src/annals_sdk"))

from verify import *  # noqa: E402, F403
