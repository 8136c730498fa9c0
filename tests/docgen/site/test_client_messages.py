"""The page of client messages: every section names the code that it was read in, with its release."""

from __future__ import annotations

import re

from tests.support import ROOT

PAGE = (ROOT / "site_src" / "client-messages.md").read_text(encoding="utf-8")
PLACES = dict(re.findall(r"^\[(.+?)\]: (\S+)$", PAGE, re.M))
SECTIONS = {
    anchor: section
    for section in re.split(r"^(?=###? )", PAGE, flags=re.M)
    for anchor in re.findall(r"\A### .+ \{ #(\S+) \}$", section, re.M)
}
REPOSITORIES = {
    "Kafka": "apache/kafka",
    "librdkafka": "confluentinc/librdkafka",
    "Sarama": "IBM/sarama",
    "kafka-python": "dpkp/kafka-python",
    "KafkaJS": "tulios/kafkajs",
}


def sources(section: str) -> list[str]:
    """The parts of a section's list of sources, one for each release."""
    (found,) = re.findall(r"^\*Sources:\* (.+?)\.$", section, re.M | re.S)
    return " ".join(found.split()).split("; ")


def test_every_section_links_its_code_at_a_release() -> None:
    assert len(SECTIONS) == len(re.findall(r"^### ", PAGE, re.M))
    cited: list[str] = []
    for section in SECTIONS.values():
        for part in sources(section):
            release = re.match(r"(\S+) ([\d.]+): ", part)
            places = re.findall(r"\[([^\[\]]+)\](?:\[\]|(?=,|$))", part)
            assert places, part
            if release:
                root = f"https://github.com/{REPOSITORIES[release[1]]}/blob/"
                place = re.compile(rf"{re.escape(root)}v?{re.escape(release[2])}/\S+#L\d+")
                assert all(place.fullmatch(PLACES[name]) for name in places), part
            cited += places
    assert set(cited) == set(PLACES)


def test_the_introduction_names_the_newest_release_of_each_client() -> None:
    introduction = " ".join(PAGE.partition("\n## ")[0].split())
    newest: dict[str, tuple[int, ...]] = {}
    for section in SECTIONS.values():
        for name, release in re.findall(r"(\S+) (\d[\d.]+): ", "; ".join(sources(section))):
            number = tuple(map(int, release.split(".")))
            newest[name] = max(number, newest.get(name, (0,)))
    assert newest.keys() == REPOSITORIES.keys()
    for name, number in newest.items():
        assert f"{name} {'.'.join(map(str, number))}" in introduction
