"""Runs a statement on what an application gives: a connection or a cursor of DB-API or Django, or a
connection or a session of SQLAlchemy. Parameters are written `%s`, as drivers of PostgreSQL take them.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any


def execute(target: Any, statement: str, parameters: Sequence[Any] = ()) -> Result:
    """Rows are empty for a statement that returns none."""
    if inspect.iscoroutinefunction(getattr(target, "execute", None)):
        # Unawaited, it would do nothing and say nothing.
        raise TypeError("a connection of asyncio cannot be used, but with run_sync() of SQLAlchemy")
    if hasattr(target, "get_bind"):
        target = target.connection()
    if hasattr(target, "exec_driver_sql"):
        return _run_text(target, statement, parameters)
    # A cursor of Django has one of the driver as its `cursor`.
    if not callable(getattr(target, "cursor", None)):
        return _run(target, statement, parameters)
    cursor = target.cursor()
    try:
        return _run(cursor, statement, parameters)
    finally:
        cursor.close()


class Result:
    def __init__(self, rows: list[Any], count: int) -> None:
        self.rows = rows
        #: Rows that were changed.
        self.count = count


def _run_text(connection: Any, statement: str, parameters: Sequence[Any]) -> Result:
    """SQLAlchemy has drivers with another form of parameters, such as asyncpg."""
    from sqlalchemy import text

    first, *parts = statement.split("%s")
    named = first + "".join(f":p{at}{part}" for at, part in enumerate(parts))
    result = connection.execute(text(named), {f"p{at}": value for at, value in enumerate(parameters)})
    return Result([tuple(row) for row in result] if result.returns_rows else [], result.rowcount)


def _run(cursor: Any, statement: str, parameters: Sequence[Any]) -> Result:
    cursor.execute(statement, tuple(parameters))
    rows = cursor.fetchall() if cursor.description is not None else []
    return Result([tuple(row) for row in rows], cursor.rowcount)
