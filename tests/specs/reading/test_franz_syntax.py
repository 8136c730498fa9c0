"""Lines of franz-go's definitions one by one: their meaning, or the column of what is wrong."""

from __future__ import annotations

import pytest

from tests.specs.reading.franz import read
from wirebook.specs.problems import InputError


@pytest.mark.parametrize(
    ("line", "type_", "versions", "nullable", "default"),
    [
        ("A: int8", "int8", "0+", "none", None),
        ("A: int8(5)", "int8", "0+", "none", "5"),
        ("A: int8()", "int8", "0+", "none", ""),
        ("A: int8 // v1+", "int8", "1+", "none", None),
        ("A: int8 // v1-v3", "int8", "1-3", "none", None),
        ("A: int8 // v3-v3", "int8", "3", "none", None),
        ("A: int8 // v0-v32767", "int8", "0+", "none", None),
        ("A: nullable-string", "string", "0+", "0+", None),
        ("A: nullable-string // v1+", "string", "1+", "1+", None),
        ("A: nullable-string-v2+ // v1+", "string", "1+", "2+", None),
        ("A: nullable-string-v2+(x)", "string", "0+", "2+", "x"),
        ("A: [int8]", "[]int8", "0+", "none", None),
        ("A: nullable[int8]", "[]int8", "0+", "0+", None),
        ("A: nullable[int8] // v1-v3", "[]int8", "1-3", "1-3", None),
        ("A: nullable-v2+[int8](null) // v1-v3", "[]int8", "1-3", "2-3", "null"),
        ("ThrottleMillis", "int32", "0+", "none", "0"),
        ("ThrottleMillis(3) // v1+", "int32", "1+", "none", "0"),
        ("TimeoutMillis", "int32", "0+", "none", "15000"),
        ("TimeoutMillis(20)", "int32", "0+", "none", "20"),
        ("A: nullable-string // v2+, tag 0", "string", "2+", "2+", "null"),
        ("A: nullable-string-v2+ // v1+, tag 0", "string", "2+", "2+", "null"),
        ("A: nullable-string-v3+ // tag 0", "string", "2+", "3+", None),
        ("A: nullable-string(x) // tag 0", "string", "2+", "2+", "x"),
        ("A: int8 // tag 2147483647", "int8", "2+", "none", None),
    ],
)
def test_a_field_line(line: str, type_: str, versions: str, nullable: str, default: str | None) -> None:
    (message,) = read(("00_foo", f"FooRequest => key 1, max version 5, flexible v2+\n  {line}\n"))
    (field,) = message.fields
    assert (field.type, str(field.versions), str(field.nullable_versions), field.default) == (
        type_,
        versions,
        nullable,
        default,
    )
    assert field.has_default is (default is not None)
    is_tagged = "tag " in line
    assert (field.tag is not None, str(field.tagged_versions)) == (
        is_tagged,
        versions if is_tagged else "none",
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("A: int8 // tag 2147483648", "2:14: 2147483648 is above 2147483647, the highest tag"),
        ("A: int8 // v1-v32768", '2:14: "v1-v32768" is not a range of versions'),
        ("A: int8 // v2-v1", '2:14: "v2-v1" is not a range of versions'),
        ("A: int8 // v1+,", "2:14: write the comment after a field like"),
        ("A: int8 // v1+, ", "2:14: write the comment after a field like"),
        ("A: int8 // v1+tag 0", "2:14: write the comment after a field like"),
        ("A: nullable-int8", "2:6: a field of type int8 is never null"),
        ("A: int8-v2+", '2:6: "int8-v2+" is not a type'),
        (f"A: {'t' * 41}!", f'2:6: "{"t" * 40}" is not a type'),
        (f"A: {'t' * 41}", f'2:6: there is no type "{"t" * 40}"'),
        (f"A: enum-{'e' * 41}", f"2:6: there is no enum {'e' * 40}"),
        ("A: [enum-X]", "2:7: there is no enum X"),
        ("A: nullable[varint]", "2:15: no message can hold a field of type varint"),
        ("A: nullable-varint-bytes", "2:15: no message can hold a field of type varint-bytes"),
        ("A: Odd", "2:6: there is no type"),
        ("A: enum-Odd", "2:6: the enum Odd is not of a type of numbers"),
    ],
)
def test_a_field_line_that_is_wrong_has_its_column(line: str, words: str) -> None:
    text = f"FooRequest => key 1, max version 5, flexible v2+\n  {line}\n\nOdd float (\n  0: A\n)\n"
    with pytest.raises(InputError) as caught:
        read(("00_foo", text))
    assert str(caught.value).startswith(f"00_foo:{words}")


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("FooRequest => key 32767, max version 32767", ""),
        (
            "FooRequest => key 32768, max version 1",
            "1:15: 32768 is above 32767, the highest an INT16 can hold",
        ),
        ("FooRequest => key 1, max version 1, flexible v32768+", "1:37: 32768 is above 32767"),
        ("FooRequest => key 1, max version 1, group coordinator, admin", ""),
        (f"FooRequest => key 1, {'x' * 41}, max version 1", f'1:22: "{"x" * 40}" is not a modifier here'),
        ("FooRequest => key 1, with version field, max version 1", '1:22: "with version field" is not'),
        ("FooRequest => key 1, max version 1, flexible v1+, flexible v2+", '1:51: "flexible" is repeated'),
        ("Foo => not top level, admin", '1:23: "admin" is not a modifier here'),
        ("Foo => not top level, with version field, flexible v1+, no encoding", ""),
        ("FooRequest => key 1, max versions 1", '1:22: "max versions 1" is not a modifier here'),
        ("FooRequest => key 1, flexible v1+", '1:1: this request has no "max version"'),
        ("FooRequest => key1", "1:1: a definition begins with"),
    ],
)
def test_the_first_line_of_a_definition(first: str, words: str) -> None:
    if words:
        with pytest.raises(InputError) as caught:
            read(("00_foo", first + "\n"))
        assert str(caught.value).startswith(f"00_foo:{words}")
    else:
        read(("00_foo", first + "\n"))


def test_versions_of_a_struct_are_those_of_its_fields() -> None:
    text = """\
FooRequest => key 1, max version 5, flexible v3+
  Outer: => // v1-v4
    Plain: int8
    Late: int8 // v2+
    Early: int8 // v0-v3
    Deep: [=>] // v2-v9
      Inner: string
  Both: =>Named
    Plain: int8
"""
    (message,) = read(("00_foo", text))
    outer, both = message.fields
    assert outer.fields is not None
    assert [str(field.versions) for field in outer.fields] == ["1-4", "2-4", "1-3", "2-4"]
    assert (outer.type, both.type) == ("FooRequestOuter", "FooRequestNamed")
    deep = outer.fields[3]
    assert deep.fields is not None
    assert (deep.type, str(deep.fields[0].versions)) == ("[]FooRequestOuterDeep", "2-4")
    assert (str(message.flexible_versions), str(message.valid_versions)) == ("3+", "0-5")


@pytest.mark.parametrize("first", [None, 0, 2, 5, 6])
@pytest.mark.parametrize("other", [None, 0, 2, 5, 6])
def test_a_struct_is_flexible_as_the_messages_that_use_it(first: int | None, other: int | None) -> None:
    def flexible(version: int | None) -> str:
        return "" if version is None else f", flexible v{version}+"

    text = f"S => not top level{flexible(first)}\n  A: int8\n\n"
    text += f"FooRequest => key 1, max version 5{flexible(other)}\n  B: S\n"
    versions = [set() if each is None else set(range(each, 6)) for each in (first, other)]
    if versions[0] == versions[1]:
        assert len(read(("00_foo", text))[0].common_structs) == 1
        return
    said = ["in no version" if first is None else f"from version {first} on"]
    said.append("in none" if other is None else f"from version {other} on")
    with pytest.raises(InputError) as caught:
        read(("00_foo", text))
    assert str(caught.value) == (
        f"00_foo:5:6: S is flexible {said[0]}, and FooRequest, which uses it, {said[1]}"
    )


def test_comments_blank_lines_and_responses_are_told_apart() -> None:
    text = """\
// Lost, for a blank line follows.

// What it asks.
// In two lines.
FooRequest => key 1, max version 2, flexible v1+
  // Of A.
  //
  // And more.
  A: int8
  B: int8

// What it answers.
FooResponse =>
  C: int8
"""
    request, response = read(("00_foo", text))
    assert [field.about for field in request.fields] == ["Of A.\n\nAnd more.", ""]
    assert (response.api_key, str(response.valid_versions), str(response.flexible_versions)) == (
        1,
        "0-2",
        "1+",
    )
    assert (request.written.position.line, response.written.position.line) == (5, 13)
    assert [field.written.at("versions").column for field in request.fields] == [10, 10]


@pytest.mark.parametrize(("length", "is_read"), [(50, True), (51, False)])
def test_structs_that_are_named_have_fifty_levels(length: int, is_read: bool) -> None:
    structs = [f"S{number} => not top level\n  A: S{number + 1}\n" for number in range(length - 1)]
    structs += [
        f"S{length - 1} => not top level\n  A: int8\n",
        "FooRequest => key 1, max version 1\n  B: S0\n",
    ]
    text = "\n".join(structs)
    if is_read:
        assert len(read(("00_foo", text))[0].common_structs) == length
        return
    with pytest.raises(InputError) as caught:
        read(("00_foo", text))
    # The place is that of the field that refers to the last one.
    assert str(caught.value) == f"00_foo:{3 * (length - 2) + 2}:6: structs are nested more than 50 deep"
    # Many structs beside each other are not nested.
    wide = "".join(f"S{number} => not top level\n  A: int8\n\n" for number in range(60))
    wide += "FooRequest => key 1, max version 1\n" + "".join(
        f"  F{number}: S{number}\n" for number in range(60)
    )
    assert len(read(("00_foo", wide))[0].common_structs) == 60
