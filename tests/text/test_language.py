"""The language of a text, guessed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.text.language import language_of

KNOWN = {"", "en", "de", "fr", "es", "it", "pt", "nl", "zh", "ja", "ko", "ru", "ar", "el", "th"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("The model is trained on the corpus and it is evaluated with this set.", "en", id="English"),
        pytest.param("Das Netz wird auf dem Korpus trainiert und die Ergebnisse sind nicht gut.", "de", id="German"),
        pytest.param("Le modèle est entraîné sur le corpus et les résultats sont dans la table.", "fr", id="French"),
        pytest.param("El modelo se entrena con el corpus y los resultados son más altos.", "es", id="Spanish"),
        pytest.param(
            "Il modello è addestrato sul corpus e i risultati sono nella tabella di dati.", "it", id="Italian"
        ),
        pytest.param("O modelo é treinado com o corpus e os resultados não são bons.", "pt", id="Portuguese"),
        pytest.param("Het model wordt op het corpus getraind en de resultaten zijn niet goed.", "nl", id="Dutch"),
        pytest.param("注意力机制是一种方法。", "zh", id="Chinese"),
        pytest.param("BERT在GLUE和SQuAD上超过了GPT，因为它使用双向注意力。", "zh", id="Chinese with Latin names"),
        pytest.param("自己注意機構はモデルの一部です。", "ja", id="Japanese"),
        pytest.param("어텐션은 모델의 일부입니다.", "ko", id="Korean"),
        pytest.param("Внимание является частью модели.", "ru", id="Russian"),
        pytest.param("الانتباه جزء من النموذج", "ar", id="Arabic"),
        pytest.param("Η προσοχή είναι μέρος του μοντέλου.", "el", id="Greek"),
        pytest.param("ความสนใจเป็นส่วนหนึ่งของโมเดล", "th", id="Thai"),
        pytest.param(
            "The team of 王小明 wrote this paper on the attention of large models.", "en", id="a Chinese name"
        ),
        pytest.param("Transformer", "en", id="one word"),
        pytest.param("2019 3.14", "", id="numbers"),
        pytest.param("。。。", "", id="Chinese punctuation"),
        pytest.param("🚀", "", id="emoji"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_language(text: str, expected: str) -> None:
    assert language_of(text) == expected


@given(st.text(st.characters(exclude_categories=()), max_size=300))
@settings(max_examples=200, deadline=None)
def test_every_text_has_a_known_language_or_none(text: str) -> None:
    assert language_of(text) in KNOWN


def test_addresses_and_badges_are_of_no_language() -> None:
    badge = (
        "[![DOI](https://zenodo.org/badge/com/do/e/o/em/as.svg)](https://doi.org/do.o.e.as.com) <!-- o e do com -->\n"
    )
    assert language_of(f"# Birds\n{6 * badge}Counts of wading birds in the south.") == "en"
