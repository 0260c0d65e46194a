"""Guarantee: the number of a producer changes nothing else of a row. A row that cannot have a number
stays as it is, to be refused, and stops no relay.
"""

from __future__ import annotations

from typing import Any

import pytest

from annals_sdk.outbox.member_texts import member_of, with_member
from annals_sdk.outbox.statements import Row, number

METADATA = r'{ "n": 9007199254740993, "f": 1.10, "e": 1e400, "t": "é 🔑 \u00e9 \/ \" }" , "2": 0,"1":0}'
EVENT = rf'{{ "action" : "a1",  "context":{{"context": [{{}}],"a":1.0 }}, "metadata":{METADATA} }}'


def test_an_event_gets_a_member_and_keeps_the_rest() -> None:
    context = member_of(EVENT, "context")
    assert context == '{"context": [{}],"a":1.0 }'
    changed = with_member(EVENT, "context", with_member(context, "n", "1"))
    assert changed == rf'{{"action":"a1","metadata":{METADATA},"context":{{"context":[{{}}],"a":1.0,"n":1}}}}'


@pytest.mark.parametrize("text", ["null", "{}", " { } ", '{"n":2}', '{"n":2, "\\u006e": 3}'])
def test_it_is_the_only_one_of_its_name(text: str) -> None:
    assert with_member(text, "n", "1") == '{"n":1}'


def test_rows_that_cannot_have_a_number_stay_as_they_are(database: Any) -> None:
    deep = "[" * 2_000 + "]" * 2_000
    texts = ["null", "[5]", '{"context":"web"}', '{"context":[]}', f'{{"metadata":{deep}}}']
    rows = [Row(str(at), text) for at, text in enumerate(texts)]
    assert number(database, "billing", rows) == rows


def test_a_row_keeps_its_bytes_beside_its_number(database: Any) -> None:
    database.execute("INSERT INTO annals_outbox (event) VALUES (%s::json)", [EVENT])
    [(id,)] = database.execute("SELECT id::text FROM annals_outbox").fetchall()
    numbered = number(database, "billing", [Row(id, EVENT)])
    given = '"producer":{"id":"billing","n":1,"dropped":0}'
    context = f'{{"context":[{{}}],"a":1.0,{given}}}'
    assert numbered == [Row(id, f'{{"action":"a1","metadata":{METADATA},"context":{context}}}')]
    assert database.execute("SELECT event::text FROM annals_outbox").fetchall() == [(numbered[0].text,)]
    assert number(database, "billing", numbered) == numbered
